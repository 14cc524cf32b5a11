// Two rounds of a barrier: each thread sees what the other wrote before it, and one of them came last.
// ends: 4 4
#include <pthread.h>
typedef long i64;
i64 o0;
i64 o1;
pthread_barrier_t barrier;
int x, y;
static void *left(void *argument) {
  x = 1;
  int last = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  int seen = y;
  o0 = 4 * seen + 2 * last;
  o0 += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  return argument;
}
static void *right(void *argument) {
  y = 1;
  int last = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  int seen = x;
  o1 = 4 * seen + 2 * last;
  o1 += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  return argument;
}
int main(void) {
  pthread_t one, two;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&one, 0, left, 0);
  pthread_create(&two, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
