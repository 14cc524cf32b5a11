// The queue lock of Craig, Landin and Hagersten (see clh.c) for machines without an exchange: a
// thread reads the tail of the queue and replaces it by compare-and-swap. Correct on x86, but not
// robust: a thread that has released the lock and comes again can read the tail before the others
// see the lock released.

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct node {
    volatile bool locked;
};

static struct node nodes[3];
static struct node *volatile tail = &nodes[2]; // in the queue at first, unlocked
static volatile int counter;                   // guarded by the lock

// Returns the node before, with which the thread goes on after the release.
static struct node *acquire(struct node *mine)
{
    struct node *before;

    mine->locked = true;
    do
        before = tail;
    while (!__sync_bool_compare_and_swap(&tail, before, mine));
    while (before->locked)
        ;
    return before;
}

static void release(struct node *mine)
{
    mine->locked = false;
}

static void *count(void *arg)
{
    struct node *mine = arg;

    for (int round = 0; round < 2; round++) {
        struct node *before = acquire(mine);

        counter++;
        release(mine);
        mine = before;
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
