// A harness for CAV'14, Fig. 1: THREADS threads enqueue and dequeue on the queue of Michael and Scott.
// Nodes are numbered from 1, and every reference carries a count beside the number, so that a node that comes back
// is not taken for one that never left. Node 1 is the dummy at first; each thread begins with a node of its own
// and enqueues before it dequeues, so the queue is never empty for long.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef OPERATIONS
#define OPERATIONS 1
#endif

static atomic_ullong head = 1, tail = 1;   // count and number
static atomic_ullong next[THREADS + 2];    // count and number of the node behind
static atomic_uint value[THREADS + 2];     // what it carries
static unsigned long long sums[THREADS];   // what each thread took out

static unsigned long long reference(unsigned long long old, unsigned node)
{
    return ((old >> 32) + 1) << 32 | node;
}

static void enqueue(unsigned node)
{
    unsigned long long last, behind;

    behind = atomic_load_explicit(&next[node], memory_order_relaxed);
    atomic_store_explicit(&next[node], reference(behind, 0), memory_order_relaxed);
    for (;;) {
        last = atomic_load_explicit(&tail, memory_order_acquire);
        behind = atomic_load_explicit(&next[(unsigned)last], memory_order_acquire);
        if (last != atomic_load_explicit(&tail, memory_order_acquire))
            continue;
        if ((unsigned)behind != 0) {
            atomic_compare_exchange_strong(&tail, &last, reference(last, (unsigned)behind));
        } else if (atomic_compare_exchange_strong(&next[(unsigned)last], &behind,
                                                  reference(behind, node))) {
            atomic_compare_exchange_strong(&tail, &last, reference(last, node));
            return;
        }
    }
}

// The node that is free now; what the next one carried is in `taken`.
static unsigned dequeue(unsigned *taken)
{
    unsigned long long first, last, behind;

    for (;;) {
        first = atomic_load_explicit(&head, memory_order_acquire);
        last = atomic_load_explicit(&tail, memory_order_acquire);
        behind = atomic_load_explicit(&next[(unsigned)first], memory_order_acquire);
        if (first != atomic_load_explicit(&head, memory_order_acquire) || (unsigned)behind == 0)
            continue;
        if ((unsigned)first == (unsigned)last) {
            atomic_compare_exchange_strong(&tail, &last, reference(last, (unsigned)behind));
            continue;
        }
        *taken = atomic_load_explicit(&value[(unsigned)behind], memory_order_relaxed);
        if (atomic_compare_exchange_strong(&head, &first, reference(first, (unsigned)behind)))
            return (unsigned)first;
    }
}

static void *work(void *number)
{
    unsigned me = (unsigned)(uintptr_t)number;
    unsigned node = me + 2;
    unsigned taken = 0;
    unsigned long long sum = 0;

    for (unsigned i = 0; i < OPERATIONS; i++) {
        atomic_store_explicit(&value[node], 1, memory_order_relaxed);
        enqueue(node);
        node = dequeue(&taken);
        sum += taken;
    }
    sums[me] = sum;
    return NULL;
}

#ifdef MEASURED
#include <stdio.h>
#include <sys/resource.h>
#endif

int main(void)
{
    pthread_t threads[THREADS];
    unsigned long long sum = 0;

    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += sums[i];
    }
    assert(sum == (unsigned long long)THREADS * OPERATIONS);
#ifdef MEASURED
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%lld.%06ld\n", (long long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec);
#endif
    return 0;
}
