// Locks whose threads know themselves by an identity, those of corpus/any in C: `--thread 'recursive(self)*any'`.
// Nothing but equality matters of identities, so what holds of some copies holds of all.

#include <assert.h>
#include <stdatomic.h>

static atomic_int locked, owner;
static int depth; // guarded by the lock

// A lock that its holder can take again. Whoever finds its own identity has stored it.
static int lock(int self)
{
    if (atomic_load_explicit(&owner, memory_order_relaxed) == self)
        return 0;
    while (atomic_exchange_explicit(&locked, 1, memory_order_acquire))
        ;
    atomic_store_explicit(&owner, self, memory_order_relaxed);
    return 1;
}

static void unlock(void)
{
    atomic_store_explicit(&owner, 0, memory_order_relaxed);
    atomic_exchange_explicit(&locked, 0, memory_order_release);
}

void recursive(int self)
{
    if (lock(self)) {
        depth = 1;
        assert(!lock(self));
        assert(atomic_load_explicit(&owner, memory_order_relaxed) == self);
        depth = 0;
        unlock();
    }
}

// Whoever finds the lock taken gives it back all the same: two threads are enough for the assertion to fail.
void careless(int self)
{
    int expected = 0;

    if (atomic_compare_exchange_strong(&owner, &expected, self))
        assert(atomic_load_explicit(&owner, memory_order_relaxed) == self);
    atomic_store_explicit(&owner, 0, memory_order_release);
}

static atomic_int bias, busy, revoked, taken;

// A lock that is biased towards the first that takes it; both ways store a flag and load the other's (Dekker).
void biased(int self)
{
    int expected = 0;

    atomic_compare_exchange_strong(&bias, &expected, self);
    if (atomic_load_explicit(&bias, memory_order_relaxed) == self) {
        atomic_store_explicit(&busy, 1, memory_order_relaxed);
        if (!atomic_load_explicit(&revoked, memory_order_acquire))
            depth = 1;
        atomic_store_explicit(&busy, 0, memory_order_release);
    } else if (!atomic_exchange_explicit(&taken, 1, memory_order_acquire)) {
        atomic_store_explicit(&revoked, 1, memory_order_relaxed);
        if (!atomic_load_explicit(&busy, memory_order_acquire))
            depth = 2;
        atomic_store_explicit(&revoked, 0, memory_order_release);
        atomic_exchange_explicit(&taken, 0, memory_order_release);
    }
}

static atomic_int claims[4];

// An identity is no number: who is at which index cannot be said of any number of threads.
void claim(int self)
{
    atomic_store_explicit(&claims[self & 3], 1, memory_order_relaxed);
}

static atomic_uchar small;

// Nor does it fit into a byte.
void narrow(int self)
{
    atomic_store_explicit(&small, self, memory_order_relaxed);
}
