// The ticket lock (see ticket.c) as a kernel would write it: a locked `xadd`, plain moves and
// compiler barriers, all in inline assembly for x86. The critical section is a function that the
// lock's user passes.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct ticket_lock {
    unsigned next;
    unsigned serving;
};

static struct ticket_lock lock;
static int counter; // guarded by the lock

static unsigned fetch_and_add(unsigned *where, unsigned value)
{
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(value), "+m"(*where) : : "memory", "cc");
    return value;
}

static unsigned load(const unsigned *where)
{
    unsigned value;

    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*where) : "memory");
    return value;
}

static void store(unsigned *where, unsigned value)
{
    __asm__ volatile("movl %1, %0" : "=m"(*where) : "r"(value) : "memory");
}

static void with_lock(struct ticket_lock *lock, void (*critical_section)(void))
{
    unsigned ticket = fetch_and_add(&lock->next, 1);

    while (load(&lock->serving) != ticket)
        __asm__ volatile("pause" ::: "memory");
    critical_section();
    __asm__ volatile("" ::: "memory");
    store(&lock->serving, ticket + 1);
}

static void increment(void)
{
    counter++;
}

static void *count(void *unused)
{
    (void)unused;
    with_lock(&lock, increment);
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, count, NULL);
    pthread_create(&second, NULL, count, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 2);
    return 0;
}
