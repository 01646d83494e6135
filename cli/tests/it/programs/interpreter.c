/* Loads module.so and lets it work; knows nothing of MPI. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    void *module = dlopen("./module.so", RTLD_NOW | RTLD_LOCAL);
    if (!module) return puts(dlerror()), 1;
    int (*work)(void) = (int (*)(void))dlsym(module, "work");
    return work ? work() : 2;
}
