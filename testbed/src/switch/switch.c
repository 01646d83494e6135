/* switch -r REQUESTS -s STATISTICS [-m MTU] < FABRIC
 * A network of Ethernet switches as one process of ordinary priority.
 *
 * It lives in the switches' namespace, where one end of every host's cable is. The frames of all hosts arrive with the
 * kernel's receive stamps, travel in virtual time through the links of the fabric (store and forward) and are handed
 * to their host when they are due. When this process wakes up late, a frame is handed over late, but no link's clock
 * slips. The lateness is recorded: it says whether the processors kept up. Nothing here spins.
 *
 * Host I has the MAC address 02:54:42:00:(I / 256):(I % 256). Says "ready" on standard output. Whatever is written to
 * the named pipe REQUESTS makes it write the file STATISTICS and count anew. */
#define _GNU_SOURCE
#include "events.h"
#include "wire.h"
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
/* A link-level header with a VLAN tag, and some room. */
#define FRAME_EXTRA 64
#define FRAMES 65536
/* So many arrivals are taken before what is due is handed over. */
#define ARRIVALS_AT_ONCE 256
#define LATE_NS 100000

static struct { uint64_t received, sent, dropped, lost, refused, unknown, late_frames; ns late, latest; } count;

static ns now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

/* --- statistics ------------------------------------------------------------------------------- */

static double processor_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_stime.tv_sec + 1e-6 * (u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void print_statistics(FILE *out)
{
    double sent = count.sent ? count.sent : 1;
    fprintf(out, "frames received %lu sent %lu dropped %lu lost %lu refused %lu unknown %lu\n", count.received, count.sent,
            count.dropped, count.lost, count.refused, count.unknown);
    fprintf(out, "handed over late: mean %.1f us, max %.1f us, more than %d us: %.2f %%\n", count.late / sent * 1e-3,
            count.latest * 1e-3, LATE_NS / 1000, 100 * count.late_frames / sent);
    fprintf(out, "processor seconds since start: %.3f\n", processor_seconds());
    for (const struct link *l = fabric.links; l < fabric.links + fabric.link_count; l++)
        if (l->seen.frames || l->seen.drops)
            fprintf(out, "link %s frames %lu bytes %lu drops %lu busy_ms %.3f longest_wait_us %.1f\n", l->name, l->seen.frames,
                    l->seen.bytes, l->seen.drops, l->seen.busy * 1e-6, l->seen.longest_wait * 1e-3);
}

/* Whoever sees the file sees all of it. */
static void write_statistics(const char *path)
{
    char part[512];
    snprintf(part, sizeof part, "%s.part", path);
    FILE *out = fopen(part, "w");
    count.lost += lost_frames();
    if (out) {
        print_statistics(out);
        fclose(out);
        rename(part, path);
    }
    memset(&count, 0, sizeof count);
    for (struct link *l = fabric.links; l < fabric.links + fabric.link_count; l++) memset(&l->seen, 0, sizeof l->seen);
}

/* --- frames ----------------------------------------------------------------------------------- */

static int destination_of(const unsigned char *data)
{
    static const unsigned char ours[4] = { 0x02, 0x54, 0x42, 0x00 };
    int host = data[4] * 256 + data[5];
    int is_host = !memcmp(data, ours, sizeof ours) && host < fabric.host_count && fabric.hosts[host].interface;
    return is_host ? host : NOWHERE;
}

static void take(const struct arrival *a, int longest)
{
    int from = host_behind(a->interface), to = destination_of(a->data);
    if (from == NOWHERE) return;
    count.received++;
    if (to == NOWHERE || a->length > longest) { count.unknown++; return; }
    struct frame *frame = take_frame();
    if (!frame) { count.lost++; return; }
    frame->length = a->length;
    frame->to_host = to;
    memcpy(frame->data, a->data, a->length);
    if (!enter(&fabric.links[fabric.hosts[from].up], frame, a->moment)) count.dropped++;
}

static void take_arrivals(int longest)
{
    struct arrival a;
    for (int i = 0; i < ARRIVALS_AT_ONCE && next_arrival(&a); i++) {
        take(&a, longest);
        release_arrival();
    }
}

static void deliver(const struct event *e)
{
    ns late = now() - e->time;
    if (hand_over(fabric.hosts[e->at_host].interface, e->frame->data, e->frame->length)) count.sent++;
    else count.refused++;
    count.late += late;
    count.late_frames += late > LATE_NS;
    if (late > count.latest) count.latest = late;
    give_frame(e->frame);
}

static void do_what_is_due(void)
{
    for (const struct event *first; (first = first_event()) && first->time <= now();) {
        struct event e = take_event();
        if (e.at_host != NOWHERE) deliver(&e);
        else if (!enter(&fabric.links[next_link(e.at_switch, e.frame->to_host)], e.frame, e.time)) count.dropped++;
    }
}

/* Until a frame arrives, the next event is due or statistics are asked for; whether they are. */
static int sleep_until_something_happens(int requests)
{
    struct pollfd sources[2] = { { .fd = wire_descriptor(), .events = POLLIN }, { .fd = requests, .events = POLLIN } };
    const struct event *first = first_event();
    ns pause = first ? first->time - now() : 0;
    if (pause < 0) pause = 0;
    struct timespec timeout = { pause / SECOND, pause % SECOND };
    return ppoll(sources, 2, first ? &timeout : NULL, NULL) > 0 && sources[1].revents;
}

/* Opened for both directions, a named pipe never ends, whoever comes and goes. */
static int open_requests(const char *path)
{
    int requests = open(path, O_RDWR | O_NONBLOCK);
    if (requests < 0) { perror(path); exit(1); }
    return requests;
}

static void answer(int requests, const char *path)
{
    char words[64];
    while (read(requests, words, sizeof words) > 0) ;
    write_statistics(path);
}

int main(int argc, char **argv)
{
    const char *statistics = NULL, *requests_path = NULL;
    int mtu = 1500, option;
    while ((option = getopt(argc, argv, "r:s:m:")) != -1) switch (option) {
        case 'r': requests_path = optarg; break;
        case 's': statistics = optarg; break;
        case 'm': mtu = atoi(optarg); break;
        default: return 2;
    }
    if (!statistics || !requests_path) { fputs("usage: switch -r REQUESTS -s STATISTICS [-m MTU] < FABRIC\n", stderr); return 2; }
    int longest = mtu + FRAME_EXTRA;
    read_fabric(stdin);
    make_frames(FRAMES, longest);
    open_wire(longest);
    int requests = open_requests(requests_path);
    puts("ready");
    fflush(stdout);
    for (;;) {
        take_arrivals(longest);
        do_what_is_due();
        if (sleep_until_something_happens(requests)) answer(requests, statistics);
    }
}
