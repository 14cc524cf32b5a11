// A ring buffer for one producer and one consumer. Both calls wait.

#ifndef RING_H
#define RING_H

#include <stdatomic.h>

#define RING_SLOTS 1

struct ring {
    int slots[RING_SLOTS];
    atomic_uint taken; // written by the consumer
    atomic_uint put;   // written by the producer
};

void ring_put(struct ring *ring, int value);
int ring_take(struct ring *ring);

#endif
