/* events.h: the frames under way and what happens to them next, in order of time, equal times in order of entry. */
#ifndef EVENTS_H
#define EVENTS_H
#include "fabric.h"

struct frame { int length, to_host; struct frame *next_free; unsigned char data[]; };

/* A frame reaches the end of a link. */
struct event { ns time; uint64_t order; struct frame *frame; int at_switch, at_host; };

/* Makes room for so many frames of so many bytes. */
void make_frames(int count, int longest);
/* NULL when all are under way. */
struct frame *take_frame(void);
void give_frame(struct frame *);

/* Frame reaches the beginning of a link; whether it was accepted (else it is given back). */
int enter(struct link *link, struct frame *frame, ns moment);
/* The earliest event, NULL if there is none. */
const struct event *first_event(void);
struct event take_event(void);

#endif
