//! see x
//! sc 1
//! tso 1
#include <pthread.h>
int wait_for(pthread_t, void **) __asm("\01_pthread_join");
int x;
static void *one(void *p) { x = 1; return 0; }
// As on macOS, where functions of the C library have other symbols.
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, one, 0);
  wait_for(thread, 0);
  return 0;
}
