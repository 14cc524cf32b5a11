/* A work-stealing deque after Chase and Lev, with the one fence that x86 needs. */
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 4

static int tasks[SIZE];
static volatile long top, bottom;

static void push(int task)
{
	long at = bottom;

	tasks[at % SIZE] = task;
	bottom = at + 1;
}

static int pop(void)
{
	long at = bottom - 1;
	long first;
	int task;

	bottom = at;
	atomic_thread_fence(memory_order_seq_cst);
	first = top;
	if (first > at) {
		bottom = at + 1;
		return 0;
	}
	task = tasks[at % SIZE];
	if (first == at) {
		if (!__sync_bool_compare_and_swap(&top, first, first + 1))
			task = 0;
		bottom = at + 1;
	}
	return task;
}

static int steal(void)
{
	long first = top;
	long at = bottom;
	int task;

	if (first >= at)
		return 0;
	task = tasks[first % SIZE];
	if (!__sync_bool_compare_and_swap(&top, first, first + 1))
		return 0;
	return task;
}

static void *owner(void *unused)
{
	push(1);
	pop();
	return unused;
}

static void *thief(void *unused)
{
	steal();
	return unused;
}

int main(void)
{
	pthread_t one, other;

	pthread_create(&one, 0, owner, 0);
	pthread_create(&other, 0, thief, 0);
	pthread_join(one, 0);
	pthread_join(other, 0);
	return 0;
}
