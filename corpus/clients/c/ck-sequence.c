// Concurrency Kit's sequence lock: a reader sees both halves of one write.
#include <assert.h>
#include <ck_sequence.h>
#include <pthread.h>

static ck_sequence_t sequence = CK_SEQUENCE_INITIALIZER;
static int left, right;

static void *write_both(void *unused)
{
    ck_sequence_write_begin(&sequence);
    ck_pr_store_int(&left, 1);
    ck_pr_store_int(&right, 1);
    ck_sequence_write_end(&sequence);
    return unused;
}

int main(void)
{
    pthread_t writer;
    unsigned int version;
    int l, r;
    pthread_create(&writer, NULL, write_both, NULL);
    do {
        version = ck_sequence_read_begin(&sequence);
        l = ck_pr_load_int(&left);
        r = ck_pr_load_int(&right);
    } while (ck_sequence_read_retry(&sequence, version));
    assert(l == r);
    pthread_join(writer, NULL);
    return 0;
}
