// An idempotent work-stealing double-ended queue, by Michael, Vechev and Saraswat; the array never
// grows. One word, the anchor, packs the head, the number of tasks and a tag that every put
// increments. The owner works at the tail with plain stores, thieves take the oldest task by a
// compare-and-swap of the anchor.
// Robust on x86 for the reason of iwsq-lifo.c.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define TASKS 2
#define SLOTS (TASKS + 1)
#define EMPTY 0

// From the highest bits: the tag (32), the number of tasks (16), the head (16).
static _Atomic uint64_t anchor;
static atomic_int slots[SLOTS];

static uint64_t pack(uint64_t head, uint64_t size, uint64_t tag)
{
    return tag << 32 | size << 16 | head;
}

static uint64_t head_of(uint64_t anchor)
{
    return anchor & 0xffff;
}

static uint64_t size_of(uint64_t anchor)
{
    return anchor >> 16 & 0xffff;
}

static uint64_t tag_of(uint64_t anchor)
{
    return anchor >> 32;
}

static void put(int task)
{
    uint64_t now = atomic_load_explicit(&anchor, memory_order_relaxed);
    uint64_t head = head_of(now), size = size_of(now), tag = tag_of(now);

    atomic_store_explicit(&slots[(head + size) % SLOTS], task, memory_order_relaxed);
    atomic_store_explicit(&anchor, pack(head, size + 1, tag + 1), memory_order_release);
}

static int take(void)
{
    uint64_t now = atomic_load_explicit(&anchor, memory_order_relaxed);
    uint64_t head = head_of(now), size = size_of(now);
    int task;

    if (size == 0)
        return EMPTY;
    task = atomic_load_explicit(&slots[(head + size - 1) % SLOTS], memory_order_relaxed);
    assert(task != EMPTY);
    atomic_store_explicit(&anchor, pack(head, size - 1, tag_of(now)), memory_order_relaxed);
    return task;
}

// Returns EMPTY also if somebody else was faster.
static int steal(void)
{
    uint64_t now = atomic_load_explicit(&anchor, memory_order_acquire);
    uint64_t head = head_of(now), size = size_of(now);
    int task;

    if (size == 0)
        return EMPTY;
    task = atomic_load_explicit(&slots[head], memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&anchor, &now,
                                        pack((head + 1) % SLOTS, size - 1, tag_of(now))))
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
