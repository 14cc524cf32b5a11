// The lock-free queue of Michael and Scott: two enqueuers and two dequeuers. Nodes come from a static
// pool and are never reused. An enqueuer appends behind the last node and then swings the tail;
// whoever finds the tail lagging helps.
// Fine on x86, but neither free of triangular races nor persistent: an enqueuer's value can wait in
// the store buffer while it reads a tail that others are moving. Nobody can notice, for nobody looks
// at the value before the compare-and-swap that publishes the node.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node {
    _Atomic(struct node *) next;
    int value;
};

static struct node nodes[3]; // the first is the sentinel
static _Atomic(struct node *) head = &nodes[0];
static _Atomic(struct node *) tail = &nodes[0];
static int dequeued[2];

static bool swing(_Atomic(struct node *) *link, struct node *from, struct node *to)
{
    return atomic_compare_exchange_strong_explicit(link, &from, to, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

static void enqueue(struct node *node, int value)
{
    struct node *last, *after;

    node->value = value;
    for (;;) {
        last = atomic_load_explicit(&tail, memory_order_acquire);
        after = atomic_load_explicit(&last->next, memory_order_acquire);
        if (last != atomic_load_explicit(&tail, memory_order_relaxed))
            continue;
        if (after != NULL)
            swing(&tail, last, after);
        else if (swing(&last->next, NULL, node))
            break;
    }
    swing(&tail, last, node);
}

// Returns 0 if the queue is empty.
static int dequeue(void)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&head, memory_order_acquire);
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *after = atomic_load_explicit(&first->next, memory_order_acquire);
        int value;

        if (first != atomic_load_explicit(&head, memory_order_relaxed))
            continue;
        if (after == NULL)
            return 0;
        if (first == last) {
            swing(&tail, last, after);
            continue;
        }
        value = after->value;
        if (swing(&head, first, after))
            return value;
    }
}

static void *enqueuer(void *arg)
{
    int value = (int)(intptr_t)arg;

    enqueue(&nodes[value], value);
    return NULL;
}

static void *dequeuer(void *result)
{
    int *where = result;

    *where = dequeue();
    return NULL;
}

int main(void)
{
    pthread_t enqueuers[2], dequeuers[2];

    for (int i = 0; i < 2; i++) {
        pthread_create(&enqueuers[i], NULL, enqueuer, (void *)(intptr_t)(i + 1));
        pthread_create(&dequeuers[i], NULL, dequeuer, &dequeued[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(enqueuers[i], NULL);
        pthread_join(dequeuers[i], NULL);
    }
    assert(dequeued[0] == 0 || dequeued[0] != dequeued[1]);
    return 0;
}
