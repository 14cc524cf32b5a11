// Harris' lock-free set as a sorted linked list. The lowest bit of a node's link says that the node
// is deleted; whoever passes unlinks it. The set starts as {1}; one thread inserts 2, one removes 1,
// one looks for 2. Nodes are static and never reused.
// Fine on x86: the only store is followed by a compare-and-swap.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node {
    int key;
    _Atomic uintptr_t link; // address of the next node, and in the lowest bit the mark
};

static struct node last = {3, 0};
static struct node two = {2, 0};
static struct node one = {1, (uintptr_t)&last};
static struct node first = {0, (uintptr_t)&one};

static bool is_marked(uintptr_t link)
{
    return link & 1;
}

static struct node *target(uintptr_t link)
{
    return (struct node *)(link & ~(uintptr_t)1);
}

static uintptr_t link_to(struct node *node)
{
    return (uintptr_t)node;
}

static uintptr_t load(struct node *node)
{
    return atomic_load_explicit(&node->link, memory_order_acquire);
}

static bool replace(struct node *node, uintptr_t from, uintptr_t to)
{
    return atomic_compare_exchange_strong_explicit(&node->link, &from, to, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

// One pass over the list up to the first node with at least this key. Unlinks deleted nodes on the
// way; returns NULL if somebody else was faster.
static struct node *pass(int key, struct node **before, uintptr_t *after)
{
    struct node *node = target(load(&first));

    *before = &first;
    for (;;) {
        *after = load(node);
        if (is_marked(*after)) {
            if (!replace(*before, link_to(node), *after - 1))
                return NULL;
        } else {
            if (node->key >= key)
                return node;
            *before = node;
        }
        node = target(*after);
    }
}

static struct node *find(int key, struct node **before, uintptr_t *after)
{
    struct node *node;

    do
        node = pass(key, before, after);
    while (node == NULL);
    return node;
}

static void *insert_two(void *unused)
{
    struct node *before, *node;
    uintptr_t after;

    (void)unused;
    do {
        node = find(2, &before, &after);
        atomic_store_explicit(&two.link, link_to(node), memory_order_relaxed);
    } while (!replace(before, link_to(node), link_to(&two)));
    return NULL;
}

static void *remove_one(void *unused)
{
    struct node *before, *node;
    uintptr_t after;

    (void)unused;
    do {
        node = find(1, &before, &after);
        if (node != &one)
            return NULL;
    } while (!replace(node, after, after | 1)); // logically
    replace(before, link_to(node), after);      // physically, if nobody else has
    return NULL;
}

static void *look_for_two(void *unused)
{
    struct node *node = target(load(&first));

    (void)unused;
    while (node->key < 2)
        node = target(load(node));
    assert(node == &two || node == &last);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    pthread_create(&threads[0], NULL, insert_two, NULL);
    pthread_create(&threads[1], NULL, remove_one, NULL);
    pthread_create(&threads[2], NULL, look_for_two, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(target(load(&two)) == &last);
    return 0;
}
