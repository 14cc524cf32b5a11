//! see x y
//! sc 0,5
//! tso 0,5
// A structure that is passed by value is a copy that no other thread sees.
#include <pthread.h>
struct wide { long a[3]; } shared;
long x, y;
static void *other(void *nothing) {
  shared.a[0] = 5;
  return 0;
}
static void look(struct wide copy) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  pthread_join(thread, 0);
  x = copy.a[0];
  y = shared.a[0];
}
int main(void) {
  look(shared);
  return 0;
}
