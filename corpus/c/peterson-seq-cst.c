// Peterson's mutual exclusion for two threads (see peterson.c), with the orders that C gives to an
// access of an `_Atomic` variable unless told otherwise. Every store is then a locked exchange on
// x86, but only the one to `turn` has to be: the first is followed by it, the last by no load.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// Who goes first if both do. Not static: whoever reads it has just written it, and then clang at -O2
// would give each thread a copy of its own.
_Atomic int turn;

static _Atomic int flag[2]; // who wants to enter
static int counter;         // guarded by the two

static void lock(int me)
{
    int other = 1 - me;

    flag[me] = 1;
    turn = other;
    while (flag[other] == 1 && turn == other)
        ;
}

static void unlock(int me)
{
    flag[me] = 0;
}

static void *count(void *arg)
{
    int me = (int)(intptr_t)arg;

    lock(me);
    counter = counter + 1;
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, count, (void *)(intptr_t)0);
    pthread_create(&second, NULL, count, (void *)(intptr_t)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 2);
    return 0;
}
