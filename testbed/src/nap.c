/* libnap.so (preloaded into the ranks by `run`): polling MPI calls sleep between polls.
 *
 * With ch3:sock a rank in MPI_Send, Recv, Wait, Waitall, Probe or a collective sleeps in poll(2). MPI_Waitany and
 * MPI_Waitsome spin, however, and a program may loop over MPI_Test or MPI_Iprobe: such a rank takes a processor
 * from the others. All of them ask the sockets through poll with a time-out of zero. Here such a poll, once it
 * follows others at once and without success, waits a moment for the sockets. What arrives ends the wait.
 * A program that computes between its polls is left alone.
 * NAP_US in the environment: the longest wait in microseconds (default 200; 0: never). */
#define _GNU_SOURCE
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define SECOND 1000000000L
/* Polls that follow one another within this time, with nothing but the MPI library between them, spin. */
#define AT_ONCE_NS 50000
/* So many polls in vain make a spin: programs often test two or three times before they do something else. */
#define IN_VAIN 3
#define DEFAULT_NAP_US 200

static __thread int in_vain;
static __thread long last_return;

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

static long nap_length(void)
{
    static long length = -1;
    if (length < 0) length = (getenv("NAP_US") ? atol(getenv("NAP_US")) : DEFAULT_NAP_US) * 1000;
    return length;
}

static int wait_for(struct pollfd *sockets, nfds_t count, long ns)
{
    struct timespec t = { ns / SECOND, ns % SECOND };
    return ppoll(sockets, count, &t, NULL);
}

static int ask(struct pollfd *sockets, nfds_t count)
{
    if (now() - last_return > AT_ONCE_NS) in_vain = 0;
    int found = wait_for(sockets, count, in_vain >= IN_VAIN ? nap_length() : 0);
    in_vain = found == 0 ? in_vain + 1 : 0;
    last_return = now();
    return found;
}

int poll(struct pollfd *sockets, nfds_t count, int milliseconds)
{
    if (milliseconds < 0) return ppoll(sockets, count, NULL, NULL);
    if (milliseconds > 0) return wait_for(sockets, count, milliseconds * (SECOND / 1000));
    return ask(sockets, count);
}
