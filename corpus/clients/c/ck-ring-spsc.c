// Concurrency Kit's ring, one producer and one consumer: values arrive in order.
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int values[2];

static void *produce(void *unused)
{
    for (int i = 0; i < 2; i++)
        assert(ck_ring_enqueue_spsc(&ring, buffer, &values[i]));
    return unused;
}

int main(void)
{
    pthread_t producer;
    void *first;
    ck_ring_init(&ring, 4);
    pthread_create(&producer, NULL, produce, NULL);
    if (ck_ring_dequeue_spsc(&ring, buffer, &first))
        assert(first == &values[0]);
    pthread_join(producer, NULL);
    return 0;
}
