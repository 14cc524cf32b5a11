// A buffer for one value between a producer and a consumer, by a mutex and a condition variable of
// POSIX threads. No accesses but those under the mutex, so nothing shows on x86.

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool full;
static int slot;

static void put(int value)
{
    pthread_mutex_lock(&mutex);
    while (full)
        pthread_cond_wait(&changed, &mutex);
    slot = value;
    full = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
}

static int take(void)
{
    int value;

    pthread_mutex_lock(&mutex);
    while (!full)
        pthread_cond_wait(&changed, &mutex);
    value = slot;
    full = false;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return value;
}

static void *producer(void *unused)
{
    (void)unused;
    put(1);
    put(2);
    return NULL;
}

static void *consumer(void *unused)
{
    int first = take();
    int second = take();

    (void)unused;
    assert(first == 1 && second == 2);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(!full);
    printf("all values were taken\n");
    return 0;
}
