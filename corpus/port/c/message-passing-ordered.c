/* Message passing with the orders that it needs everywhere. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *producer(void *unused)
{
	data = 42;
	atomic_store_explicit(&ready, 1, memory_order_release);
	return unused;
}

static void *consumer(void *unused)
{
	if (atomic_load_explicit(&ready, memory_order_acquire))
		assert(data == 42);
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
