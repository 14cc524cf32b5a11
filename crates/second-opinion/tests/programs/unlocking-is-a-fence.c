// Each thread stores under a mutex of its own and loads after that: giving a mutex back waits for the buffer.
// ends: 3 3
#include <pthread.h>
typedef long i64;
i64 o0;
i64 o1;
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *left(void *argument) {
  pthread_mutex_lock(&m);
  x = 1;
  pthread_mutex_unlock(&m);
  o0 = y;
  return argument;
}
static void *right(void *argument) {
  pthread_mutex_lock(&n);
  y = 1;
  pthread_mutex_unlock(&n);
  o1 = x;
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
