/* What every test has in common, first part: values, the machine's instructions, chance, patience. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* Exact values, as in the model. */
typedef __int128 Value;
typedef unsigned __int128 Bits;

/* A cell of memory, on a cache line of its own. */
typedef struct {
    _Alignas(64) uint64_t content;
} Cell;

#define INLINE static inline __attribute__((always_inline, unused))

/* Every access is one instruction, in the order of the text: no compiler moves or merges them. */
INLINE uint64_t load(Cell *cell) {
    uint64_t value;
    __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(cell->content) : "memory");
    return value;
}

INLINE void store(Cell *cell, uint64_t value) {
    __asm__ volatile("movq %1, %0" : "=m"(cell->content) : "r"(value) : "memory");
}

INLINE uint64_t exchange(Cell *cell, uint64_t value) {
    __asm__ volatile("xchgq %0, %1" : "+r"(value), "+m"(cell->content) : : "memory");
    return value;
}

/* What was read; it is `expected` exactly if `new` was written. */
INLINE uint64_t compare_and_swap(Cell *cell, uint64_t expected, uint64_t new) {
    __asm__ volatile("lock cmpxchgq %2, %1"
                     : "+a"(expected), "+m"(cell->content)
                     : "r"(new)
                     : "memory", "cc");
    return expected;
}

/* Reads after all earlier stores; what it may write is what was there. */
INLINE uint64_t locked_read(Cell *cell) {
    return compare_and_swap(cell, 0, 0);
}

INLINE void full_fence(void) { __asm__ volatile("mfence" : : : "memory"); }
INLINE void store_fence(void) { __asm__ volatile("sfence" : : : "memory"); }
INLINE void load_fence(void) { __asm__ volatile("lfence" : : : "memory"); }
INLINE void pause_briefly(void) { __asm__ volatile("pause" : : : "memory"); }

INLINE uint64_t now(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

/* A batch of runs: cell by cell, the contents in every run, and what each thread leaves. */
static size_t batch_size;
static Cell *memory;
static Value *registers;
static int32_t *ends;

INLINE Cell *cell_of_run(size_t cell, size_t run) { return &memory[cell * batch_size + run]; }

/* How a thread came to its end in a run; from FAULT on, the edge that failed is added. */
enum { ENDED, STUCK, LIMIT, FAULT };

/* What a thread keeps between runs. */
typedef struct {
    uint64_t random;
    /* When the run that is going on is given up, and how many turns of loops were made. */
    uint64_t deadline;
    uint32_t turns;
    /* How long the delays of this batch may be. */
    uint32_t jitter;
} Worker;

INLINE uint64_t random_bits(Worker *worker) {
    uint64_t bits = worker->random;
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    return worker->random = bits;
}

INLINE uint64_t random_below(Worker *worker, uint64_t bound) {
    return bound == 0 ? random_bits(worker) : (random_bits(worker) >> 11) % bound;
}

/* Whether threads outnumber processors, and must let each other go on. */
static int is_crowded;

/* About 20 ms on machines of today. */
static const uint64_t PATIENCE = 60000000;

/* Another turn of a loop, or of waiting: whether there is any point in it. */
static __attribute__((noinline, unused)) int goes_on(Worker *worker) {
    if (++worker->turns % (is_crowded ? 8 : 256) != 0) {
        pause_briefly();
        return 1;
    }
    sched_yield();
    if (worker->deadline == 0) worker->deadline = now() + PATIENCE;
    return now() < worker->deadline;
}

INLINE void wait_until(uint64_t moment) {
    /* Clocks of processors may differ: nobody waits for long. */
    for (int turns = 0; turns < 4000 && now() < moment; turns++) pause_briefly();
}

/* A moment more or less, so that threads meet in every way. */
INLINE void dither(Worker *worker) {
    if (worker->jitter > 0) wait_until(now() + random_below(worker, worker->jitter));
}

INLINE uint64_t arrive(Cell *cell) {
    uint64_t before = 1;
    __asm__ volatile("lock xaddq %0, %1"
                     : "+r"(before), "+m"(cell->content)
                     :
                     : "memory", "cc");
    return before + 1;
}

/* Threads that others start wait a moment for each other, so that they meet although they are started
   one after the other. It is a delay like any other: nobody waits for long. */
static Cell *started, *departure;

static __attribute__((unused)) void gather(size_t run, Worker *worker, uint64_t all) {
    uint64_t moment;
    if (arrive(&started[run]) == all) store(&departure[run], now() + 600);
    for (int turns = 1; (moment = load(&departure[run])) == 0 && turns < 1000; turns++) {
        pause_briefly();
        if (is_crowded && turns % 8 == 0) sched_yield();
    }
    wait_until(moment);
    dither(worker);
}

/* The value of `width` bits that is congruent to `value`. */
INLINE Value wrapped(Value value, int width, int is_signed) {
    Bits low = (Bits)value & (((Bits)1 << width) - 1);
    if (is_signed && low >> (width - 1)) return (Value)low - ((Value)1 << width);
    return (Value)low;
}
