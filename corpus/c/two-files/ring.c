// The ring buffer of ring.h. With one slot, producer and consumer take turns, so that the fences
// that more slots would need for robustness (see spsc-ring.c) are not needed.

#include "ring.h"

// Also in main.c, where it is something else.
static unsigned next(unsigned index)
{
    return index + 1;
}

void ring_put(struct ring *ring, int value)
{
    unsigned put = atomic_load_explicit(&ring->put, memory_order_relaxed);

    while (put - atomic_load_explicit(&ring->taken, memory_order_acquire) == RING_SLOTS)
        ;
    ring->slots[put % RING_SLOTS] = value;
    atomic_store_explicit(&ring->put, next(put), memory_order_release);
}

int ring_take(struct ring *ring)
{
    unsigned taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    int value;

    while (atomic_load_explicit(&ring->put, memory_order_acquire) == taken)
        ;
    value = ring->slots[taken % RING_SLOTS];
    atomic_store_explicit(&ring->taken, next(taken), memory_order_release);
    return value;
}
