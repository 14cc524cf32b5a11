// A reader and a writer under one of Concurrency Kit's reader-writer locks, which `-D` chooses.
#include <assert.h>
#include <ck_brlock.h>
#include <ck_bytelock.h>
#include <ck_pflock.h>
#include <ck_rwlock.h>
#include <ck_swlock.h>
#include <pthread.h>

#if defined(PHASE_FAIR)
static ck_pflock_t lock = CK_PFLOCK_INITIALIZER;
#define READ_LOCK() ck_pflock_read_lock(&lock)
#define READ_UNLOCK() ck_pflock_read_unlock(&lock)
#define WRITE_LOCK() ck_pflock_write_lock(&lock)
#define WRITE_UNLOCK() ck_pflock_write_unlock(&lock)
#elif defined(BYTES)
static ck_bytelock_t lock = CK_BYTELOCK_INITIALIZER;
#define READ_LOCK() ck_bytelock_read_lock(&lock, 1)
#define READ_UNLOCK() ck_bytelock_read_unlock(&lock, 1)
#define WRITE_LOCK() ck_bytelock_write_lock(&lock, 2)
#define WRITE_UNLOCK() ck_bytelock_write_unlock(&lock)
#elif defined(BIG_READER)
static ck_brlock_t lock = CK_BRLOCK_INITIALIZER;
static ck_brlock_reader_t reader;
#define INITIALISE() ck_brlock_read_register(&lock, &reader)
#define READ_LOCK() ck_brlock_read_lock(&lock, &reader)
#define READ_UNLOCK() ck_brlock_read_unlock(&reader)
#define WRITE_LOCK() ck_brlock_write_lock(&lock)
#define WRITE_UNLOCK() ck_brlock_write_unlock(&lock)
#elif defined(SINGLE_WRITER)
static ck_swlock_t lock = CK_SWLOCK_INITIALIZER;
#define READ_LOCK() ck_swlock_read_lock(&lock)
#define READ_UNLOCK() ck_swlock_read_unlock(&lock)
#define WRITE_LOCK() ck_swlock_write_lock(&lock)
#define WRITE_UNLOCK() ck_swlock_write_unlock(&lock)
#else
static ck_rwlock_t lock = CK_RWLOCK_INITIALIZER;
#define READ_LOCK() ck_rwlock_read_lock(&lock)
#define READ_UNLOCK() ck_rwlock_read_unlock(&lock)
#define WRITE_LOCK() ck_rwlock_write_lock(&lock)
#define WRITE_UNLOCK() ck_rwlock_write_unlock(&lock)
#endif

#ifndef INITIALISE
#define INITIALISE()
#endif

static int left, right;

static void *write_both(void *unused)
{
    WRITE_LOCK();
    left++;
    right++;
    WRITE_UNLOCK();
    return unused;
}

int main(void)
{
    pthread_t writer;
    INITIALISE();
    pthread_create(&writer, NULL, write_both, NULL);
    READ_LOCK();
    assert(left == right);
    READ_UNLOCK();
    pthread_join(writer, NULL);
    return 0;
}
