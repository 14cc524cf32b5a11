// Peterson's mutual exclusion for two threads (see peterson.c), with the one fence that x86 needs:
// whoever looks at the other flag has shown its own.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// Who goes first if both do. Not static: whoever reads it has just written it, and then clang at -O2
// would give each thread a copy of its own.
atomic_int turn;

static atomic_int flag[2]; // who wants to enter
static int counter;        // guarded by the two

static void lock(int me)
{
    int other = 1 - me;

    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
    atomic_store_explicit(&turn, other, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    while (atomic_load_explicit(&flag[other], memory_order_acquire) == 1 &&
           atomic_load_explicit(&turn, memory_order_acquire) == other)
        ;
}

static void unlock(int me)
{
    atomic_store_explicit(&flag[me], 0, memory_order_release);
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
    pthread_t first, second;

    pthread_create(&first, NULL, count, (void *)(intptr_t)0);
    pthread_create(&second, NULL, count, (void *)(intptr_t)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 2);
    return 0;
}
