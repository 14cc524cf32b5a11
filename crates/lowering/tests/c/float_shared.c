//! see x
//! sc 1 3 4 5
//! tso 1 3 4 5
#include <pthread.h>
_Atomic double shared = 0.25;
int x;
void *add(void *unused) {
  shared = shared * 2 + 0.25;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, add, 0);
  double seen = shared;
  shared = seen + 0.25;
  pthread_join(thread, 0);
  // 1 or 1.25, or one of both is lost: 0.5 or 0.75.
  x = shared < 0.6 ? 1 : (int)(shared * 4);
  return 0;
}
