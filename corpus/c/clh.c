// The queue lock of Craig, Landin and Hagersten. A thread marks its node as locked, appends it to the
// queue by an exchange, and waits until the node before it is unlocked. When it has released the
// lock, it goes on with that node, which nobody else needs any more. The exchange empties the store
// buffer, so no fence is needed.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct node {
    atomic_bool locked;
};

struct place {
    struct node *mine;
    struct node *before;
};

static struct node nodes[3];
static _Atomic(struct node *) tail = &nodes[2]; // in the queue at first, unlocked
static int counter;                             // guarded by the lock

static void acquire(struct place *place)
{
    atomic_store_explicit(&place->mine->locked, true, memory_order_relaxed);
    place->before = atomic_exchange_explicit(&tail, place->mine, memory_order_acq_rel);
    while (atomic_load_explicit(&place->before->locked, memory_order_acquire))
        ;
}

static void release(struct place *place)
{
    atomic_store_explicit(&place->mine->locked, false, memory_order_release);
    place->mine = place->before;
}

static void *count(void *node)
{
    struct place place = {node, NULL};

    for (int round = 0; round < 2; round++) {
        acquire(&place);
        counter++;
        release(&place);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, &nodes[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 4);
    return 0;
}
