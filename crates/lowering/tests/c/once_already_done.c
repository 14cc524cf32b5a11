//! see r s calls
//! sc 0,1,1 1,0,1 1,1,1
//! tso 0,0,1 0,1,1 1,0,1 1,1,1
#include <pthread.h>
// Who finds that the routine was called already only loads, so a store may still wait.
pthread_once_t once = PTHREAD_ONCE_INIT;
volatile int x, y;
int r, s, calls;
static void set_up(void) { calls++; }
void *left(void *unused) {
  x = 1;
  pthread_once(&once, set_up);
  r = y;
  return 0;
}
void *right(void *unused) {
  y = 1;
  pthread_once(&once, set_up);
  s = x;
  return 0;
}
int main(void) {
  pthread_t one, other;
  pthread_once(&once, set_up);
  pthread_create(&one, 0, left, 0);
  pthread_create(&other, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
  return 0;
}
