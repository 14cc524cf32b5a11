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

struct anchor {
    unsigned head;
    unsigned size;
    unsigned tag;
};

static _Atomic uint64_t anchor;
static atomic_int slots[SLOTS];

static uint64_t pack(struct anchor anchor)
{
    return (uint64_t)anchor.tag << 32 | anchor.size << 16 | anchor.head;
}

static struct anchor unpack(uint64_t word)
{
    struct anchor anchor = {word & 0xffff, word >> 16 & 0xffff, (unsigned)(word >> 32)};

    return anchor;
}

static void put(int task)
{
    struct anchor now = unpack(atomic_load_explicit(&anchor, memory_order_relaxed));

    atomic_store_explicit(&slots[(now.head + now.size) % SLOTS], task, memory_order_relaxed);
    now.size++;
    now.tag++;
    atomic_store_explicit(&anchor, pack(now), memory_order_release);
}

static int take(void)
{
    struct anchor now = unpack(atomic_load_explicit(&anchor, memory_order_relaxed));
    int task;

    if (now.size == 0)
        return EMPTY;
    now.size--;
    task = atomic_load_explicit(&slots[(now.head + now.size) % SLOTS], memory_order_relaxed);
    assert(task != EMPTY);
    atomic_store_explicit(&anchor, pack(now), memory_order_relaxed);
    return task;
}

// Returns EMPTY also if somebody else was faster.
static int steal(void)
{
    uint64_t seen = atomic_load_explicit(&anchor, memory_order_acquire);
    struct anchor now = unpack(seen);
    int task;

    if (now.size == 0)
        return EMPTY;
    task = atomic_load_explicit(&slots[now.head], memory_order_relaxed);
    now.head = (now.head + 1) % SLOTS;
    now.size--;
    if (!atomic_compare_exchange_strong(&anchor, &seen, pack(now)))
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
