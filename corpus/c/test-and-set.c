// The test-and-set lock: exchange until the old value says that the lock was free.
// Nothing but atomic operations and the releasing store, so nothing can overtake that store.

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>

static atomic_flag locked = ATOMIC_FLAG_INIT;
static int counter; // guarded by the lock

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&locked, memory_order_release);
}

static int count(void *unused)
{
    (void)unused;
    for (int round = 0; round < 2; round++) {
        lock();
        counter++;
        unlock();
    }
    return 0;
}

int main(void)
{
    thrd_t first, second;

    thrd_create(&first, count, NULL);
    thrd_create(&second, count, NULL);
    thrd_join(first, NULL);
    thrd_join(second, NULL);
    assert(counter == 4);
    return 0;
}
