// Something is done once, by whoever comes first, and everybody sees it done.
// ends: 2 2
#include <pthread.h>
typedef long i64;
i64 o0;
i64 o1;
i64 o2;
pthread_once_t once = PTHREAD_ONCE_INIT;
int x, who;
static _Thread_local int me;
static void begin(void) {
  x += 5;
  who = me;
}
static void *left(void *argument) {
  me = 1;
  pthread_once(&once, begin);
  o0 = x;
  return argument;
}
static void *right(void *argument) {
  me = 2;
  pthread_once(&once, begin);
  o1 = x;
  return argument;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, left, 0);
  pthread_create(&two, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  o2 = who;
  return 0;
}
