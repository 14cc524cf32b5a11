// A value handed over, and two threads that look whether the other one wants in, with more fences
// than x86 needs: only those between a store to `wants` and the load of the other one do anything
// there. The store to `ready` could be a release store.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static int data;
static atomic_bool ready;
static atomic_bool wants[2];
static bool saw[2]; // the other one's wish

static void *producer(void *unused)
{
    (void)unused;
    data = 1;
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&ready, true, memory_order_seq_cst);
    atomic_store_explicit(&wants[0], true, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    saw[0] = atomic_load_explicit(&wants[1], memory_order_relaxed);
    return NULL;
}

static void *consumer(void *unused)
{
    bool seen;

    (void)unused;
    atomic_store_explicit(&wants[1], true, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    seen = atomic_load_explicit(&wants[0], memory_order_relaxed);
    if (atomic_load_explicit(&ready, memory_order_acquire)) {
        int got = data;

        assert(got == 1);
    }
    saw[1] = seen;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(saw[0] || saw[1]);
    return 0;
}
