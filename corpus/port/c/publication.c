/* Publication as under RCU: readers follow a pointer to data that never changes again. */
#include <assert.h>
#include <pthread.h>

struct route {
	int weight;
};

static struct route old = { 1 }, fresh;
static struct route *volatile current = &old;

static void *updater(void *unused)
{
	fresh.weight = 2;
	current = &fresh;
	return unused;
}

static void *reader(void *unused)
{
	struct route *found = current;

	assert(found->weight != 0);
	return unused;
}

int main(void)
{
	pthread_t one, other;

	pthread_create(&one, 0, updater, 0);
	pthread_create(&other, 0, reader, 0);
	pthread_join(one, 0);
	pthread_join(other, 0);
	return 0;
}
