//! see r s
//! sc 0,1 1,0 1,1
//! tso 0,0 0,1 1,0 1,1
#include <pthread.h>
// A spin lock is given back by a mere store, which waits in the buffer like any other.
pthread_spinlock_t l, m;
volatile int x, y;
int r, s;
void *left(void *unused) {
  pthread_spin_lock(&l);
  x = 1;
  pthread_spin_unlock(&l);
  r = y;
  return 0;
}
void *right(void *unused) {
  pthread_spin_lock(&m);
  y = 1;
  pthread_spin_unlock(&m);
  s = x;
  return 0;
}
int main(void) {
  pthread_t one, other;
  pthread_spin_init(&l, 0);
  pthread_spin_init(&m, 0);
  pthread_create(&one, 0, left, 0);
  pthread_create(&other, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
  return 0;
}
