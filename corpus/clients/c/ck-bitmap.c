// Two threads set bits of one word of Concurrency Kit's bitmap: neither bit is lost.
#include <assert.h>
#include <ck_bitmap.h>
#include <pthread.h>

static CK_BITMAP_INSTANCE(64) bits;

static void *set(void *bit)
{
    CK_BITMAP_SET(&bits, *(unsigned *)bit);
    return NULL;
}

int main(void)
{
    static unsigned numbers[2] = { 3, 40 };
    pthread_t other;
    CK_BITMAP_INIT(&bits, 64, false);
    pthread_create(&other, NULL, set, &numbers[0]);
    set(&numbers[1]);
    pthread_join(other, NULL);
    assert(CK_BITMAP_TEST(&bits, 3) && CK_BITMAP_TEST(&bits, 40));
    assert(!CK_BITMAP_TEST(&bits, 4));
    return 0;
}
