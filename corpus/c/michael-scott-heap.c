// The lock-free queue of Michael and Scott (see michael-scott.c) as an object on the heap, with nodes
// that are allocated by who enqueues and never freed while the threads run: one enqueuer, one
// dequeuer, two values.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
    int value;
};

struct queue {
    _Atomic(struct node *) head;
    _Atomic(struct node *) tail;
};

static struct node *new_node(int value)
{
    struct node *node = malloc(sizeof *node);

    assert(node != NULL);
    node->value = value;
    atomic_init(&node->next, NULL);
    return node;
}

static struct queue *new_queue(void)
{
    struct queue *queue = malloc(sizeof *queue);
    struct node *sentinel = new_node(0);

    assert(queue != NULL);
    atomic_init(&queue->head, sentinel);
    atomic_init(&queue->tail, sentinel);
    return queue;
}

static void enqueue(struct queue *queue, int value)
{
    struct node *node = new_node(value);
    struct node *last = atomic_load(&queue->tail);

    for (;;) {
        struct node *after = NULL;

        if (atomic_compare_exchange_strong(&last->next, &after, node))
            break;
        // The tail lags behind: help, and go on with what it is then.
        if (atomic_compare_exchange_strong(&queue->tail, &last, after))
            last = after;
    }
    atomic_compare_exchange_strong(&queue->tail, &last, node);
}

// Returns 0 if the queue is empty.
static int dequeue(struct queue *queue)
{
    struct node *first = atomic_load(&queue->head);

    for (;;) {
        struct node *last = atomic_load(&queue->tail);
        struct node *after = atomic_load(&first->next);
        int value;

        if (after == NULL)
            return 0;
        if (first == last)
            atomic_compare_exchange_strong(&queue->tail, &last, after);
        value = after->value;
        if (atomic_compare_exchange_strong(&queue->head, &first, after))
            return value;
    }
}

static void *enqueuer(void *queue)
{
    enqueue(queue, 1);
    enqueue(queue, 2);
    return NULL;
}

static void *dequeuer(void *queue)
{
    int first = dequeue(queue);
    int second = dequeue(queue);

    assert(first <= 1 && (second == 0 || second == first + 1));
    return NULL;
}

int main(void)
{
    struct queue *queue = new_queue();
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, enqueuer, queue);
    pthread_create(&threads[1], NULL, dequeuer, queue);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (struct node *node = queue->head; node != NULL;) {
        struct node *next = node->next;

        free(node);
        node = next;
    }
    free(queue);
    return 0;
}
