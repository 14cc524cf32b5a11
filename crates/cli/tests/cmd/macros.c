// Store buffering inside of a macro: a fence would have to stand in its definition.

#include <assert.h>
#include <pthread.h>

static volatile int x, y;
static int a, b;

#define TRY(mine, theirs, seen) do { mine = 1; seen = theirs; } while (0)

static void *left(void *unused)
{
    TRY(x, y, a);
    return unused;
}

static void *right(void *unused)
{
    TRY(y, x, b);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], 0, left, 0);
    pthread_create(&threads[1], 0, right, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a + b > 0);
    return 0;
}
