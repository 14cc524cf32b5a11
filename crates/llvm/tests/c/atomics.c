// Atomic accesses of all sizes and orders, fences, volatile, thread-locals, inline assembly, threads.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

_Atomic char a8; _Atomic short a16; _Atomic int a32; _Atomic long a64; _Atomic(void *) ap; atomic_flag flag;
_Atomic float af;
struct pair { int a, b; }; _Atomic struct pair apair;
struct triple { long a, b, c; }; _Atomic struct triple atriple;
volatile int v; int plain;
_Thread_local int mine; static __thread long yours = 5; extern _Thread_local int theirs;

#define ORDERS(F) F(relaxed) F(acquire) F(seq_cst)
#define LOAD(o) int load_##o(void) { return atomic_load_explicit(&a32, memory_order_##o) + atomic_load_explicit(&a8, memory_order_##o) + (int)atomic_load_explicit(&a64, memory_order_##o); }
ORDERS(LOAD)
#define STORE(o) void store_##o(int x) { atomic_store_explicit(&a32, x, memory_order_##o); atomic_store_explicit(&a16, (short)x, memory_order_##o); }
STORE(relaxed) STORE(release) STORE(seq_cst)
#define RMW(o) long rmw_##o(int x) { return atomic_fetch_add_explicit(&a32, x, memory_order_##o) + atomic_fetch_sub_explicit(&a64, x, memory_order_##o) + atomic_fetch_or_explicit(&a8, x, memory_order_##o) + atomic_fetch_and_explicit(&a16, x, memory_order_##o) + atomic_fetch_xor_explicit(&a32, x, memory_order_##o) + atomic_exchange_explicit(&a32, x, memory_order_##o); }
ORDERS(RMW) RMW(release) RMW(acq_rel)
#define FENCE(o) void fence_##o(void) { atomic_thread_fence(memory_order_##o); atomic_signal_fence(memory_order_##o); }
ORDERS(FENCE) FENCE(release) FENCE(acq_rel)

int strong(int e, int n) { return atomic_compare_exchange_strong(&a32, &e, n); }
int weak(int e, int n) { return atomic_compare_exchange_weak_explicit(&a32, &e, n, memory_order_acq_rel, memory_order_relaxed); }
void *pointer(void *p) { void *old = atomic_exchange(&ap, p); atomic_compare_exchange_strong(&ap, &old, 0); return old; }
float real(float x) { atomic_store(&af, x); return atomic_load(&af); }
struct pair pairs(struct pair p) { apair = p; return apair; }
struct triple triples(struct triple t) { atriple = t; return atriple; }
int lock(void) { while (atomic_flag_test_and_set(&flag)); atomic_flag_clear(&flag); return a32++ + --a32; }
int old_style(int x) {
    __sync_synchronize();
    int r = __sync_fetch_and_add(&plain, x) + __sync_val_compare_and_swap(&plain, 1, 2) + __sync_lock_test_and_set(&plain, 3);
    __sync_lock_release(&plain);
    return r + __atomic_load_n(&plain, __ATOMIC_ACQUIRE) + __atomic_fetch_nand(&plain, 1, __ATOMIC_SEQ_CST) + __sync_fetch_and_max(&plain, 7);
}
int volatiles(void) { v = v + 1; volatile int *p = &v; return *p; }
int locals(void) { mine++; yours += mine; return theirs + (int)yours; }
#if defined(__x86_64__)
int assembly(int *p, int x) {
    int old = x, out;
    __asm__ __volatile__("mfence" ::: "memory");
    __asm__ __volatile__("" ::: "memory");
    __asm__ __volatile__("lock xaddl %0, %1" : "+r"(old), "+m"(*p) : : "memory", "cc");
    __asm__("movl %1, %0\n\tnop # \"quoted\"" : "=r"(out) : "m"(*p));
    return old + out;
}
#endif
static void *work(void *argument) { a32 = *(int *)argument; return 0; }
int main(void) {
    pthread_t thread; int x = 1; pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&thread, 0, work, &x);
    pthread_mutex_lock(&mutex); plain++; pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return plain;
}
