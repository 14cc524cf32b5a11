/* A sequence lock with one writer: readers look again if the number has changed. */
#include <assert.h>
#include <pthread.h>

static volatile unsigned sequence;
static volatile int left, right;

static void *writer(void *unused)
{
	unsigned before = sequence;

	sequence = before + 1;
	left = 1;
	right = 1;
	sequence = before + 2;
	return unused;
}

static void *reader(void *unused)
{
	unsigned before = sequence;
	int one = left;
	int other = right;

	if (before % 2 == 0 && sequence == before)
		assert(one == other);
	return unused;
}

int main(void)
{
	pthread_t one, other;

	pthread_create(&one, 0, writer, 0);
	pthread_create(&other, 0, reader, 0);
	pthread_join(one, 0);
	pthread_join(other, 0);
	return 0;
}
