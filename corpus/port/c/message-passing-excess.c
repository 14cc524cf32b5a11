/* Message passing with more order than it needs: planted for the audit. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;
static atomic_int seen;

static void *producer(void *unused)
{
	data = 42;
	/* release is enough */
	atomic_store_explicit(&ready, 1, memory_order_seq_cst);
	/* can go: nothing follows */
	atomic_thread_fence(memory_order_seq_cst);
	return unused;
}

static void *consumer(void *unused)
{
	/* acquire is enough */
	if (atomic_load_explicit(&ready, memory_order_seq_cst)) {
		assert(data == 42);
		/* relaxed is enough: a counter */
		atomic_fetch_add_explicit(&seen, 1, memory_order_acq_rel);
	}
	return unused;
}

int main(void)
{
	pthread_t one, other;

	pthread_create(&one, 0, producer, 0);
	pthread_create(&other, 0, consumer, 0);
	pthread_join(one, 0);
	pthread_join(other, 0);
	return 0;
}
