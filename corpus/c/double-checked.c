// Double-checked locking: whoever needs the data looks whether it is ready, and only if not takes the
// lock, looks again, and makes it. Famous for being wrong in languages and on machines that reorder
// stores or loads; x86 does neither.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_flag locked = ATOMIC_FLAG_INIT;
static atomic_bool ready;
static int data;

static int get(void)
{
    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
        while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
            ;
        if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
            data = 42;
            atomic_store_explicit(&ready, true, memory_order_release);
        }
        atomic_flag_clear_explicit(&locked, memory_order_release);
    }
    return data;
}

static void *reader(void *unused)
{
    int got = get();

    (void)unused;
    assert(got == 42);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
