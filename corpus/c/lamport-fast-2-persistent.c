// Lamport's fast mutual exclusion, algorithm 2, for two threads (see lamport-fast-2.c), with a fence
// wherever a load follows a store. Persistent, and free of triangular races.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THREADS 2
#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release

// Who has come last. Not static: whoever reads it has just written it, and then clang at -O2 would
// give each thread a copy of its own.
atomic_int x;

static atomic_int y;                  // who has the lock or may get it; 0: nobody
static atomic_bool busy[THREADS + 1]; // threads are numbered from 1
static int counter;                   // guarded by all of them

static void wait_until_free(void)
{
    while (atomic_load_explicit(&y, ACQUIRE) != 0)
        ;
}

// Returns true with the lock, or false if somebody else has had it.
static bool try_lock(int me)
{
    atomic_store_explicit(&busy[me], true, RELAXED);
    atomic_store_explicit(&x, me, RELAXED);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&y, ACQUIRE) != 0) {
        atomic_store_explicit(&busy[me], false, RELAXED);
        atomic_thread_fence(memory_order_seq_cst);
        wait_until_free();
        return false;
    }
    atomic_store_explicit(&y, me, RELAXED);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&x, ACQUIRE) == me)
        return true;
    atomic_store_explicit(&busy[me], false, RELAXED);
    atomic_thread_fence(memory_order_seq_cst);
    for (int other = 1; other <= THREADS; other++) {
        while (atomic_load_explicit(&busy[other], ACQUIRE))
            ;
    }
    if (atomic_load_explicit(&y, ACQUIRE) == me)
        return true;
    wait_until_free();
    return false;
}

static void lock(int me)
{
    while (!try_lock(me))
        ;
}

static void unlock(int me)
{
    atomic_store_explicit(&y, 0, RELEASE);
    atomic_store_explicit(&busy[me], false, RELEASE);
}

static void *count(void *arg)
{
    int me = (int)(intptr_t)arg;

    lock(me);
    counter = counter + 1;
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, (void *)(intptr_t)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS);
    return 0;
}
