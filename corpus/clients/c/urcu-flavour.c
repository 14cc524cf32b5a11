// A grace period of one of liburcu's flavours, which `-D` chooses: a writer replaces what a reader uses, waits until the
// reader has gone, and spoils the old one. What the library itself does, which is no header, is a few lines of ours for
// one reader: it turns the counter, waits, and does so once more, without sleeping.
#define _LGPL_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#if defined(QSBR)
#include <urcu/urcu-qsbr.h>
struct urcu_gp urcu_qsbr_gp = { .ctr = URCU_QSBR_GP_ONLINE };
DEFINE_URCU_TLS(struct urcu_qsbr_reader, urcu_qsbr_reader);
#define READER URCU_TLS(urcu_qsbr_reader)
#define TURN() CMM_STORE_SHARED(urcu_qsbr_gp.ctr, urcu_qsbr_gp.ctr + URCU_QSBR_GP_CTR)
#define IS_OLD(ctr) (urcu_qsbr_reader_state(ctr) == URCU_READER_ACTIVE_OLD)
#define PHASES 1
#define BEGIN() urcu_qsbr_thread_online()
#define LOCK() urcu_qsbr_read_lock()
#define UNLOCK() urcu_qsbr_read_unlock()
#define END() urcu_qsbr_thread_offline()
#elif defined(MEMB)
#include <urcu/urcu-memb.h>
struct urcu_gp urcu_memb_gp = { .ctr = URCU_GP_COUNT };
int urcu_memb_has_sys_membarrier;
DEFINE_URCU_TLS(struct urcu_reader, urcu_memb_reader);
#define READER URCU_TLS(urcu_memb_reader)
#define TURN() CMM_STORE_SHARED(urcu_memb_gp.ctr, urcu_memb_gp.ctr ^ URCU_GP_CTR_PHASE)
#define IS_OLD(ctr) (urcu_common_reader_state(&urcu_memb_gp, ctr) == URCU_READER_ACTIVE_OLD)
#define PHASES 2
#define LOCK() urcu_memb_read_lock()
#define UNLOCK() urcu_memb_read_unlock()
#else
#include <urcu/urcu-mb.h>
struct urcu_gp urcu_mb_gp = { .ctr = URCU_GP_COUNT };
DEFINE_URCU_TLS(struct urcu_reader, urcu_mb_reader);
#define READER URCU_TLS(urcu_mb_reader)
#define TURN() CMM_STORE_SHARED(urcu_mb_gp.ctr, urcu_mb_gp.ctr ^ URCU_GP_CTR_PHASE)
#define IS_OLD(ctr) (urcu_common_reader_state(&urcu_mb_gp, ctr) == URCU_READER_ACTIVE_OLD)
#define PHASES 2
#define LOCK() urcu_mb_read_lock()
#define UNLOCK() urcu_mb_read_unlock()
#endif

#ifndef BEGIN
#define BEGIN()
#define END()
#endif

// The library's way on where a kernel has no futexes.
int compat_futex_async(int32_t *word, int op, int32_t value, const struct timespec *timeout, int32_t *other, int32_t last)
{
    (void)word, (void)op, (void)value, (void)timeout, (void)other, (void)last;
    abort();
}

static int values[2] = { 1, 2 };
static int *current = &values[0];
static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static unsigned long *registered;

static void *read_value(void *unused)
{
    READER.registered = 1;
    pthread_mutex_lock(&registry);
    registered = &READER.ctr;
    pthread_mutex_unlock(&registry);
    BEGIN();
    LOCK();
    int seen = *rcu_dereference(current);
    assert(seen == 1 || seen == 2);
    UNLOCK();
    END();
    pthread_mutex_lock(&registry);
    registered = NULL;
    pthread_mutex_unlock(&registry);
    return unused;
}

static void wait_for_reader(void)
{
    int is_old;
    do {
        pthread_mutex_lock(&registry);
        is_old = registered != NULL && IS_OLD(registered);
        pthread_mutex_unlock(&registry);
    } while (is_old);
}

static void synchronize(void)
{
    cmm_smp_mb();
    for (int phase = 0; phase < PHASES; phase++) {
        TURN();
        cmm_smp_mb();
        wait_for_reader();
    }
    cmm_smp_mb();
}

int main(void)
{
    pthread_t reader;
    pthread_create(&reader, NULL, read_value, NULL);
    rcu_set_pointer(&current, &values[1]);
    synchronize();
    values[0] = 0;
    pthread_join(reader, NULL);
    return 0;
}
