/* A queue as Michael and Scott's: one enqueues at the tail, one dequeues at the head. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
	int value;
	_Atomic(struct node *) next;
};

static struct node dummy, first;
static _Atomic(struct node *) head = &dummy;
static _Atomic(struct node *) tail = &dummy;

static void enqueue(struct node *node, int value)
{
	struct node *last = atomic_load_explicit(&tail, memory_order_relaxed);
	struct node *none = 0;

	node->value = value;
	if (atomic_compare_exchange_strong_explicit(&last->next, &none, node, memory_order_relaxed,
						    memory_order_relaxed))
		atomic_compare_exchange_strong_explicit(&tail, &last, node, memory_order_relaxed,
							memory_order_relaxed);
}

static int dequeue(int *value)
{
	struct node *old = atomic_load_explicit(&head, memory_order_relaxed);
	struct node *next = atomic_load_explicit(&old->next, memory_order_relaxed);

	if (!next)
		return 0;
	if (!atomic_compare_exchange_strong_explicit(&head, &old, next, memory_order_relaxed,
						     memory_order_relaxed))
		return 0;
	*value = next->value;
	return 1;
}

static void *producer(void *unused)
{
	enqueue(&first, 7);
	return unused;
}

static void *consumer(void *unused)
{
	int value = 0;

	if (dequeue(&value))
		assert(value == 7);
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
