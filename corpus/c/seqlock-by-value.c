// A sequence lock (see seqlock.c) whose pairs are structures that are passed and returned by value.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct pair {
    int low, high;
};

static atomic_uint sequence;
static atomic_int low, high;

static void write_pair(struct pair pair)
{
    unsigned before = atomic_load_explicit(&sequence, memory_order_relaxed);

    atomic_store_explicit(&sequence, before + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&low, pair.low, memory_order_relaxed);
    atomic_store_explicit(&high, pair.high, memory_order_relaxed);
    atomic_store_explicit(&sequence, before + 2, memory_order_release);
}

static struct pair read_pair(void)
{
    for (;;) {
        struct pair pair;
        unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);

        if (before % 2 == 1)
            continue;
        pair.low = atomic_load_explicit(&low, memory_order_relaxed);
        pair.high = atomic_load_explicit(&high, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&sequence, memory_order_relaxed) == before)
            return pair;
    }
}

static void *writer(void *unused)
{
    (void)unused;
    for (int k = 1; k <= 2; k++)
        write_pair((struct pair){k, k});
    return NULL;
}

static void *reader(void *unused)
{
    struct pair pair = read_pair();

    (void)unused;
    assert(pair.low == pair.high);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(low == 2 && high == 2);
    return 0;
}
