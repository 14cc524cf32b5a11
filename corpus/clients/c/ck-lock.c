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
#else
static ck_spinlock_fas_t lock = CK_SPINLOCK_FAS_INITIALIZER;
#define LOCK() ck_spinlock_fas_lock(&lock)
#define UNLOCK() ck_spinlock_fas_unlock(&lock)
#endif

static int counter;

static void *count(void *unused)
{
    LOCK();
    counter++;
    UNLOCK();
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, count, NULL);
    count(NULL);
    pthread_join(other, NULL);
    assert(counter == 2);
    return 0;
}
