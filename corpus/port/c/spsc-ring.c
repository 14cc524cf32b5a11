/* A ring for one producer and one consumer, with volatile indices. */
#include <assert.h>
#include <pthread.h>

#define SIZE 2

static int slots[SIZE];
static volatile unsigned head, tail;

static int put(int value)
{
	unsigned at = tail;

	if (at - head == SIZE)
		return 0;
	slots[at % SIZE] = value;
	tail = at + 1;
	return 1;
}

static int take(int *value)
{
	unsigned at = head;

	if (at == tail)
		return 0;
	*value = slots[at % SIZE];
	head = at + 1;
	return 1;
}

static void *producer(void *unused)
{
	put(1);
	put(2);
	put(3);
	return unused;
}

static void *consumer(void *unused)
{
	int value = 0;

	if (take(&value))
		assert(value == 1);
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
