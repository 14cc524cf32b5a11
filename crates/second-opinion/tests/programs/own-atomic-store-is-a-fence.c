// A sequentially consistent store waits for the buffer, also if nobody else knows what it writes.
// ends: 3 3
#include <pthread.h>
#include <stdatomic.h>
typedef long i64;
i64 o0;
i64 o1;
int x, y;
static void *left(void *argument) {
  _Atomic unsigned char mine = 255;
  x = 1;
  mine = 3;
  o0 = y + 10 * mine;
  return argument;
}
static void *right(void *argument) {
  _Atomic long mine = 1;
  y = 1;
  atomic_store(&mine, -1);
  o1 = x + 10 * mine;
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
