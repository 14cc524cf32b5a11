// The queue lock of Mellor-Crummey and Scott. A thread appends its node to the queue by an exchange;
// if there was one before, it links itself behind that and waits, looking only at its own node.
// On x86 it can look at its node before the link is seen by the thread before it; that thread unlocks
// the node only when it has seen the link, so nothing is gained.

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
static struct node nodes[2]; // one for each thread
static atomic_int inside;    // how many threads are in the critical section

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

static void *enter(void *node)
{
    for (int round = 0; round < 2; round++) {
        int others;

        acquire(node);
        others = atomic_fetch_add(&inside, 1);
        assert(others == 0);
        atomic_fetch_sub(&inside, 1);
        release(node);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enter, &nodes[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(tail == NULL);
    return 0;
}
