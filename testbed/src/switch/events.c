/* events.c: a pool of frames and a heap of events. See events.h. */
#include "events.h"
#include <stdlib.h>

#define FIRST_ROOM 4096

static struct frame *free_frames;
static struct event *heap;
static int heap_size, heap_room;
static uint64_t entries;

static void *need(void *memory)
{
    if (!memory) { perror("switch: memory"); exit(1); }
    return memory;
}

void make_frames(int count, int longest)
{
    size_t stride = (sizeof(struct frame) + longest + 63) & ~(size_t)63;
    char *room = need(malloc(count * stride));
    for (int i = 0; i < count; i++) give_frame((struct frame *)(room + i * stride));
}

struct frame *take_frame(void)
{
    struct frame *frame = free_frames;
    if (frame) free_frames = frame->next_free;
    return frame;
}

void give_frame(struct frame *frame)
{
    frame->next_free = free_frames;
    free_frames = frame;
}

static int before(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void push(struct event e)
{
    if (heap_size == heap_room) {
        heap_room = heap_room ? 2 * heap_room : FIRST_ROOM;
        heap = need(realloc(heap, heap_room * sizeof *heap));
    }
    int i = heap_size++;
    for (; i && before(&e, &heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = e;
}

int enter(struct link *link, struct frame *frame, ns moment)
{
    ns arrival = pass(link, frame->length, moment);
    if (arrival == NOWHERE) { give_frame(frame); return 0; }
    push((struct event){ arrival, entries++, frame, link->to_switch, link->to_host });
    return 1;
}

const struct event *first_event(void) { return heap_size ? &heap[0] : NULL; }

struct event take_event(void)
{
    struct event first = heap[0], last = heap[--heap_size];
    int i = 0;
    for (int child; (child = 2 * i + 1) < heap_size; i = child) {
        if (child + 1 < heap_size && before(&heap[child + 1], &heap[child])) child++;
        if (!before(&heap[child], &last)) break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return first;
}
