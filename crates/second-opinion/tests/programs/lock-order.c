// Two mutexes in two orders: some runs have no end, the others one of two.
// ends: 2 2
#include <pthread.h>
typedef long i64;
i64 o0;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *left(void *argument) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&n);
  o0 = o0 * 2 + 1;
  pthread_mutex_unlock(&n);
  pthread_mutex_unlock(&m);
  return argument;
}
static void *right(void *argument) {
  pthread_mutex_lock(&n);
  pthread_mutex_lock(&m);
  o0 = o0 * 3 + 1;
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&n);
  return argument;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, left, 0);
  pthread_create(&two, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
