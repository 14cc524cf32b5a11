/* A bounded queue for one producer and one consumer, and a lock, as people write them. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 4
#define NEXT(i) (((i) + 1) % SIZE)
#define LOAD(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define FOR_EACH(i) for (unsigned i = 0; i < SIZE; i++)
#define CHECK(c) do { if (!(c)) abort(); } while (0)

typedef struct queue {
	unsigned head, tail;
	void *items[SIZE];
	volatile int closed;
} queue_t;

static queue_t shared;
static _Atomic int turn, waiting[2];
static _Thread_local int local_count = 0;

static inline bool is_full(const queue_t *q)
{
	return NEXT(LOAD(&q->tail)) == LOAD(&q->head);
}

static bool push(queue_t *q, void *item)
{
	unsigned tail = q->tail;

	if (is_full(q))
		return false;
	q->items[tail] = item;
	__atomic_store_n(&q->tail, NEXT(tail), __ATOMIC_RELEASE);
	return true;
}

static void *pop(queue_t *q)
{
	unsigned head = q->head; void *item;

	if (head == LOAD(&q->tail))
		return NULL;
	item = q->items[head];
	__atomic_store_n(&q->head, NEXT(head), __ATOMIC_RELEASE);
	return item;
}

static void lock(int me)
{
	waiting[me] = 1;
	turn = 1 - me;
	while (waiting[1 - me] && turn == 1 - me)
		;
}

static void unlock(int me) { waiting[me] = 0; }

static void clear(queue_t *q)
{
	FOR_EACH(i)
		q->items[i] = NULL;
	FOR_EACH(i) {
		CHECK(q->items[i] == NULL);
	}
	q->head = q->tail = 0;
}

static void *producer(void *argument)
{
	queue_t *q = argument;
	static int values[100];

	for (int i = 0; i < 100; ++i) {
		values[i] = i;
		while (!push(q, &values[i]))
			sched_yield();
#ifdef COUNTING
		local_count++; // not compiled
#else
		if (i % 10 == 0) lock(0), local_count += 10, unlock(0);
#endif
	}
	q->closed = 1;
	return NULL;
}

static long consume(queue_t *q)
{
	long sum = 0;
	int *item;

	do {
		item = pop(q);
		switch (item != NULL) {
		case 0: sched_yield(); break;
		default: sum += *item;
		}
	} while (item || !q->closed || q->head != LOAD(&q->tail));
	lock(1);
	unlock(1);
	return sum;
}

int main(void)
{
	pthread_t thread;
	clear(&shared);
	if (pthread_create(&thread, NULL, producer, &shared) != 0)
		return EXIT_FAILURE;
	long sum = consume(&shared);
	pthread_join(thread, NULL);
	printf("%ld\n", sum);
	assert(sum == 4950);
	return sum == 4950 ? 0 : 1;
}
