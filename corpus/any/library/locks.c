// Locks and protocols for any number of threads, those of corpus/any in C. Each is robust against TSO, or has a
// variant beside it that is not, for want of a fence.

#include <stdatomic.h>

static atomic_int locked, hint;
static int data; // guarded by whatever is taken

// Test-and-test-and-set.
void ttas(void)
{
    do {
        while (atomic_load_explicit(&locked, memory_order_relaxed))
            ;
    } while (atomic_exchange_explicit(&locked, 1, memory_order_acquire));
    data = 1;
    data = 0;
    atomic_store_explicit(&locked, 0, memory_order_release);
}

// The same with a hint beside the lock: the look at the lock can overtake it.
void ttas_hint(void)
{
    do {
        atomic_store_explicit(&hint, 1, memory_order_relaxed);
        while (atomic_load_explicit(&locked, memory_order_relaxed))
            ;
    } while (atomic_exchange_explicit(&locked, 1, memory_order_acquire));
    data = atomic_load_explicit(&hint, memory_order_relaxed);
    atomic_store_explicit(&locked, 0, memory_order_release);
}

static atomic_uchar next, serving;

// A ticket lock.
void ticket(void)
{
    unsigned char mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);

    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        ;
    data = 1;
    atomic_store_explicit(&serving, mine + 1, memory_order_release);
}

// The same, and whoever releases it looks whether somebody waits: that load can overtake the release.
int ticket_look(void)
{
    unsigned char mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);

    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        ;
    data = 1;
    atomic_store_explicit(&serving, mine + 1, memory_order_release);
    return atomic_load_explicit(&next, memory_order_relaxed) != (unsigned char)(mine + 1);
}

static atomic_int ready, made, in_use;

// Double-checked locking.
int once(void)
{
    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
        while (atomic_exchange_explicit(&locked, 1, memory_order_acquire))
            ;
        if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
            atomic_store_explicit(&made, 1, memory_order_relaxed);
            atomic_store_explicit(&ready, 1, memory_order_release);
        }
        atomic_store_explicit(&locked, 0, memory_order_release);
    }
    return atomic_load_explicit(&made, memory_order_relaxed);
}

// What was made is taken away by `take_away`, unless somebody uses it: store buffering.
int use(void)
{
    atomic_store_explicit(&in_use, 1, memory_order_relaxed);
    return atomic_load_explicit(&ready, memory_order_acquire);
}

int take_away(void)
{
    atomic_store_explicit(&ready, 0, memory_order_relaxed);
    return atomic_load_explicit(&in_use, memory_order_acquire);
}

static atomic_int word, reading, writing;

// A reader-writer lock in one word: 1000 for a writer, otherwise the number of readers.
int read_locked(void)
{
    int found = 0;

    if (atomic_fetch_add_explicit(&word, 1, memory_order_acquire) < 1000)
        found = data;
    atomic_fetch_sub_explicit(&word, 1, memory_order_release);
    return found;
}

void write_locked(void)
{
    if (atomic_fetch_add_explicit(&word, 1000, memory_order_acquire) == 0)
        data = 1;
    atomic_fetch_sub_explicit(&word, 1000, memory_order_release);
}

// The same with flags, Dekker's way.
int read_flagged(void)
{
    int found = 0;

    atomic_store_explicit(&reading, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&writing, memory_order_acquire))
        found = data;
    atomic_store_explicit(&reading, 0, memory_order_release);
    return found;
}

void write_flagged(void)
{
    atomic_store_explicit(&writing, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&reading, memory_order_acquire))
        data = 1;
    atomic_store_explicit(&writing, 0, memory_order_release);
}
