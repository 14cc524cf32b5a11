// Three values through the ring of ring.c: a program of two files that share a header, and in which
// both have a function of the same name.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "ring.h"

static struct ring ring;

// Also in ring.c, where it is something else.
static int next(int value)
{
    return 2 * value + 1;
}

static void *producer(void *unused)
{
    int value = 1;

    (void)unused;
    for (int i = 0; i < 3; i++) {
        ring_put(&ring, value);
        value = next(value);
    }
    return NULL;
}

static void *consumer(void *unused)
{
    int expected = 1;

    (void)unused;
    for (int i = 0; i < 3; i++) {
        int value = ring_take(&ring);

        assert(value == expected);
        expected = next(expected);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
