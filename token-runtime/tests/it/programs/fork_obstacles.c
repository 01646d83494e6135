/* Does something before MPI_Init that is its process's own, as its argument says; says whether its process was forked, and what
   its rank has of it. */
#define _GNU_SOURCE
#include "mpi.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int forks;
static void count(void) { forks++; }

static unsigned long long before(const char *what) {
    unsigned long long value = 0;
    struct timespec moment;
    struct rusage usage;
    struct timeval day;
    char name[] = "uniqueXXXXXX";
    char byte;
    FILE *file;
    if (!strcmp(what, "getrandom")) getrandom(&value, sizeof value, 0);
    if (!strcmp(what, "getentropy")) getentropy(&value, sizeof value);
    if (!strcmp(what, "syscall")) syscall(SYS_getrandom, &value, sizeof value, 0);
    if (!strcmp(what, "open")) {
        int random = open("/dev/urandom", O_RDONLY);
        if (read(random, &value, sizeof value) < 0) exit(2);
        close(random);
    }
    if (!strcmp(what, "fopen")) {
        file = fopen("/dev/urandom", "r");
        if (!fread(&value, sizeof value, 1, file)) exit(2);
        fclose(file);
    }
    if (!strcmp(what, "getpid")) value = getpid();
    if (!strcmp(what, "getenv")) value = 1 + atoi(getenv("PMI_RANK"));
    if (!strcmp(what, "gettid")) value = gettid();
    if (!strcmp(what, "readlink") && readlink("/proc/self", (char *)&value, sizeof value) < 0) exit(2);
    if (!strcmp(what, "readlinkat") && readlinkat(AT_FDCWD, "/proc/self/", (char *)&value, sizeof value) < 0 &&
        readlinkat(AT_FDCWD, "/proc/self", (char *)&value, sizeof value) < 0) exit(2);
    if (!strcmp(what, "realpath")) value = atoi(realpath("/proc/self", 0) + strlen("/proc/"));
    if (!strcmp(what, "status")) {
        char line[256];
        file = fopen("/proc/self/status", "r");
        while (fgets(line, sizeof line, file)) sscanf(line, "Pid: %llu", &value);
        fclose(file);
    }
    if (!strcmp(what, "exe") && readlink("/proc/self/exe", (char *)&value, sizeof value) < 0) exit(2);
    if (!strcmp(what, "clock")) value = clock() >= 0;
    if (!strcmp(what, "clock_gettime")) value = !clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &moment);
    if (!strcmp(what, "getrusage")) value = !getrusage(RUSAGE_SELF, &usage);
    if (!strcmp(what, "shared"))
        value = (unsigned long long)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!strcmp(what, "memfd")) value = memfd_create("own", 0);
    if (!strcmp(what, "eventfd")) value = eventfd(0, 0);
    if (!strcmp(what, "tmpfile")) value = tmpfile() != 0;
    if (!strcmp(what, "mkstemp")) value = close(mkstemp(name));
    if (!strcmp(what, "lock")) value = flock(open("words", O_RDONLY), LOCK_SH);
    if (!strcmp(what, "folder")) value = mkdir("own", 0700);
    if (!strcmp(what, "link")) value = symlink("words", "own");
    if (!strcmp(what, "rename")) value = rename("words", "moved");
    if (!strcmp(what, "remove")) value = unlink("words");
    if (!strcmp(what, "pipe of a name")) value = mkfifo("own", 0600);
    if (!strcmp(what, "copy")) value = dup(open("words", O_RDONLY));
    if (!strcmp(what, "copied")) value = fcntl(open("words", O_RDONLY), F_DUPFD, 10);
    if (!strcmp(what, "open-file lock"))
        value = fcntl(open("words", O_RDWR), F_OFD_SETLK, &(struct flock){.l_type = F_WRLCK});
    if (!strcmp(what, "madvise"))
        value = madvise(mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096, MADV_WIPEONFORK);
    if (!strcmp(what, "mlock")) value = mlock(name, 1);
    if (!strcmp(what, "group")) value = setpgid(0, 0);
    if (!strcmp(what, "atfork")) value = pthread_atfork(0, 0, count);
    if (!strcmp(what, "child") && !fork()) _exit(0);
    if (!strcmp(what, "reaped") && wait(&(int){fork() ? 0 : (_exit(0), 0)}) < 0) exit(2);
    if (!strcmp(what, "timer")) {
        timer_t timer;
        struct sigevent none = {.sigev_notify = SIGEV_NONE};
        value = timer_create(CLOCK_REALTIME, &none, &timer);
    }
    if (!strcmp(what, "input")) value = getchar();
    if (!strcmp(what, "read")) value = read(0, &byte, 1);
    if (!strcmp(what, "stdout")) value = freopen("said", "a", stderr) != 0;
    if (!strcmp(what, "shmget")) shmctl(value = shmget(IPC_PRIVATE, 4096, 0600), IPC_RMID, 0);
    if (!strcmp(what, "time")) value = time(0);
    if (!strcmp(what, "auxval")) memcpy(&value, (void *)getauxval(AT_RANDOM), sizeof value);
    if (!strcmp(what, "moment")) clock_gettime(CLOCK_MONOTONIC, &moment), value = moment.tv_sec * 1000000000ll + moment.tv_nsec;
    if (!strcmp(what, "system clock")) {
        syscall(SYS_clock_gettime, CLOCK_REALTIME, &moment);
        value = moment.tv_sec * 1000000000ll + moment.tv_nsec;
    }
    if (!strcmp(what, "timespec")) timespec_get(&moment, TIME_UTC), value = moment.tv_sec * 1000000000ll + moment.tv_nsec;
    if (!strcmp(what, "microseconds")) gettimeofday(&day, 0), value = day.tv_sec * 1000000ll + day.tv_usec;
    if (!strcmp(what, "mapped")) {
        value = (unsigned long long)mmap(0, 4096, PROT_READ, MAP_SHARED, open("words", O_RDONLY), 0);
    }
    return value;
}

int main(int argc, char **argv) {
    unsigned long long own = before(argv[1]), all[3];
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Gather(&own, 8, MPI_BYTE, all, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        const char *how = getppid() == atoi(getenv("MPIETE_HOST")) ? "spawned" : "forked";
        printf("%s %s %d\n", how, all[0] != all[1] && all[1] != all[2] ? "different" : "equal", forks);
    }
    return MPI_Finalize();
}
