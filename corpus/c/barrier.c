// Two threads work in steps with a barrier of POSIX threads between them: each makes one half, and
// then reads the other's. Without the barrier this would be store buffering.

#define _POSIX_C_SOURCE 200809L // barriers are not in C11

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static pthread_barrier_t barrier;
static int half[2];
static int sum[2];

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;

    half[me] = me + 1;
    pthread_barrier_wait(&barrier);
    sum[me] = half[0] + half[1];
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(sum[0] == 3 && sum[1] == 3);
    pthread_barrier_destroy(&barrier);
    return 0;
}
