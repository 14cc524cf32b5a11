// What any number of threads read while one writes, and a stack, those of corpus/any in C. Each is robust against TSO, or
// has a variant beside it that is not, for want of a fence.

#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int left, right, halt;

// A sequence lock.
void seq_write(void)
{
    unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);

    atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
    atomic_store_explicit(&left, 1, memory_order_release);
    atomic_store_explicit(&right, 1, memory_order_release);
    atomic_store_explicit(&sequence, s + 2, memory_order_release);
}

int seq_read(void)
{
    unsigned before, after;
    int sum;

    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        sum = atomic_load_explicit(&left, memory_order_acquire);
        sum += atomic_load_explicit(&right, memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before != after || before & 1);
    return sum;
}

// The same with a writer that looks whether it is to stop, right after publishing: that load can overtake it.
int seq_write_until(void)
{
    seq_write();
    return atomic_load_explicit(&halt, memory_order_relaxed);
}

int seq_read_stop(void)
{
    atomic_exchange_explicit(&halt, 1, memory_order_relaxed);
    return seq_read();
}

static atomic_uchar ccf;
static atomic_int buffer, acknowledged;

// Non-blocking write.
void nbw_write(void)
{
    atomic_store_explicit(&ccf, 1, memory_order_relaxed);
    atomic_store_explicit(&buffer, 1, memory_order_release);
    atomic_store_explicit(&ccf, 2, memory_order_release);
}

int nbw_read(void)
{
    unsigned char begun = atomic_load_explicit(&ccf, memory_order_acquire);
    int found = atomic_load_explicit(&buffer, memory_order_acquire);

    return begun == atomic_load_explicit(&ccf, memory_order_relaxed) && !(begun & 1) ? found : -1;
}

// The same with acknowledgements, at which the writer looks after its last store.
int nbw_write_acknowledged(void)
{
    nbw_write();
    return atomic_load_explicit(&acknowledged, memory_order_relaxed);
}

int nbw_read_acknowledge(void)
{
    atomic_exchange_explicit(&acknowledged, 1, memory_order_relaxed);
    return nbw_read();
}

static atomic_uchar readers;
static atomic_int current, versions[2] = {1, 1};

// Readers in the manner of RCU: entering and leaving is counted.
int rcu_read(void)
{
    int found;

    atomic_fetch_add_explicit(&readers, 1, memory_order_acquire);
    found = atomic_load_explicit(&versions[atomic_load_explicit(&current, memory_order_acquire) & 1],
                                 memory_order_relaxed);
    atomic_fetch_sub_explicit(&readers, 1, memory_order_release);
    return found;
}

// The writer publishes, waits for readers, and takes the old version away.
void rcu_write(void)
{
    atomic_exchange_explicit(&current, 1, memory_order_release);
    while (atomic_load_explicit(&readers, memory_order_acquire))
        ;
    atomic_store_explicit(&versions[0], 0, memory_order_relaxed);
}

// The same, published by a plain store: the look at the readers can overtake it.
void rcu_write_plain(void)
{
    atomic_store_explicit(&current, 1, memory_order_release);
    while (atomic_load_explicit(&readers, memory_order_acquire))
        ;
    atomic_store_explicit(&versions[0], 0, memory_order_relaxed);
}

static int top = 1, below, unused, wanted; // one node, in the stack

static int taken(void)
{
    return __sync_bool_compare_and_swap(&unused, 1, 0);
}

// Treiber's stack: a node comes from a pool, and whoever finds none says so and looks again.
void push(void)
{
    int found, under;

    if (!taken()) {
        __sync_lock_test_and_set(&wanted, 1);
        if (!taken())
            return;
    }
    under = __atomic_load_n(&top, __ATOMIC_RELAXED);
    for (;;) {
        __atomic_store_n(&below, under, __ATOMIC_RELAXED);
        found = __sync_val_compare_and_swap(&top, under, 1);
        if (found == under)
            return;
        under = found;
    }
}

static int popped(void)
{
    return __sync_bool_compare_and_swap(&top, 1, __atomic_load_n(&below, __ATOMIC_RELAXED));
}

int pop(void)
{
    if (!popped())
        return 0;
    __sync_lock_test_and_set(&unused, 1);
    return __atomic_load_n(&wanted, __ATOMIC_RELAXED);
}

// The same, the node given back by a store: the look whether one is wanted can overtake it.
int pop_plain(void)
{
    if (!popped())
        return 0;
    __atomic_store_n(&unused, 1, __ATOMIC_RELEASE);
    return __atomic_load_n(&wanted, __ATOMIC_RELAXED);
}

static atomic_uint head, tail;

// A ring between one producer and one consumer, of which only the indices are shown; any number observe it.
unsigned produce(void)
{
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);

    atomic_store_explicit(&tail, t + 1, memory_order_release);
    return atomic_load_explicit(&head, memory_order_acquire);
}

unsigned consume(void)
{
    unsigned h = atomic_load_explicit(&head, memory_order_relaxed);

    atomic_store_explicit(&head, h + 1, memory_order_release);
    return atomic_load_explicit(&tail, memory_order_acquire);
}

unsigned observe(void)
{
    unsigned t = atomic_load_explicit(&tail, memory_order_acquire);

    return t - atomic_load_explicit(&head, memory_order_acquire);
}

// The same with fences.
unsigned produce_fenced(void)
{
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);

    atomic_store_explicit(&tail, t + 1, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&head, memory_order_acquire);
}

unsigned consume_fenced(void)
{
    unsigned h = atomic_load_explicit(&head, memory_order_relaxed);

    atomic_store_explicit(&head, h + 1, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&tail, memory_order_acquire);
}
