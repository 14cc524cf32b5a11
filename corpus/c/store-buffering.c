// What barrier.c would be without its barrier: the smallest program that shows that x86 buffers
// stores. Written with the weakest atomic accesses that C has.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y;
static int saw_x, saw_y;

static void *left(void *unused)
{
    (void)unused;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    saw_y = atomic_load_explicit(&y, memory_order_relaxed);
    return NULL;
}

static void *right(void *unused)
{
    (void)unused;
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    saw_x = atomic_load_explicit(&x, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(saw_x == 1 || saw_y == 1);
    return 0;
}
