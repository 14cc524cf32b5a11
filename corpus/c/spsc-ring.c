// A ring buffer for one producer and one consumer, after Lamport: each end is written by one thread
// only, and whoever finds the ring full or empty waits. Three values go through two slots.
// Correct on x86 without a fence, but not robust: the producer can find the ring full while its last
// value waits in its store buffer, and the consumer find it empty while its last removal does.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define SLOTS 2
#define VALUES 3

static struct {
    int slots[SLOTS];
    atomic_uint head; // how many were taken: written by the consumer
    atomic_uint tail; // how many were put: written by the producer
} ring;

static void put(int value)
{
    unsigned tail = atomic_load_explicit(&ring.tail, memory_order_relaxed);

    while (tail - atomic_load_explicit(&ring.head, memory_order_acquire) == SLOTS)
        ;
    ring.slots[tail % SLOTS] = value;
    atomic_store_explicit(&ring.tail, tail + 1, memory_order_release);
}

static int take(void)
{
    unsigned head = atomic_load_explicit(&ring.head, memory_order_relaxed);
    int value;

    while (atomic_load_explicit(&ring.tail, memory_order_acquire) == head)
        ;
    value = ring.slots[head % SLOTS];
    atomic_store_explicit(&ring.head, head + 1, memory_order_release);
    return value;
}

static void *producer(void *unused)
{
    (void)unused;
    for (int value = 1; value <= VALUES; value++)
        put(value);
    return NULL;
}

static void *consumer(void *unused)
{
    (void)unused;
    for (int value = 1; value <= VALUES; value++) {
        int taken = take();

        assert(taken == value);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
