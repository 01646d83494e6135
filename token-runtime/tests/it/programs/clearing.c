/* Starts a program with an environment that says nothing of the run, in the way that its first argument says. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int clearenv(void);

int main(int argc, char **argv) {
    const char *how = argv[1], *program = argv[argc - 1];
    char *arguments[] = {argv[argc - 1], "x", NULL}, *few[] = {"A=b", NULL};
    char command[4096];
    int status = 0;
    pid_t child;
    snprintf(command, sizeof command, "%s x", program);
    if (!strcmp(how, "execve")) execve(program, arguments, few);
    if (!strcmp(how, "execle")) execle(program, program, "x", (char *)NULL, few);
    if (!strcmp(how, "spawn") && !posix_spawn(&child, program, NULL, NULL, arguments, few)) wait(&status);
    clearenv();
    if (!strcmp(how, "execl")) execl(program, program, "x", (char *)NULL);
    /* More of them than there are registers. */
    if (!strcmp(how, "execlp")) execlp(program, program, "x", "3", "4", "5", "6", "7", (char *)NULL);
    if (!strcmp(how, "system")) status = system(command);
    return status != 0;
}
