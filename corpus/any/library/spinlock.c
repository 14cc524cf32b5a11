// A lock for any number of threads: `use_lock` needs no fence. In `use_and_wake` whoever releases the lock
// looks whether somebody sleeps; that load can overtake the releasing store.

#include <stdatomic.h>

static atomic_int locked, sleeping;
static int data; // guarded by the lock

void use_lock(void)
{
    while (atomic_exchange_explicit(&locked, 1, memory_order_acquire))
        ;
    data = 1;
    data = 0;
    atomic_store_explicit(&locked, 0, memory_order_release);
}

void use_and_wake(void)
{
    while (atomic_exchange_explicit(&locked, 1, memory_order_acquire))
        atomic_store_explicit(&sleeping, 1, memory_order_relaxed);
    data = 1;
    data = 0;
    atomic_store_explicit(&locked, 0, memory_order_release);
    if (atomic_load_explicit(&sleeping, memory_order_relaxed))
        atomic_store_explicit(&sleeping, 0, memory_order_relaxed);
}

int private_sum(void)
{
    int own[2] = {1, 2};
    volatile int *first = own;

    return first[data & 1];
}
