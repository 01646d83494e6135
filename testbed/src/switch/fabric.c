/* fabric.c: reading the fabric, shortest ways, and the time a frame takes on a link. See fabric.h. */
#include "fabric.h"
#include <net/if.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Preamble, frame check sequence and gap: what a frame takes on a wire beside its own bytes. */
#define WIRE_EXTRA 24
#define MAX_INTERFACES 65536

struct fabric fabric;
static int host_of_interface[MAX_INTERFACES];                     /* host + 1 */
static int trunk[MAX_SWITCHES][MAX_SWITCHES], towards[MAX_SWITCHES][MAX_SWITCHES];

__attribute__((format(printf, 1, 2), noreturn)) static void refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("switch: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(1);
}

struct shape { double rate; long long latency, queue; };

static int add_link(char from, int a, char to, int b, struct shape shape)
{
    if (fabric.link_count >= MAX_LINKS) refuse("more than %d links", MAX_LINKS);
    if (shape.rate <= 0) refuse("the rate of link %c%d>%c%d is not positive", from, a, to, b);
    struct link *link = &fabric.links[fabric.link_count];
    *link = (struct link){ .ns_per_byte = 8e9 / shape.rate, .latency = shape.latency, .queue_bytes = shape.queue,
                           .to_switch = to == 's' ? b : NOWHERE, .to_host = to == 'h' ? b : NOWHERE };
    snprintf(link->name, sizeof link->name, "%c%d>%c%d", from, a, to, b);
    return fabric.link_count++;
}

static void know_switch(int s)
{
    if (s < 0 || s >= MAX_SWITCHES) refuse("switch %d is not one of 0..%d", s, MAX_SWITCHES - 1);
    if (s >= fabric.switch_count) fabric.switch_count = s + 1;
}

static void add_host(int h, const char *interface, int on_switch, struct shape shape)
{
    int index = if_nametoindex(interface);
    if (h < 0 || h >= MAX_HOSTS) refuse("host %d is not one of 0..%d", h, MAX_HOSTS - 1);
    if (index <= 0 || index >= MAX_INTERFACES) refuse("there is no interface %s", interface);
    know_switch(on_switch);
    host_of_interface[index] = h + 1;
    fabric.hosts[h] = (struct host){ .interface = index, .on_switch = on_switch,
                                     .up = add_link('h', h, 's', on_switch, shape),
                                     .down = add_link('s', on_switch, 'h', h, shape) };
    if (h >= fabric.host_count) fabric.host_count = h + 1;
}

static void add_trunk(int a, int b, struct shape shape)
{
    know_switch(a);
    know_switch(b);
    trunk[a][b] = add_link('s', a, 's', b, shape);
    trunk[b][a] = add_link('s', b, 's', a, shape);
}

static void read_line(const char *line)
{
    int a, b;
    char interface[64];
    struct shape s;
    if (sscanf(line, "host %d %63s %d %lf %lld %lld", &a, interface, &b, &s.rate, &s.latency, &s.queue) == 6)
        add_host(a, interface, b, s);
    else if (sscanf(line, "trunk %d %d %lf %lld %lld", &a, &b, &s.rate, &s.latency, &s.queue) == 5)
        add_trunk(a, b, s);
    else
        refuse("found neither a host nor a trunk in the line: %s", line);
}

/* Breadth first, backwards from the destination. */
static void find_ways_to(int destination)
{
    int seen[MAX_SWITCHES] = { 0 }, queue[MAX_SWITCHES], head = 0, tail = 0;
    seen[destination] = 1;
    queue[tail++] = destination;
    while (head < tail) {
        int u = queue[head++];
        for (int v = 0; v < fabric.switch_count; v++) {
            if (trunk[v][u] == NOWHERE || seen[v]) continue;
            seen[v] = 1;
            towards[v][destination] = u;
            queue[tail++] = v;
        }
    }
    if (tail < fabric.switch_count) refuse("not every switch reaches switch %d", destination);
}

void read_fabric(FILE *in)
{
    char line[256];
    memset(trunk, NOWHERE, sizeof trunk);
    while (fgets(line, sizeof line, in)) read_line(line);
    if (fabric.host_count == 0) refuse("no hosts");
    for (int s = 0; s < fabric.switch_count; s++) find_ways_to(s);
}

int host_behind(int interface)
{
    return interface > 0 && interface < MAX_INTERFACES ? host_of_interface[interface] - 1 : NOWHERE;
}

int next_link(int at_switch, int to_host)
{
    int there = fabric.hosts[to_host].on_switch;
    return there == at_switch ? fabric.hosts[to_host].down : trunk[at_switch][towards[at_switch][there]];
}

/* Virtual time never slips: however late this is called, the link's clock goes by the frame's own moment. */
ns pass(struct link *link, int bytes, ns moment)
{
    ns begin = link->free_at > moment ? link->free_at : moment, wait = begin - moment;
    ns duration = (bytes + WIRE_EXTRA) * link->ns_per_byte + 0.5;
    if (wait / link->ns_per_byte > link->queue_bytes) { link->seen.drops++; return NOWHERE; }
    if (wait > link->seen.longest_wait) link->seen.longest_wait = wait;
    link->free_at = begin + duration;
    link->seen.busy += duration, link->seen.frames++, link->seen.bytes += bytes;
    return link->free_at + link->latency;
}
