// What fences, locked stores and orders cost on this machine: nanoseconds for one round of a loop that stores to one
// cache line and loads from another, with the access or the fence in question, and alone on its core.
// Prints a name and the nanoseconds of the shortest of REPEATS runs, one per line.

#define _POSIX_C_SOURCE 200809L
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#ifndef ROUNDS
#define ROUNDS 2000000
#endif
#define REPEATS 15

static _Alignas(64) atomic_int x;
static _Alignas(64) atomic_int y;
static volatile int sink;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

#define MEASURE(name, statement)                                                                    \
    do {                                                                                            \
        double best = 1e18;                                                                         \
        for (int repeat = 0; repeat < REPEATS; repeat++) {                                          \
            double begin = now();                                                                   \
            for (int i = 0; i < ROUNDS; i++) {                                                      \
                statement;                                                                          \
            }                                                                                       \
            double spent = (now() - begin) / ROUNDS;                                                \
            if (spent < best)                                                                       \
                best = spent;                                                                       \
        }                                                                                           \
        printf("%s %.3f\n", name, best);                                                            \
    } while (0)

#define STORE(order) atomic_store_explicit(&x, i, memory_order_##order)
#define LOAD(order) sink = atomic_load_explicit(&y, memory_order_##order)
#define FENCE(order) atomic_thread_fence(memory_order_##order)

int main(void)
{
    MEASURE("relaxed", STORE(relaxed); LOAD(relaxed));
    MEASURE("acquire", STORE(relaxed); LOAD(acquire));
    MEASURE("release", STORE(release); LOAD(relaxed));
    MEASURE("acq_rel", STORE(release); LOAD(acquire));
    MEASURE("seq_cst", STORE(seq_cst); LOAD(seq_cst));
    MEASURE("locked-store", (void)atomic_exchange_explicit(&x, i, memory_order_relaxed); LOAD(relaxed));
    MEASURE("update", (void)atomic_fetch_add_explicit(&x, 1, memory_order_relaxed); LOAD(relaxed));
    MEASURE("full", STORE(relaxed); FENCE(seq_cst); LOAD(relaxed));
#ifdef __x86_64__
    MEASURE("mfence", STORE(relaxed); __asm__ volatile("mfence" ::: "memory"); LOAD(relaxed));
#endif
    MEASURE("lightweight", STORE(relaxed); FENCE(acq_rel); LOAD(relaxed));
    MEASURE("fence-acquire", STORE(relaxed); FENCE(acquire); LOAD(relaxed));
    MEASURE("fence-release", STORE(relaxed); FENCE(release); LOAD(relaxed));
    return 0;
}
