// Szymanski's mutual exclusion for two threads (see szymanski.c), with a fence after each of the four
// announcements.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define THREADS 2

enum place {
    AWAY,
    OUTSIDE,      // wants to come in
    WAITING_ROOM, // waits for somebody to close the door
    DOORWAY,
    INSIDE // the door is closed
};

static volatile enum place place[THREADS];
static int inside; // how many threads are in the critical section

static int somebody_is_outside(void)
{
    for (int other = 0; other < THREADS; other++) {
        if (place[other] == OUTSIDE)
            return 1;
    }
    return 0;
}

static void lock(int me)
{
    // Wait for the door to open.
    place[me] = OUTSIDE;
    __sync_synchronize();
    for (int other = 0; other < THREADS; other++) {
        while (place[other] >= DOORWAY)
            ;
    }
    // Does anybody else want to come in? Then wait for them, until somebody closes the door.
    place[me] = DOORWAY;
    __sync_synchronize();
    if (somebody_is_outside()) {
        place[me] = WAITING_ROOM;
        __sync_synchronize();
        for (int other = 0; place[other] != INSIDE; other = (other + 1) % THREADS)
            ;
    }
    // Close the door, let those with a lower index go first.
    place[me] = INSIDE;
    __sync_synchronize();
    for (int other = 0; other < me; other++) {
        while (place[other] >= WAITING_ROOM)
            ;
    }
}

static void unlock(int me)
{
    // Leave only when everybody in the waiting room has seen that the door is closed.
    for (int other = me + 1; other < THREADS; other++) {
        enum place seen;
        do {
            seen = place[other];
        } while (seen == WAITING_ROOM || seen == DOORWAY);
    }
    place[me] = AWAY;
}

static void *enter(void *arg)
{
    int me = (int)(intptr_t)arg;
    int others;

    lock(me);
    others = __sync_fetch_and_add(&inside, 1);
    assert(others == 0);
    __sync_fetch_and_sub(&inside, 1);
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, enter, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(inside == 0);
    return 0;
}
