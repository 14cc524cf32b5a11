// liburcu's reference counts: the last of two owners releases what they share, and once.
#include <assert.h>
#include <pthread.h>
#include <urcu/ref.h>

static struct urcu_ref references;
static int released;

static void release(struct urcu_ref *unused)
{
    (void)unused;
    released++;
}

static void *put(void *unused)
{
    urcu_ref_put(&references, release);
    return unused;
}

int main(void)
{
    pthread_t other;
    urcu_ref_init(&references);
    urcu_ref_get(&references);
    pthread_create(&other, NULL, put, NULL);
    put(NULL);
    pthread_join(other, NULL);
    assert(released == 1);
    return 0;
}
