// Peterson's mutual exclusion for two threads (see peterson.c) in the C of old: `volatile` keeps the
// compiler from reordering, but not the processor. Each thread has a text of its own here.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int flag[2]; // who wants to enter
static volatile int turn;    // who goes first if both do
static volatile int counter; // guarded by the two

static void *first(void *unused)
{
    (void)unused;
    flag[0] = 1;
    turn = 1;
    while (flag[1] && turn == 1)
        ;
    counter++;
    flag[0] = 0;
    return NULL;
}

static void *second(void *unused)
{
    (void)unused;
    flag[1] = 1;
    turn = 0;
    while (flag[0] && turn == 0)
        ;
    counter++;
    flag[1] = 0;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(counter == 2);
    return 0;
}
