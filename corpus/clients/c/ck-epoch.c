// Concurrency Kit's epochs: a writer replaces what a reader uses in a section, begins a new epoch, waits for who is still
// in an older one, and spoils the old value. The waiting, which the library does, is a few lines of ours for one reader.
#include <assert.h>
#include <ck_epoch.h>
#include <pthread.h>

static ck_epoch_t epoch;
static ck_epoch_record_t record = { .global = &epoch };

static int values[2] = { 1, 2 };
static int *current = &values[0];

static void *read_value(void *unused)
{
    ck_epoch_begin(&record, NULL);
    int *value = ck_pr_load_ptr(&current);
    assert(*value == 1 || *value == 2);
    ck_epoch_end(&record, NULL);
    return unused;
}

static void synchronise(void)
{
    ck_pr_fence_memory();
    unsigned int now = ck_pr_faa_uint(&epoch.epoch, 1) + 1;
    while (ck_pr_load_uint(&record.active) && ck_pr_load_uint(&record.epoch) != now)
        ck_pr_stall();
    ck_pr_fence_memory();
}

int main(void)
{
    pthread_t reader;
    pthread_create(&reader, NULL, read_value, NULL);
    ck_pr_store_ptr(&current, &values[1]);
    synchronise();
    values[0] = 0;
    pthread_join(reader, NULL);
    return 0;
}
