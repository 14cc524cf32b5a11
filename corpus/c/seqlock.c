// A sequence lock: one writer makes the sequence number odd, changes two words and makes it even
// again; two readers repeat until they saw the same even number before and after.
// Fine on x86, which keeps stores in order and loads in order.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint sequence;
static atomic_int low, high;

static void write_pair(int new_low, int new_high)
{
    unsigned before = atomic_load_explicit(&sequence, memory_order_relaxed);

    atomic_store_explicit(&sequence, before + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&low, new_low, memory_order_relaxed);
    atomic_store_explicit(&high, new_high, memory_order_relaxed);
    atomic_store_explicit(&sequence, before + 2, memory_order_release);
}

static void read_pair(int *seen_low, int *seen_high)
{
    unsigned before, after;

    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        *seen_low = atomic_load_explicit(&low, memory_order_relaxed);
        *seen_high = atomic_load_explicit(&high, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before != after || before % 2 == 1);
}

static void *writer(void *unused)
{
    (void)unused;
    for (int k = 1; k <= 2; k++)
        write_pair(k, k);
    return NULL;
}

static void *reader(void *unused)
{
    int seen_low, seen_high;

    (void)unused;
    read_pair(&seen_low, &seen_high);
    assert(seen_low == seen_high);
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
