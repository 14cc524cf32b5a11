// Threads that count for ever: too many states to look at, but no store waits until a load follows.
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
atomic_ulong count;

void *worker(void *unused) {
  (void)unused;
  for (;;) {
    atomic_fetch_add(&count, 1);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_load(&y);
  }
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
  }
}
