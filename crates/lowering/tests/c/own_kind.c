//! see x
//! sc 2
//! tso 2
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
// A thread that creates another of its kind, once.
static void *again(void *p) {
  if (atomic_fetch_add(&x, 1) < 1) {
    pthread_t next;
    pthread_create(&next, 0, again, p);
    pthread_join(next, 0);
  }
  return 0;
}
int main(void) { again(0); return 0; }
