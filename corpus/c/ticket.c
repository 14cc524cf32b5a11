// The ticket lock: take a ticket, wait until it is served, serve the next. Tickets are bytes, as they
// were in Linux, and wrap around. Taking a ticket is atomic and empties the store buffer, so no
// fence is needed.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct ticket_lock {
    atomic_uchar next;
    atomic_uchar serving;
};

static struct ticket_lock lock = {255, 255}; // about to wrap around
static int counter;                          // guarded by the lock

static void acquire(struct ticket_lock *lock)
{
    unsigned char ticket = atomic_fetch_add_explicit(&lock->next, 1, memory_order_relaxed);

    while (atomic_load_explicit(&lock->serving, memory_order_acquire) != ticket)
        ;
}

static void release(struct ticket_lock *lock)
{
    unsigned char served = atomic_load_explicit(&lock->serving, memory_order_relaxed);

    atomic_store_explicit(&lock->serving, served + 1, memory_order_release);
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
