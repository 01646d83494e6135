/* fabric.h: the links, hosts and switches of the emulated network, and which link leads where.
 * A directed link is a FIFO server with a rate, a latency and a queue. */
#ifndef FABRIC_H
#define FABRIC_H
#include <stdint.h>
#include <stdio.h>

#define NOWHERE (-1)
#define MAX_HOSTS 256
#define MAX_SWITCHES 64
#define MAX_LINKS (2 * MAX_HOSTS + 4 * MAX_SWITCHES)

/* Nanoseconds: a moment of CLOCK_REALTIME, which the kernel's receive stamps are of, or a duration. */
typedef int64_t ns;

/* One direction of a cable. It ends at a switch or at a host; the other is NOWHERE. */
struct link {
    char name[24];
    double ns_per_byte;
    ns latency, free_at;
    int64_t queue_bytes;
    int to_switch, to_host;
    struct { ns busy, longest_wait; uint64_t frames, bytes, drops; } seen;
};

/* interface: 0 where there is no such host. up, down: the links to and from its switch. */
struct host { int interface, on_switch, up, down; };

struct fabric {
    struct link links[MAX_LINKS];
    struct host hosts[MAX_HOSTS];
    int link_count, host_count, switch_count;
};
extern struct fabric fabric;

/* Reads lines "host I INTERFACE SWITCH RATE_bps LATENCY_ns QUEUE_bytes" and "trunk A B RATE_bps LATENCY_ns
 * QUEUE_bytes"; ends the process with a sentence on standard error where they make no network. */
void read_fabric(FILE *in);

/* The host behind an interface of this namespace, NOWHERE if there is none. */
int host_behind(int interface);

/* The link that a frame at this switch takes towards a host: the shortest way. */
int next_link(int at_switch, int to_host);

/* Sends so many bytes over a link from this moment on; when they arrive at its end, NOWHERE if they are dropped. */
ns pass(struct link *link, int bytes, ns moment);

#endif
