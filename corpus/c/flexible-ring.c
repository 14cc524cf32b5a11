// A ring buffer for one producer and one consumer (see spsc-ring.c) whose slots are a flexible array behind
// its header. How many there are is kept in the header, so the size of the allocation is computed and
// an index is bounded by a field only. Three values go through two slots.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#define VALUES 3

struct ring {
    size_t slots;
    atomic_size_t head; // how many were taken: written by the consumer
    atomic_size_t tail; // how many were put: written by the producer
    int values[];
};

static struct ring *make_ring(size_t slots)
{
    struct ring *ring = malloc(sizeof *ring + slots * sizeof ring->values[0]);

    assert(ring != NULL);
    ring->slots = slots;
    atomic_init(&ring->head, 0);
    atomic_init(&ring->tail, 0);
    return ring;
}

static void put(struct ring *ring, int value)
{
    size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

    while (tail - atomic_load_explicit(&ring->head, memory_order_acquire) == ring->slots)
        ;
    ring->values[tail % ring->slots] = value;
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
}

static int take(struct ring *ring)
{
    size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    int value;

    while (atomic_load_explicit(&ring->tail, memory_order_acquire) == head)
        ;
    value = ring->values[head % ring->slots];
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    return value;
}

static void *producer(void *ring)
{
    for (int value = 1; value <= VALUES; value++)
        put(ring, value);
    return NULL;
}

static void *consumer(void *ring)
{
    for (int value = 1; value <= VALUES; value++) {
        int taken = take(ring);

        assert(taken == value);
    }
    return NULL;
}

int main(void)
{
    struct ring *ring = make_ring(2);
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, producer, ring);
    pthread_create(&threads[1], NULL, consumer, ring);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    free(ring);
    return 0;
}
