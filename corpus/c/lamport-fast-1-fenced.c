// Lamport's fast mutual exclusion, algorithm 1, for two threads, with a fence after the store to x and
// one after the store to y. (About the wait that may last for ever see lamport-fast-1.c.)

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

// Who has come last. Not static: whoever reads it has just written it, and then clang at -O2 would
// give each thread a copy of its own.
int x;

static int y;       // who has the lock or may get it; 0: nobody
static int counter; // guarded by the two

static void lock(int me)
{
    for (;;) {
        __atomic_store_n(&x, me, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (__atomic_load_n(&y, __ATOMIC_ACQUIRE) != 0)
            continue;
        __atomic_store_n(&y, me, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (__atomic_load_n(&x, __ATOMIC_ACQUIRE) == me)
            return;
        while (__atomic_load_n(&y, __ATOMIC_RELAXED) == me)
            ;
    }
}

static void unlock(void)
{
    __atomic_store_n(&y, 0, __ATOMIC_RELEASE);
}

static void *count(void *arg)
{
    lock((int)(intptr_t)arg);
    counter = counter + 1;
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, (void *)(intptr_t)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
