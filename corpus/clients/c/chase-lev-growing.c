// The work-stealing deque of Chase and Lev with the fences of Lê, Pop, Cohen and Zappa Nardelli (PPoPP 2013), and
// an array that grows: a header with its length and a flexible array behind it, indexed modulo the length.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { EMPTY = -1, ABORT = -2 };

struct array {
    size_t length;
    atomic_int slots[];
};

static atomic_size_t top, bottom;
static _Atomic(struct array *) current;

static struct array *array_of(size_t length)
{
    struct array *made = malloc(sizeof *made + length * sizeof made->slots[0]);
    made->length = length;
    return made;
}

static void push(int task)
{
    size_t b = atomic_load_explicit(&bottom, memory_order_relaxed);
    size_t t = atomic_load_explicit(&top, memory_order_acquire);
    struct array *a = atomic_load_explicit(&current, memory_order_relaxed);
    if (b - t > a->length - 1) {
        struct array *larger = array_of(2 * a->length);
        for (size_t i = t; i < b; i++) {
            int moved = atomic_load_explicit(&a->slots[i % a->length], memory_order_relaxed);
            atomic_store_explicit(&larger->slots[i % larger->length], moved, memory_order_relaxed);
        }
        atomic_store_explicit(&current, larger, memory_order_release);
        a = larger;
    }
    atomic_store_explicit(&a->slots[b % a->length], task, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void)
{
    size_t b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    struct array *a = atomic_load_explicit(&current, memory_order_relaxed);
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    size_t t = atomic_load_explicit(&top, memory_order_relaxed);
    if ((long)(b - t) < 0) {
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        return EMPTY;
    }
    int task = atomic_load_explicit(&a->slots[b % a->length], memory_order_relaxed);
    if (t == b) {
        if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
            task = EMPTY;
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
    return task;
}

static int steal(void)
{
    size_t t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    size_t b = atomic_load_explicit(&bottom, memory_order_acquire);
    if ((long)(b - t) <= 0)
        return EMPTY;
    struct array *a = atomic_load_explicit(&current, memory_order_acquire);
    int task = atomic_load_explicit(&a->slots[t % a->length], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
        return ABORT;
    return task;
}

static int stolen = EMPTY;

static void *thief(void *unused)
{
    stolen = steal();
    return unused;
}

int main(void)
{
    pthread_t thread;
    atomic_store(&current, array_of(1));
    push(0);
    pthread_create(&thread, NULL, thief, NULL);
    push(1);
    int one = take(), other = take();
    pthread_join(thread, NULL);
    assert(one != other || one == EMPTY);
    assert(stolen < 0 || (stolen != one && stolen != other));
    return 0;
}
