// Treiber's lock-free stack: two pushers and two poppers. Nodes come from a static pool and are
// pushed once, so no address comes back. A pusher links its node in front of the head it saw and
// swings the head; a popper swings it back.
// Fine on x86: the only store before a read of the head is followed by a compare-and-swap, which
// waits for the store buffer.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct node {
    struct node *next;
};

static _Atomic(struct node *) head;
static struct node nodes[2];
static struct node *popped[2]; // by either popper

static void push(struct node *node)
{
    struct node *old;

    do {
        old = atomic_load_explicit(&head, memory_order_relaxed);
        node->next = old;
    } while (!atomic_compare_exchange_strong_explicit(&head, &old, node, memory_order_release,
                                                      memory_order_relaxed));
}

static struct node *pop(void)
{
    struct node *node, *rest;

    do {
        node = atomic_load_explicit(&head, memory_order_acquire);
        if (node == NULL)
            return NULL;
        rest = node->next;
    } while (!atomic_compare_exchange_strong_explicit(&head, &node, rest, memory_order_relaxed,
                                                      memory_order_relaxed));
    return node;
}

static void *pusher(void *node)
{
    push(node);
    return NULL;
}

static void *popper(void *result)
{
    struct node **where = result;

    *where = pop();
    return NULL;
}

int main(void)
{
    pthread_t pushers[2], poppers[2];

    for (int i = 0; i < 2; i++) {
        pthread_create(&pushers[i], NULL, pusher, &nodes[i]);
        pthread_create(&poppers[i], NULL, popper, &popped[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(pushers[i], NULL);
        pthread_join(poppers[i], NULL);
    }
    assert(popped[0] == NULL || popped[0] != popped[1]);
    return 0;
}
