// The race in Java's LockSupport.park(), found by Dice: one thread waits for a condition by
// `while (!condition) park();`, another one makes it true and calls unpark. A permit may be left
// from earlier, and park with a permit returns at once after clearing it.
// Wrong on x86: the cleared permit waits in the store buffer while the condition is read as false,
// and then overwrites the permit just given. The parked thread sleeps for ever.

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <threads.h>

static struct {
    atomic_bool permit;
} parker = {true}; // left from earlier
static atomic_bool condition;

static void park(void)
{
    while (!atomic_load_explicit(&parker.permit, memory_order_acquire))
        sched_yield(); // sleeps
    atomic_store_explicit(&parker.permit, false, memory_order_relaxed);
}

static void unpark(void)
{
    atomic_thread_fence(memory_order_seq_cst); // as the mutex taken here would be
    atomic_store_explicit(&parker.permit, true, memory_order_release);
}

static int sleeper(void *unused)
{
    (void)unused;
    while (!atomic_load_explicit(&condition, memory_order_acquire))
        park();
    return 0;
}

static int waker(void *unused)
{
    (void)unused;
    atomic_store_explicit(&condition, true, memory_order_release);
    unpark();
    return 0;
}

int main(void)
{
    thrd_t threads[2];

    thrd_create(&threads[0], sleeper, NULL);
    thrd_create(&threads[1], waker, NULL);
    thrd_join(threads[0], NULL);
    thrd_join(threads[1], NULL);
    assert(condition);
    return 0;
}
