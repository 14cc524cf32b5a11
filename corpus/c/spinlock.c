// A counter guarded by the spinlock that Linux once had on x86: 1 is free. A thread decrements the
// lock and has it if the result is not negative; otherwise it looks until the lock is positive, and
// tries again. Releasing it is a plain store. No fence is needed: a thread decrements, which empties
// its store buffer, before it looks.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int lock = 1;
static int counter; // guarded by the lock

static void spin_lock(void)
{
    while (atomic_fetch_sub_explicit(&lock, 1, memory_order_acquire) - 1 < 0) {
        while (atomic_load_explicit(&lock, memory_order_relaxed) <= 0)
            ;
    }
}

static void spin_unlock(void)
{
    atomic_store_explicit(&lock, 1, memory_order_release);
}

static void *count(void *unused)
{
    (void)unused;
    spin_lock();
    counter = counter + 1;
    spin_unlock();
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, count, NULL);
    pthread_create(&second, NULL, count, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 2);
    return 0;
}
