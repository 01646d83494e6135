/* wire.h: frames from and to the interfaces of this namespace, through packet sockets. */
#ifndef WIRE_H
#define WIRE_H
#include "fabric.h"

/* A frame where the kernel left it, valid until release_arrival. */
struct arrival { int interface, length; ns moment; const unsigned char *data; };

void open_wire(int longest_frame);
/* The descriptor that becomes readable when frames arrive. */
int wire_descriptor(void);
/* The next frame that has arrived; 0 if there is none. */
int next_arrival(struct arrival *);
/* Gives the place of the last arrival back to the kernel. */
void release_arrival(void);
/* Frames that the kernel had no room for since the last call. */
uint64_t lost_frames(void);
/* Hands a frame to an interface; whether it was accepted. */
int hand_over(int interface, const unsigned char *data, int length);

#endif
