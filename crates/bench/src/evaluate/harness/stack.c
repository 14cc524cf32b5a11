// A harness for CAV'14, Fig. 1: THREADS threads push and pop on Treiber's lock-free stack.
// Nodes are numbered from 1 and the head carries a count beside the number, so that a node that comes back is
// not taken for one that never left. Each thread begins with a node of its own and pushes before it pops,
// so the stack is never empty.

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

static atomic_ullong head;                 // count and number
static atomic_uint next[THREADS + 1];      // the node below
static atomic_uint value[THREADS + 1];     // what it carries
static unsigned long long sums[THREADS];   // what each thread took out

static void push(unsigned node)
{
    unsigned long long old = atomic_load_explicit(&head, memory_order_relaxed);
    unsigned long long new;

    do {
        atomic_store_explicit(&next[node], (unsigned)old, memory_order_relaxed);
        new = ((old >> 32) + 1) << 32 | node;
    } while (!atomic_compare_exchange_strong(&head, &old, new));
}

static unsigned pop(void)
{
    unsigned long long old = atomic_load_explicit(&head, memory_order_acquire);
    unsigned long long new;
    unsigned below;

    do {
        below = atomic_load_explicit(&next[(unsigned)old], memory_order_relaxed);
        new = ((old >> 32) + 1) << 32 | below;
    } while (!atomic_compare_exchange_strong(&head, &old, new));
    return (unsigned)old;
}

static void *work(void *number)
{
    unsigned me = (unsigned)(uintptr_t)number;
    unsigned node = me + 1;
    unsigned long long sum = 0;

    for (unsigned i = 0; i < OPERATIONS; i++) {
        atomic_store_explicit(&value[node], 1, memory_order_relaxed);
        push(node);
        node = pop();
        sum += atomic_load_explicit(&value[node], memory_order_relaxed);
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
