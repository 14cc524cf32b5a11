//! see x
//! sc 0 1
//! tso 0 1
#include <pthread.h>
#include <stdlib.h>
int x;
static void *one(void *p) { x = 1; return 0; }
// In some runs there is only one thread, and they end too.
int main(void) {
  pthread_t thread;
  if (getenv("PARALLEL")) {
    pthread_create(&thread, 0, one, 0);
    pthread_join(thread, 0);
  }
  return 0;
}
