// Sequentially consistent stores do not wait.
// ends: 3 3
#include <pthread.h>
#include <stdatomic.h>
typedef long i64;
i64 o0;
i64 o1;
_Atomic int x, y;
static void *left(void *argument) {
  atomic_store_explicit(&x, 1, memory_order_seq_cst);
  o0 = atomic_load_explicit(&y, memory_order_acquire);
  return argument;
}
static void *right(void *argument) {
  y = 1;
  o1 = atomic_load(&x);
  return argument;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, left, 0);
  pthread_create(&two, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
