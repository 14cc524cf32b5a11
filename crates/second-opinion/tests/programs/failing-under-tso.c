// An assertion that fails only if both loads come before the stores.
// ends: 3 4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
typedef long i64;
i64 o0;
i64 o1;
_Atomic int x, y, old;
static void *left(void *argument) {
  atomic_store_explicit(&x, 1, memory_order_release);
  o0 = atomic_load_explicit(&y, memory_order_acquire);
  if (!o0) assert(atomic_fetch_add(&old, 1) == 0);
  return argument;
}
static void *right(void *argument) {
  atomic_store_explicit(&y, 1, memory_order_release);
  o1 = atomic_load_explicit(&x, memory_order_acquire);
  if (!o1) assert(atomic_fetch_add(&old, 1) == 0);
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
