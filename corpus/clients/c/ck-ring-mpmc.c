// Concurrency Kit's ring, several producers: two values are put in, and both come out.
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int values[2];

static void *produce(void *value)
{
    assert(ck_ring_enqueue_mpmc(&ring, buffer, value));
    return NULL;
}

int main(void)
{
    pthread_t producer;
    void *one, *other;
    ck_ring_init(&ring, 4);
    pthread_create(&producer, NULL, produce, &values[0]);
    produce(&values[1]);
    pthread_join(producer, NULL);
    assert(ck_ring_dequeue_mpmc(&ring, buffer, &one) && ck_ring_dequeue_mpmc(&ring, buffer, &other));
    assert(one != other);
    return 0;
}
