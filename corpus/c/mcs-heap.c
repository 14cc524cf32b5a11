// The queue lock of Mellor-Crummey and Scott (see mcs.c) around a counter, with nodes that each thread
// allocates and frees. Robust; but the counter is a plain store that the load of `next` overtakes
// while another thread links itself there, which is a triangular race.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
    atomic_bool locked;
};

static _Atomic(struct node *) tail;
static int counter; // guarded by the lock

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

static void *count(void *unused)
{
    struct node *node = malloc(sizeof *node);

    (void)unused;
    assert(node != NULL);
    atomic_init(&node->next, NULL);
    atomic_init(&node->locked, false);
    acquire(node);
    counter++;
    release(node);
    free(node);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
