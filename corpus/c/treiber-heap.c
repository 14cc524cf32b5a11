// Treiber's lock-free stack (see treiber.c) with nodes from the heap that carry a value. They are
// freed when all threads have ended, so no address comes back while somebody can still see it.
// Robust on x86, but no longer free of triangular races nor persistent: the value can wait in the
// store buffer while its thread reads a head that others are moving. Nobody looks at the value
// before the compare-and-swap that publishes the node.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) head;
static struct node *popped[2]; // by either popper

static void push(int value)
{
    struct node *node = malloc(sizeof *node);

    assert(node != NULL);
    node->value = value;
    node->next = atomic_load_explicit(&head, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&head, &node->next, node, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

static struct node *pop(void)
{
    struct node *node = atomic_load_explicit(&head, memory_order_acquire);

    while (node != NULL && !atomic_compare_exchange_weak_explicit(
                               &head, &node, node->next, memory_order_acquire, memory_order_acquire))
        ;
    return node;
}

static void *pusher(void *value)
{
    push((int)(intptr_t)value);
    return NULL;
}

static void *popper(void *result)
{
    struct node **where = result;
    struct node *node = pop();

    assert(node == NULL || node->value != 0);
    *where = node;
    return NULL;
}

int main(void)
{
    pthread_t pushers[2], poppers[2];

    for (int i = 0; i < 2; i++) {
        pthread_create(&pushers[i], NULL, pusher, (void *)(intptr_t)(i + 1));
        pthread_create(&poppers[i], NULL, popper, &popped[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(pushers[i], NULL);
        pthread_join(poppers[i], NULL);
    }
    assert(popped[0] == NULL || popped[0] != popped[1]);
    free(popped[0]);
    free(popped[1]);
    for (struct node *node = head; node != NULL;) {
        struct node *next = node->next;

        free(node);
        node = next;
    }
    return 0;
}
