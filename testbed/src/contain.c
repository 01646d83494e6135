/* contain [-n] [-t SECONDS] COMMAND [ARGUMENT...]
 * Runs COMMAND so that nothing of it outlives this process: no process, mount or network.
 *   -n  in an empty network namespace      -t  end it after so long, with exit status 124
 *
 * COMMAND gets process and mount namespaces of its own. The kernel ends all that live in them as soon as
 * their first process does, and that one is tied to this process by its parent-death signal. So there is
 * nothing to clean up, whichever signal ends this process, SIGKILL included.
 *
 * Exit status: that of COMMAND (128 + N where signal N ended it). SIGINT, SIGTERM, SIGHUP and SIGQUIT end
 * COMMAND at once, then this process by the same signal. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS_TIME_LIMIT 124
#define STATUS_FAILED 125
#define STATUS_NOT_STARTED 127

static const int ENDING[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, 0 };

static void die(const char *what)
{
    perror(what);
    _exit(STATUS_FAILED);
}

static int status_of(int wait_status)
{
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

/* Dies with the parent; if that has gone already, the pipe that only it can write to is at its end. */
static void tie_to_parent(int parents_pipe)
{
    struct pollfd parent = { .fd = parents_pipe };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (poll(&parent, 1, 0) != 0) _exit(STATUS_FAILED);
}

/* The command meets all ending signals unhandled, also where a shell ignores some for a background job. */
static pid_t start(char **command, const sigset_t *signals)
{
    pid_t child = fork();
    if (child < 0) die("contain: fork");
    if (child > 0) return child;
    for (const int *s = ENDING; *s; s++) signal(*s, SIG_DFL);
    sigprocmask(SIG_SETMASK, signals, NULL);
    execvp(command[0], command);
    perror(command[0]);
    _exit(STATUS_NOT_STARTED);
}

/* The first process of the namespaces: also inherits and reaps orphans, as any first process must. */
static void first_process(char **command, const sigset_t *signals)
{
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) die("contain: private mounts");
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)) die("contain: /proc");
    pid_t child = start(command, signals), ended;
    int wait_status = 0;
    while ((ended = wait(&wait_status)) != child)
        if (ended < 0) die("contain: wait");
    _exit(status_of(wait_status));
}

/* The signal that arrived; 0 once the time limit (if there is one) has passed. */
static int next_signal(const sigset_t *signals, time_t limit)
{
    struct timespec time = { .tv_sec = limit };
    int arrived;
    do arrived = limit ? sigtimedwait(signals, NULL, &time) : sigwaitinfo(signals, NULL);
    while (arrived < 0 && errno == EINTR);
    return arrived < 0 ? 0 : arrived;
}

static void end_by(int signal_number)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal_number);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static int watch(pid_t first, const sigset_t *signals, time_t limit)
{
    int wait_status = 0, arrived = next_signal(signals, limit);
    if (arrived != SIGCHLD) kill(first, SIGKILL);
    if (waitpid(first, &wait_status, 0) < 0) die("contain: wait");
    if (arrived == SIGCHLD) return status_of(wait_status);
    if (arrived != 0) end_by(arrived);
    fprintf(stderr, "contain: ended after the limit of %ld s\n", (long)limit);
    return STATUS_TIME_LIMIT;
}

int main(int argc, char **argv)
{
    int option, network = 0, ends[2];
    time_t limit = 0;
    while ((option = getopt(argc, argv, "+nt:")) != -1) switch (option) {
        case 'n': network = CLONE_NEWNET; break;
        case 't': limit = atol(optarg); break;
        default: return 2;
    }
    if (optind == argc) { fputs("usage: contain [-n] [-t SECONDS] COMMAND [ARGUMENT...]\n", stderr); return 2; }

    sigset_t handled, before;
    sigemptyset(&handled);
    sigaddset(&handled, SIGCHLD);
    for (const int *s = ENDING; *s; s++) sigaddset(&handled, *s);
    sigprocmask(SIG_BLOCK, &handled, &before);
    if (pipe2(ends, O_CLOEXEC)) die("contain: pipe");
    if (unshare(CLONE_NEWPID | CLONE_NEWNS | network)) die("contain: namespaces");
    pid_t first = fork();
    if (first < 0) die("contain: fork");
    if (first == 0) {
        close(ends[1]);
        tie_to_parent(ends[0]);
        first_process(argv + optind, &before);
    }
    return watch(first, &handled, limit);
}
