// An idempotent work-stealing queue (every task is taken at least once, perhaps more often) in
// first-in first-out order, by Michael, Vechev and Saraswat; the array never grows. The owner puts
// at the tail and takes at the head with plain stores, thieves compare-and-swap the head.
// Not robust on x86: a put can wait in the buffer while the owner already reads the head.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define TASKS 2
#define EMPTY 0

static atomic_int head, tail;
static atomic_int tasks[TASKS];

static void put(int task)
{
    int first = atomic_load_explicit(&head, memory_order_relaxed);
    int end = atomic_load_explicit(&tail, memory_order_relaxed);

    assert(end - first < TASKS); // otherwise the array would have to grow
    atomic_store_explicit(&tasks[end], task, memory_order_relaxed);
    atomic_store_explicit(&tail, end + 1, memory_order_release);
}

static int take(void)
{
    int first = atomic_load_explicit(&head, memory_order_relaxed);
    int end = atomic_load_explicit(&tail, memory_order_relaxed);
    int task;

    if (first == end)
        return EMPTY;
    task = atomic_load_explicit(&tasks[first], memory_order_relaxed);
    assert(task != EMPTY);
    atomic_store_explicit(&head, first + 1, memory_order_relaxed);
    return task;
}

// Returns EMPTY also if somebody else was faster.
static int steal(void)
{
    int first = atomic_load_explicit(&head, memory_order_acquire);
    int end = atomic_load_explicit(&tail, memory_order_acquire);
    int task;

    if (first == end)
        return EMPTY;
    task = atomic_load_explicit(&tasks[first], memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&head, &first, first + 1))
        return EMPTY;
    assert(task != EMPTY);
    return task;
}

static void *owner(void *unused)
{
    (void)unused;
    for (int task = 1; task <= TASKS; task++)
        put(task);
    for (int i = 0; i < 2 && take() != EMPTY; i++)
        ;
    return NULL;
}

static void *thief(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++)
        steal();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, thief, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
