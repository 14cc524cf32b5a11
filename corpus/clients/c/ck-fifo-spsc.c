// Concurrency Kit's queue, one producer and one consumer: the first value in is the first one out.
#include <assert.h>
#include <ck_fifo.h>
#include <pthread.h>

static ck_fifo_spsc_t fifo;
static ck_fifo_spsc_entry_t stub, entries[2];
static int values[2];

static void *produce(void *unused)
{
    for (int i = 0; i < 2; i++)
        ck_fifo_spsc_enqueue(&fifo, &entries[i], &values[i]);
    return unused;
}

int main(void)
{
    pthread_t producer;
    void *first;
    ck_fifo_spsc_init(&fifo, &stub);
    pthread_create(&producer, NULL, produce, NULL);
    if (ck_fifo_spsc_dequeue(&fifo, &first))
        assert(first == &values[0]);
    pthread_join(producer, NULL);
    return 0;
}
