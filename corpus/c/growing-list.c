// A list that becomes longer, under a mutex: its capacity is kept in a field, doubles when it is full,
// and what it holds moves by realloc to where there is room. Two threads append two numbers each.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static struct {
    int *items;
    size_t length;
    size_t capacity;
} list;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void append(int item)
{
    pthread_mutex_lock(&mutex);
    if (list.length == list.capacity) {
        list.capacity = list.capacity == 0 ? 1 : 2 * list.capacity;
        list.items = realloc(list.items, list.capacity * sizeof *list.items);
        assert(list.items != NULL);
    }
    list.items[list.length++] = item;
    pthread_mutex_unlock(&mutex);
}

static void *appender(void *first)
{
    append((int)(intptr_t)first);
    append((int)(intptr_t)first + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int sum = 0;

    pthread_create(&threads[0], NULL, appender, (void *)1);
    pthread_create(&threads[1], NULL, appender, (void *)10);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(list.length == 4);
    assert(list.capacity == 4);
    for (size_t at = 0; at < 4; at++)
        sum += list.items[at];
    assert(sum == 1 + 2 + 10 + 11);
    free(list.items);
    return 0;
}
