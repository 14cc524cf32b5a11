// Message passing and a lock in the words of a kernel: macros over `volatile` and assembly for x86.
#include <assert.h>
#include <pthread.h>

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))
#define barrier() __asm__ __volatile__("" ::: "memory")
#define smp_mb() __asm__ __volatile__("lock; addl $0,-4(%%rsp)" ::: "memory", "cc")
#define smp_store_release(p, value) do { barrier(); WRITE_ONCE(*(p), value); } while (0)
#define smp_load_acquire(p) ({ __typeof__(*(p)) found_ = READ_ONCE(*(p)); barrier(); found_; })
#define cpu_relax() __asm__ __volatile__("rep; nop" ::: "memory")

static inline int cmpxchg(int *p, int old, int new_)
{
    int found;
    __asm__ __volatile__("lock; cmpxchgl %2,%1" : "=a"(found), "+m"(*p) : "r"(new_), "0"(old) : "memory");
    return found;
}

static int data, ready, lock, counter, wants[2], met;

static void count(void)
{
    while (cmpxchg(&lock, 0, 1) != 0)
        cpu_relax();
    counter++;
    smp_store_release(&lock, 0);
}

static void *other(void *unused)
{
    data = 7;
    smp_store_release(&ready, 1);
    count();
    WRITE_ONCE(wants[1], 1);
    smp_mb();
    if (!READ_ONCE(wants[0]))
        met++;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    if (smp_load_acquire(&ready))
        assert(data == 7);
    count();
    WRITE_ONCE(wants[0], 1);
    smp_mb();
    int alone = !READ_ONCE(wants[1]);
    pthread_join(thread, NULL);
    assert(counter == 2 && alone + met <= 1);
    return 0;
}
