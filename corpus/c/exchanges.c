// Two workers hand a value back and forth. Both use atomic exchanges whose results nobody looks at,
// where plain stores would do: each thread only ever waits for the other's answer.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int value;          // belongs to whoever has the turn
static atomic_int turn;    // 0: the asker, 1: the answerer
static atomic_int answers; // how many were given

static void wait_for_turn(int me)
{
    while (atomic_load_explicit(&turn, memory_order_acquire) != me)
        ;
}

static void *asker(void *unused)
{
    (void)unused;
    value = 20;
    atomic_exchange(&turn, 1);
    wait_for_turn(0);
    assert(value == 21);
    return NULL;
}

static void *answerer(void *unused)
{
    (void)unused;
    wait_for_turn(1);
    value = value + 1;
    atomic_exchange_explicit(&answers, 1, memory_order_relaxed);
    atomic_exchange(&turn, 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, asker, NULL);
    pthread_create(&threads[1], NULL, answerer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(answers == 1);
    return 0;
}
