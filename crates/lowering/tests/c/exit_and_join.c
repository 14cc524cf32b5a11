//! see x
//! sc 1
//! tso 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
// Who joins a thread that ends the process never learns of it.
int x;
void *leave(void *unused) {
  x = 1;
  exit(0);
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, leave, 0);
  pthread_join(other, 0);
  assert(0);
  return 0;
}
