/* Message passing, as x86 lets one write it: plain data, a volatile flag. */
#include <assert.h>
#include <pthread.h>

static int data;
static volatile int ready;

static void *producer(void *unused)
{
	data = 42;
	ready = 1;
	return unused;
}

static void *consumer(void *unused)
{
	if (ready)
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
