// What the kernels need, on a processor: threads of a card are done by four threads, one after the other.
#include <pthread.h>
typedef unsigned long long u64;
typedef unsigned int u32;
#define DEVICE __attribute__((unused)) static inline
#define KERNEL(name)                                                                            \
    static void name##_by(const Arguments &a, u64 THREAD, u64 THREADS);                         \
    extern "C" void name(const Arguments *a) { in_parallel(*a, a->count, name##_by); }          \
    static void name##_by(const Arguments &a, u64 THREAD, u64 THREADS)

struct Arguments;
struct Part {
    const Arguments *a;
    void (*by)(const Arguments &, u64, u64);
    u64 one;
};
static const u64 PROCESSORS = 4, ALL = 64;
static void *do_part(void *given) {
    const Part *part = (const Part *)given;
    for (u64 thread = part->one; thread < ALL; thread += PROCESSORS) part->by(*part->a, thread, ALL);
    return 0;
}
static void in_parallel(const Arguments &a, u64 count, void (*by)(const Arguments &, u64, u64)) {
    // Little is not worth it.
    if (count < 300) return by(a, 0, 1);
    pthread_t threads[PROCESSORS];
    Part parts[PROCESSORS];
    for (u64 one = 0; one < PROCESSORS; one++) {
        parts[one] = Part{&a, by, one};
        pthread_create(&threads[one], 0, do_part, &parts[one]);
    }
    for (u64 one = 0; one < PROCESSORS; one++) pthread_join(threads[one], 0);
}

#define FIXED(at) (*(at))
// A thread is alone in its block.
#define BLOCK 1
#define IN_BLOCK 0
#define OF_BLOCK(type, name, count) type name[count];
#define BARRIER
#define TOGETHER
#define GATHERED 3
#define UNROLLED

DEVICE u64 load(const u64 *at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
DEVICE void load_two(const u64 *at, u64 *seen) { seen[0] = load(at), seen[1] = load(at + 1); }
DEVICE void store(u64 *at, u64 value) { __atomic_store_n(at, value, __ATOMIC_RELAXED); }
DEVICE void fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
DEVICE u64 multiply_high(u64 one, u64 other) { return (u64)((unsigned __int128)one * other >> 64); }
DEVICE u64 atomic_compare_exchange(u64 *at, u64 from, u64 to) {
    __atomic_compare_exchange_n(at, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return from;
}
DEVICE void lower(u64 *at, u64 value) {
    u64 seen = load(at);
    while (value < seen && !__atomic_compare_exchange_n(at, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
DEVICE void add(u64 *at, u64 value) { __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
DEVICE u64 add_one(u64 *at) { return __atomic_fetch_add(at, 1, __ATOMIC_RELAXED); }
DEVICE u64 fetch_add(u64 *at, u64 value) { return __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
DEVICE u32 add_in_block(u32 *at) { return (*at)++; }
DEVICE void add_in_block(u64 *at, u64 value) { *at += value; }
