// The spinlock that Linux once had on x86 (see spinlock.c) with its instructions: a locked decrement
// whose sign says who has it, and a plain move to release it.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile signed char lock = 1;
static int counter; // guarded by the lock

static int decrement_is_negative(volatile signed char *where)
{
    unsigned char negative;

    __asm__ volatile("lock; decb %0\n\tsets %1" : "+m"(*where), "=q"(negative) : : "memory", "cc");
    return negative;
}

static void spin_lock(void)
{
    while (decrement_is_negative(&lock)) {
        while (lock <= 0)
            __asm__ volatile("rep; nop" ::: "memory");
    }
}

static void spin_unlock(void)
{
    __asm__ volatile("movb $1, %0" : "=m"(lock) : : "memory");
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
