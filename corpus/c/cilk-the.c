// The work-stealing queue of Cilk-5, called THE after its three variables: the owner pushes and pops
// tasks at the tail T, thieves steal at the head H under the lock L. Owner and thief each announce
// their claim by moving T or H and then look at the other end, as in Dekker's mutual exclusion, and
// take the lock only when they meet. A task is its number in the queue.
// Wrong on x86 without a fence after each announcement: a claim that still waits in the store buffer
// is not seen, and the last task is run twice.

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
