// Peterson's mutual exclusion for two threads in the C of old (see peterson-volatile.c), with the
// fence that x86 needs as inline assembly.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int flag[2]; // who wants to enter
static volatile int turn;    // who goes first if both do
static volatile int counter; // guarded by the two

static inline void store_load_barrier(void)
{
    __asm__ volatile("mfence" ::: "memory");
}

static void *first(void *unused)
{
    (void)unused;
    flag[0] = 1;
    turn = 1;
    store_load_barrier();
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
    store_load_barrier();
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
