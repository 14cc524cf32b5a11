// A register that one thread sets and another gets: each operation is one access.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int held;

static void set(atomic_int *place, int value) {
    atomic_store_explicit(place, value, memory_order_release);
}

static int get(atomic_int *place) {
    return atomic_load_explicit(place, memory_order_acquire);
}

static void *setter(void *unused) {
    (void)unused;
    set(&held, 1);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, setter, NULL);
    get(&held);
    pthread_join(thread, NULL);
    return 0;
}
