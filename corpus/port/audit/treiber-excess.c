/* Treiber's stack with stronger orders than it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
	int value;
	struct node *next;
};

static struct node first;
static _Atomic(struct node *) top;

static void push(struct node *node, int value)
{
	struct node *old = atomic_load_explicit(&top, memory_order_acquire);

	node->value = value;
	node->next = old;
	while (!atomic_compare_exchange_weak_explicit(&top, &old, node, memory_order_acq_rel,
						      memory_order_acquire))
		node->next = old;
}

static void *pusher(void *unused)
{
	push(&first, 7);
	return unused;
}

static void *taker(void *unused)
{
	struct node *node = atomic_exchange_explicit(&top, 0, memory_order_seq_cst);

	if (node)
		assert(node->value == 7);
	return unused;
}

int main(void)
{
	pthread_t one, other;

	pthread_create(&one, 0, pusher, 0);
	pthread_create(&other, 0, taker, 0);
	pthread_join(one, 0);
	pthread_join(other, 0);
	return 0;
}
