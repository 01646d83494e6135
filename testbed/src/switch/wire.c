/* wire.c: one receive ring for all interfaces of the namespace, one socket to send. See wire.h. */
#include "wire.h"
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define SLOTS 8192
#define SLOTS_PER_BLOCK 8
/* Room for the kernel's own header before a frame. */
#define SLOT_HEADER 256
#define SEND_BUFFER (8 << 20)
#define SECOND 1000000000LL

static int receiver, sender, slot, slot_size;
static unsigned char *ring;

static void need(int done, const char *what)
{
    if (!done) { perror(what); exit(1); }
}

static void set(int socket, int level, int option, int value, const char *what)
{
    need(setsockopt(socket, level, option, &value, sizeof value) == 0, what);
}

static void make_ring(int longest_frame)
{
    slot_size = 2048 * ((longest_frame + SLOT_HEADER + 2047) / 2048);
    struct tpacket_req request = { .tp_block_size = slot_size * SLOTS_PER_BLOCK, .tp_block_nr = SLOTS / SLOTS_PER_BLOCK,
                                   .tp_frame_size = slot_size, .tp_frame_nr = SLOTS };
    set(receiver, SOL_PACKET, PACKET_VERSION, TPACKET_V2, "switch: packet version");
    set(receiver, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1, "switch: ignore outgoing frames");
    need(setsockopt(receiver, SOL_PACKET, PACKET_RX_RING, &request, sizeof request) == 0, "switch: receive ring");
    ring = mmap(NULL, (size_t)slot_size * SLOTS, PROT_READ | PROT_WRITE, MAP_SHARED, receiver, 0);
    need(ring != MAP_FAILED, "switch: map the receive ring");
}

void open_wire(int longest_frame)
{
    struct sockaddr_ll any = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
    int buffer = SEND_BUFFER;
    receiver = socket(AF_PACKET, SOCK_RAW, 0), sender = socket(AF_PACKET, SOCK_RAW, 0);
    need(receiver >= 0 && sender >= 0, "switch: packet sockets");
    make_ring(longest_frame);
    need(bind(receiver, (void *)&any, sizeof any) == 0, "switch: bind");
    set(sender, SOL_PACKET, PACKET_QDISC_BYPASS, 1, "switch: send past the queueing discipline");
    setsockopt(sender, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof buffer);   /* without it some frames may be refused: counted */
}

int wire_descriptor(void) { return receiver; }

static struct tpacket2_hdr *header(void) { return (void *)(ring + (size_t)slot * slot_size); }

int next_arrival(struct arrival *a)
{
    struct tpacket2_hdr *h = header();
    if (!(__atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER)) return 0;
    const struct sockaddr_ll *address = (void *)((unsigned char *)h + TPACKET_ALIGN(sizeof *h));
    *a = (struct arrival){ .interface = address->sll_ifindex, .length = h->tp_snaplen,
                           .moment = h->tp_sec * SECOND + h->tp_nsec, .data = (unsigned char *)h + h->tp_mac };
    return 1;
}

void release_arrival(void)
{
    __atomic_store_n(&header()->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    slot = (slot + 1) % SLOTS;
}

uint64_t lost_frames(void)
{
    struct tpacket_stats s;
    socklen_t size = sizeof s;
    return getsockopt(receiver, SOL_PACKET, PACKET_STATISTICS, &s, &size) ? 0 : s.tp_drops;
}

int hand_over(int interface, const unsigned char *data, int length)
{
    struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_ifindex = interface, .sll_halen = ETH_ALEN };
    memcpy(address.sll_addr, data, ETH_ALEN);
    return sendto(sender, data, length, 0, (void *)&address, sizeof address) >= 0;
}
