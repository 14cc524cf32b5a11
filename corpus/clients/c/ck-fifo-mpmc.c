// Concurrency Kit's queue of Michael and Scott, with counters (cmpxchg16b): two values in, two out.
#include <assert.h>
#include <ck_fifo.h>
#include <pthread.h>

static ck_fifo_mpmc_t fifo;
static ck_fifo_mpmc_entry_t stub, entries[2];
static int values[2];

static void *produce(void *unused)
{
    ck_fifo_mpmc_enqueue(&fifo, &entries[0], &values[0]);
    return unused;
}

int main(void)
{
    pthread_t producer;
    ck_fifo_mpmc_entry_t *garbage;
    void *one, *other;
    ck_fifo_mpmc_init(&fifo, &stub);
    pthread_create(&producer, NULL, produce, NULL);
    ck_fifo_mpmc_enqueue(&fifo, &entries[1], &values[1]);
    pthread_join(producer, NULL);
    assert(ck_fifo_mpmc_dequeue(&fifo, &one, &garbage) && ck_fifo_mpmc_dequeue(&fifo, &other, &garbage));
    assert(one != other);
    return 0;
}
