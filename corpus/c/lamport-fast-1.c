// Lamport's fast mutual exclusion, algorithm 1, without fences, with the atomic builtins of GCC.
// Two stores and two loads if nobody else is interested. If somebody is, Lamport's thread waits so
// long that whoever has found y == 0 has written y, and enters if y is still its own. Here nothing
// takes a definite time, so the thread waits until y is not its own; it may wait for ever.
// Wrong on x86: a thread can find y == 0 while its x, and x == me while its y, is in the store
// buffer.

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
        if (__atomic_load_n(&y, __ATOMIC_ACQUIRE) != 0)
            continue;
        __atomic_store_n(&y, me, __ATOMIC_RELAXED);
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
