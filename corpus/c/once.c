// Whoever needs the table first makes it, by `pthread_once`; the others wait and find it made.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t made = PTHREAD_ONCE_INIT;
static int squares[3];
static int times_made;

static void make_squares(void)
{
    for (int i = 0; i < 3; i++)
        squares[i] = i * i;
    times_made++;
}

static void *reader(void *unused)
{
    (void)unused;
    pthread_once(&made, make_squares);
    assert(squares[2] == 4);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(times_made == 1);
    return 0;
}
