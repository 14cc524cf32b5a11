// Cilk's work-stealing queue THE (see cilk-the.c), with a fence after the owner's and after the thief's
// announcement. Under the lock the owner announces once more, but then no thief can meet it.

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define TASKS 2

static volatile int H;
static volatile int T;
static int L;
static int popped, stolen; // sets of tasks: bit k is task k

static void lock(void)
{
    while (!__sync_bool_compare_and_swap(&L, 0, 1))
        ;
}

static void unlock(void)
{
    __atomic_store_n(&L, 0, __ATOMIC_RELEASE);
}

static void push(void)
{
    T = T + 1;
}

// Returns -1 if the queue is empty.
static int pop(void)
{
    int tail = T - 1;

    T = tail;
    __sync_synchronize();
    if (H > tail) {
        // Met a thief: undo, and decide under the lock.
        T = tail + 1;
        lock();
        T = tail;
        if (H > tail) {
            T = tail + 1;
            unlock();
            return -1;
        }
        unlock();
    }
    return tail;
}

// Returns -1 if the queue is empty.
static int steal(void)
{
    int head;

    lock();
    head = H;
    H = head + 1;
    __sync_synchronize();
    if (head + 1 > T) {
        H = head;
        unlock();
        return -1;
    }
    unlock();
    return head;
}

static void *owner(void *unused)
{
    int tasks = 0;

    (void)unused;
    for (int i = 0; i < TASKS; i++)
        push();
    for (int i = 0; i < 2; i++) {
        int task = pop();

        if (task >= 0)
            tasks |= 1 << task;
    }
    popped = tasks;
    return NULL;
}

static void *thief(void *unused)
{
    int task = steal();

    (void)unused;
    if (task >= 0)
        stolen = 1 << task;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, thief, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert((popped & stolen) == 0);
    return 0;
}
