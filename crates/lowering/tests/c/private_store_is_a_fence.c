//! see a b
//! sc 0,1 1,0 1,1
//! tso 0,1 1,0 1,1

// A sequentially consistent store waits for the buffer, also if nobody else ever sees what it writes.
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

static void *left(void *unused) {
    atomic_int mine;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store(&mine, 1);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}

static void *right(void *unused) {
    atomic_int mine;
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_store(&mine, 1);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, left, 0);
    right(0);
    pthread_join(other, 0);
    return 0;
}
