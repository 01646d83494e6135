/* prompt NICE COMMAND [ARGUMENT...]: runs a command that is woken up without delay.
 *
 * Ranks and switch mostly sleep; what counts is how long after its time a sleeper runs. There is no real-time
 * scheduling here (a spinning real-time process can freeze the machine). Instead:
 *   - timer slack of 1 ns: by default Linux may deliver a wake-up 50 us late;
 *   - an ordinary process with a time slice of 100 us (Linux 6.12 and later): a sleeper with a short slice need
 *     not wait until another's slice of some ms ends;
 *   - NICE, also for the session: under autogroup scheduling nice counts within a session only.
 * Each helps and none is needed, so failures are ignored. The command's children inherit all three. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TIMER_SLACK_NS 1
#define SLICE_NS 100000
#define ORDINARY 0 /* SCHED_OTHER */

/* The kernel's struct sched_attr, first version. */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

static void schedule(int nice)
{
    struct scheduling ours = { .size = sizeof ours, .policy = ORDINARY, .nice = nice, .runtime = SLICE_NS };
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
    (void)!syscall(SYS_sched_setattr, 0, &ours, 0);
}

/* Only where the session is ours: nobody else's group is changed. */
static void schedule_session(const char *nice)
{
    if (setsid() < 0) return;
    FILE *group = fopen("/proc/self/autogroup", "w");
    if (!group) return;
    fputs(nice, group);
    fclose(group);
}

int main(int argc, char **argv)
{
    if (argc < 3) { fputs("usage: prompt NICE COMMAND [ARGUMENT...]\n", stderr); return 2; }
    schedule(atoi(argv[1]));
    schedule_session(argv[1]);
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}
