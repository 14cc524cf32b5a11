// A lock that sleeps in Linux' futex, after Drepper: 0 is free, 1 is taken, 2 is taken and somebody may
// wait. Who finds it taken says so by a 2 and sleeps as long as it is 2; who gives back a lock that was 2
// wakes one up. Sleep may end for no reason, so the word is looked at again.

#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int lock_word;
static int counter;

static void lock(void)
{
    int found = 0;

    if (atomic_compare_exchange_strong_explicit(&lock_word, &found, 1, memory_order_acquire,
                                                memory_order_relaxed))
        return;
    if (found != 2)
        found = atomic_exchange_explicit(&lock_word, 2, memory_order_acquire);
    while (found != 0) {
        syscall(SYS_futex, &lock_word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        found = atomic_exchange_explicit(&lock_word, 2, memory_order_acquire);
    }
}

static void unlock(void)
{
    if (atomic_fetch_sub_explicit(&lock_word, 1, memory_order_release) != 1) {
        atomic_store_explicit(&lock_word, 0, memory_order_release);
        syscall(SYS_futex, &lock_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

static void *adder(void *unused)
{
    (void)unused;
    lock();
    counter++;
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, adder, NULL);
    pthread_create(&threads[1], NULL, adder, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(counter == 2);
    return 0;
}
