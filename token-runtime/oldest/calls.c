/* Functions that the C library of 2012 (2.17) does not have, or has only in the part that was linked into each program, made of
   system calls. They are seen by this shared object alone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

int stat64(const char *path, struct stat64 *status) {
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);
}

int lstat64(const char *path, struct stat64 *status) {
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

int fstat64(int file, struct stat64 *status) {
    return (int)syscall(SYS_fstat, file, status);
}

int fstatat64(int folder, const char *path, struct stat64 *status, int flags) {
    return (int)syscall(SYS_newfstatat, folder, path, status, flags);
}

/* The MPI library has one of its own, which programs see. */
__attribute__((weak, visibility("default"))) pid_t gettid(void) {
    return (pid_t)syscall(SYS_gettid);
}

int memfd_create(const char *name, unsigned flags) {
    return (int)syscall(SYS_memfd_create, name, flags);
}
