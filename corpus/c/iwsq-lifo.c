// An idempotent work-stealing queue in last-in first-out order, by Michael, Vechev and Saraswat; the
// array never grows. One word, the anchor, packs the tail and a tag that every put increments. The
// owner stores it, thieves compare-and-swap it.
// Robust on x86: the owner reads only the anchor, which it has just written if anything, and tasks
// that it alone writes.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define TASKS 2
#define EMPTY 0

// In the upper half the tag, in the lower half the number of tasks.
static _Atomic uint32_t anchor;
static atomic_int tasks[TASKS];

static uint32_t pack(uint32_t tail, uint32_t tag)
{
    return tag << 16 | tail;
}

static void put(int task)
{
    uint32_t now = atomic_load_explicit(&anchor, memory_order_relaxed);
    uint32_t tail = now & 0xffff;

    atomic_store_explicit(&tasks[tail], task, memory_order_relaxed);
    atomic_store_explicit(&anchor, pack(tail + 1, (now >> 16) + 1), memory_order_release);
}

static int take(void)
{
    uint32_t now = atomic_load_explicit(&anchor, memory_order_relaxed);
    uint32_t tail = now & 0xffff;
    int task;

    if (tail == 0)
        return EMPTY;
    task = atomic_load_explicit(&tasks[tail - 1], memory_order_relaxed);
    assert(task != EMPTY);
    atomic_store_explicit(&anchor, pack(tail - 1, now >> 16), memory_order_relaxed);
    return task;
}

// Returns EMPTY also if somebody else was faster.
static int steal(void)
{
    uint32_t now = atomic_load_explicit(&anchor, memory_order_acquire);
    uint32_t tail = now & 0xffff;
    int task;

    if (tail == 0)
        return EMPTY;
    task = atomic_load_explicit(&tasks[tail - 1], memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&anchor, &now, pack(tail - 1, now >> 16)))
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
