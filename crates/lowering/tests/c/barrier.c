//! see seen[0] seen[1]
//! sc 1,1
//! tso 1,1
#include <pthread.h>
pthread_barrier_t barrier; int set[2], seen[2];
static void *side(void *argument) {
  long me = (long)argument;
  set[me] = 1;
  pthread_barrier_wait(&barrier);
  seen[me] = set[1 - me];
  return 0;
}
int main(void) {
  pthread_t other;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&other, 0, side, (void *)1);
  side(0);
  pthread_join(other, 0);
  return 0;
}
