// Two threads count under one of Concurrency Kit's spinlocks, which `-D` chooses.
#include <assert.h>
#include <ck_spinlock.h>
#include <pthread.h>

#if defined(TICKET)
static ck_spinlock_ticket_t lock = CK_SPINLOCK_TICKET_INITIALIZER;
#define LOCK() ck_spinlock_ticket_lock(&lock)
#define UNLOCK() ck_spinlock_ticket_unlock(&lock)
#elif defined(CAS)
static ck_spinlock_cas_t lock = CK_SPINLOCK_CAS_INITIALIZER;
#define LOCK() ck_spinlock_cas_lock(&lock)
#define UNLOCK() ck_spinlock_cas_unlock(&lock)
#elif defined(DEC)
static ck_spinlock_dec_t lock = CK_SPINLOCK_DEC_INITIALIZER;
#define LOCK() ck_spinlock_dec_lock(&lock)
#define UNLOCK() ck_spinlock_dec_unlock(&lock)
#elif defined(MCS)
static ck_spinlock_mcs_t lock = CK_SPINLOCK_MCS_INITIALIZER;
#define LOCK() ck_spinlock_mcs_context_t node; ck_spinlock_mcs_lock(&lock, &node)
#define UNLOCK() ck_spinlock_mcs_unlock(&lock, &node)
#elif defined(CLH)
static ck_spinlock_clh_t first, nodes[2];
static ck_spinlock_clh_t *lock = &first;
#define LOCK() ck_spinlock_clh_t *node = mine; ck_spinlock_clh_lock(&lock, node)
#define UNLOCK() ck_spinlock_clh_unlock(&node)
#elif defined(ANDERSON)
static ck_spinlock_anderson_thread_t slots[2];
static ck_spinlock_anderson_t lock;
#define INITIALISE() ck_spinlock_anderson_init(&lock, slots, 2)
#define LOCK() ck_spinlock_anderson_thread_t *slot; ck_spinlock_anderson_lock(&lock, &slot)
#define UNLOCK() ck_spinlock_anderson_unlock(&lock, slot)
#else
static ck_spinlock_fas_t lock = CK_SPINLOCK_FAS_INITIALIZER;
#define LOCK() ck_spinlock_fas_lock(&lock)
#define UNLOCK() ck_spinlock_fas_unlock(&lock)
#endif

static int counter;

#ifndef INITIALISE
#define INITIALISE()
#endif
#ifdef CLH
#define NODE(number) &nodes[number]
#else
#define NODE(number) NULL
#endif

static void *count(void *mine)
{
    LOCK();
    counter++;
    UNLOCK();
    return mine;
}

int main(void)
{
    pthread_t other;
    INITIALISE();
    pthread_create(&other, NULL, count, NODE(0));
    count(NODE(1));
    pthread_join(other, NULL);
    assert(counter == 2);
    return 0;
}
