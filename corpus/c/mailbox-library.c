// A library without a `main`: a mailbox for one letter. Producers fill it when it is empty, a
// consumer empties it. To be analysed under a client such as two producers and one consumer.
// Robust: a producer claims the mailbox by a compare-and-swap before it writes the letter, and
// publishes it by a store after which it looks at nothing.

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>

enum state { EMPTY, CLAIMED, FULL };

static atomic_int state = EMPTY;
static int letter;

void producer(void);
void consumer(void);

void producer(void)
{
    int seen;

    do
        seen = EMPTY;
    while (!atomic_compare_exchange_weak_explicit(&state, &seen, CLAIMED, memory_order_acquire,
                                                  memory_order_relaxed));
    letter = letter + 1;
    atomic_store_explicit(&state, FULL, memory_order_release);
}

void consumer(void)
{
    while (atomic_load_explicit(&state, memory_order_acquire) != FULL)
        ;
    assert(letter > 0);
    letter = 0;
    atomic_store_explicit(&state, EMPTY, memory_order_release);
}
