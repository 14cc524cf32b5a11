// The test-and-test-and-set lock, by the `__sync` builtins of GCC: look until the lock seems free,
// then try to take it. On x86 whoever has just released the lock can look at it before the others
// see it released, but sees what it has written itself.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct lock {
    volatile int taken;
};

static struct lock lock;
static int counter; // guarded by the lock

static void acquire(struct lock *lock)
{
    do {
        while (lock->taken)
            ;
    } while (__sync_lock_test_and_set(&lock->taken, 1));
}

static void release(struct lock *lock)
{
    __sync_lock_release(&lock->taken);
}

static void *count(void *unused)
{
    (void)unused;
    for (int round = 0; round < 2; round++) {
        acquire(&lock);
        counter++;
        release(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, count, NULL);
    pthread_create(&second, NULL, count, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 4);
    return 0;
}
