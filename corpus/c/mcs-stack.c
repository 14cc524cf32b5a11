// The queue lock of Mellor-Crummey and Scott (see mcs.c), with nodes that live on the stacks of the
// threads for as long as these hold the lock or wait for it.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
    atomic_bool locked;
};

static _Atomic(struct node *) tail;
static atomic_int inside; // how many threads are in the critical section

static void acquire(struct node *mine)
{
    struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);

    if (before == NULL)
        return;
    atomic_store_explicit(&mine->locked, true, memory_order_relaxed);
    atomic_store_explicit(&before->next, mine, memory_order_release);
    while (atomic_load_explicit(&mine->locked, memory_order_acquire))
        ;
}

static void release(struct node *mine)
{
    struct node *after = atomic_load_explicit(&mine->next, memory_order_acquire);

    if (after == NULL) {
        struct node *last = mine;

        if (atomic_compare_exchange_strong_explicit(&tail, &last, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        // Somebody has appended itself, and will be linked soon.
        do
            after = atomic_load_explicit(&mine->next, memory_order_acquire);
        while (after == NULL);
    }
    atomic_store_explicit(&after->locked, false, memory_order_release);
    atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
}

static void *enter(void *unused)
{
    struct node node = {NULL, false};
    int others;

    (void)unused;
    acquire(&node);
    others = atomic_fetch_add(&inside, 1);
    assert(others == 0);
    atomic_fetch_sub(&inside, 1);
    release(&node);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enter, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(tail == NULL);
    return 0;
}
