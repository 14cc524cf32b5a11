/* Double-checked initialisation: the pointer is looked at without the lock first. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct settings {
	int size;
};

static struct settings only;
static struct settings *volatile instance;
static atomic_int lock;

static struct settings *get(void)
{
	struct settings *found = instance;
	int open = 0;

	if (!found) {
		while (!atomic_compare_exchange_weak_explicit(&lock, &open, 1, memory_order_acquire,
							      memory_order_relaxed))
			open = 0;
		found = instance;
		if (!found) {
			only.size = 8;
			found = &only;
			instance = found;
		}
		atomic_store_explicit(&lock, 0, memory_order_release);
	}
	return found;
}

static void *worker(void *unused)
{
	assert(get()->size == 8);
	return unused;
}

int main(void)
{
	pthread_t one, other;

	pthread_create(&one, 0, worker, 0);
	pthread_create(&other, 0, worker, 0);
	pthread_join(one, 0);
	pthread_join(other, 0);
	return 0;
}
