// The work-stealing deque of Chase and Lev, with an array that never grows: the owner pushes and
// takes at the bottom, thieves compare-and-swap the top.
// Wrong on x86 without a fence in `take` between lowering the bottom and reading the top: owner and
// thief can both get the same task.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define TASKS 2

static struct {
    atomic_int top;
    atomic_int bottom;
    atomic_int task[TASKS];
} deque;

static int taken, stolen; // sets of tasks: bit k is task k

static void push(int task)
{
    int bottom = atomic_load_explicit(&deque.bottom, memory_order_relaxed);

    atomic_store_explicit(&deque.task[bottom], task, memory_order_relaxed);
    atomic_store_explicit(&deque.bottom, bottom + 1, memory_order_release);
}

static bool advance_top(int top)
{
    return atomic_compare_exchange_strong_explicit(&deque.top, &top, top + 1, memory_order_seq_cst,
                                                   memory_order_relaxed);
}

// Returns 0 if there is no task.
static int take(void)
{
    int bottom = atomic_load_explicit(&deque.bottom, memory_order_relaxed) - 1;
    int top, task = 0;

    atomic_store_explicit(&deque.bottom, bottom, memory_order_relaxed);
    top = atomic_load_explicit(&deque.top, memory_order_relaxed);
    if (top < bottom)
        return atomic_load_explicit(&deque.task[bottom], memory_order_relaxed);
    // The last task: race for it with the thieves.
    if (top == bottom && advance_top(top))
        task = atomic_load_explicit(&deque.task[bottom], memory_order_relaxed);
    atomic_store_explicit(&deque.bottom, bottom + 1, memory_order_relaxed);
    return task;
}

// Returns 0 if there is no task, or if somebody else was faster.
static int steal(void)
{
    int top = atomic_load_explicit(&deque.top, memory_order_acquire);
    int bottom = atomic_load_explicit(&deque.bottom, memory_order_acquire);
    int task;

    if (top >= bottom)
        return 0;
    task = atomic_load_explicit(&deque.task[top], memory_order_relaxed);
    return advance_top(top) ? task : 0;
}

static void *owner(void *unused)
{
    int tasks = 0;

    (void)unused;
    for (int task = 1; task <= TASKS; task++)
        push(task);
    for (int i = 0; i < 2; i++)
        tasks |= 1 << take();
    taken = tasks;
    return NULL;
}

static void *thief(void *unused)
{
    int tasks = 0;

    (void)unused;
    for (int i = 0; i < 2; i++)
        tasks |= 1 << steal();
    stolen = tasks;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, thief, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert((taken & stolen & ~1) == 0);
    return 0;
}
