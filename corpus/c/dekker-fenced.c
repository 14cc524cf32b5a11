// Dekker's mutual exclusion for two threads (see dekker.c), with two fences. The first alone restores
// mutual exclusion. The second makes the program robust: without it a thread can see, on x86 only,
// whose turn it is before the other one sees that it has given way.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static struct {
    atomic_bool wants[2];
    atomic_int turn;
} mutex;
static int inside; // how many threads are in the critical section

// Returns true with the lock, or false after having given way.
static bool try_lock(int me)
{
    int other = 1 - me;

    atomic_store_explicit(&mutex.wants[me], true, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    while (atomic_load_explicit(&mutex.wants[other], memory_order_acquire)) {
        if (atomic_load_explicit(&mutex.turn, memory_order_relaxed) != me) {
            atomic_store_explicit(&mutex.wants[me], false, memory_order_relaxed);
            atomic_thread_fence(memory_order_seq_cst);
            while (atomic_load_explicit(&mutex.turn, memory_order_relaxed) != me)
                ;
            return false;
        }
    }
    return true;
}

static void lock(int me)
{
    while (!try_lock(me))
        ;
}

static void unlock(int me)
{
    atomic_store_explicit(&mutex.turn, 1 - me, memory_order_relaxed);
    atomic_store_explicit(&mutex.wants[me], false, memory_order_release);
}

static void *enter(void *arg)
{
    int me = (int)(intptr_t)arg;

    for (int round = 0; round < 2; round++) {
        lock(me);
        inside = inside + 1;
        assert(inside == 1);
        inside = inside - 1;
        unlock(me);
    }
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, enter, (void *)(intptr_t)0);
    pthread_create(&second, NULL, enter, (void *)(intptr_t)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(inside == 0);
    return 0;
}
