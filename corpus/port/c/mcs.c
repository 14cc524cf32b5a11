/* A queue lock after Mellor-Crummey and Scott, for two threads. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct waiter {
	_Atomic(struct waiter *) next;
	atomic_int locked;
};

static struct waiter waiters[2];
static _Atomic(struct waiter *) last;
static int counter;

static void acquire(struct waiter *own)
{
	struct waiter *before;

	atomic_store_explicit(&own->next, 0, memory_order_relaxed);
	atomic_store_explicit(&own->locked, 1, memory_order_relaxed);
	before = atomic_exchange_explicit(&last, own, memory_order_relaxed);
	if (before) {
		atomic_store_explicit(&before->next, own, memory_order_relaxed);
		while (atomic_load_explicit(&own->locked, memory_order_relaxed))
			;
	}
}

static void release(struct waiter *own)
{
	struct waiter *next = atomic_load_explicit(&own->next, memory_order_relaxed);
	struct waiter *expected = own;

	if (!next) {
		if (atomic_compare_exchange_strong_explicit(&last, &expected, 0,
							    memory_order_relaxed,
							    memory_order_relaxed))
			return;
		while (!(next = atomic_load_explicit(&own->next, memory_order_relaxed)))
			;
	}
	atomic_store_explicit(&next->locked, 0, memory_order_relaxed);
}

static void *one(void *unused)
{
	acquire(&waiters[0]);
	counter = counter + 1;
	release(&waiters[0]);
	return unused;
}

static void *other(void *unused)
{
	acquire(&waiters[1]);
	counter = counter + 1;
	release(&waiters[1]);
	return unused;
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, 0, one, 0);
	pthread_create(&second, 0, other, 0);
	pthread_join(first, 0);
	pthread_join(second, 0);
	assert(counter == 2);
	return 0;
}
