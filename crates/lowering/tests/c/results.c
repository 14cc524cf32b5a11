//! see sum
//! sc 12
//! tso 12
#include <pthread.h>
int sum;
static void *give(void *argument) { return (void *)((long)argument + 1); }
static void *leave(void *argument) { pthread_exit((void *)((long)argument + 2)); }
int main(void) {
  pthread_t a, b;
  void *one, *two;
  pthread_create(&a, 0, give, (void *)4);
  pthread_create(&b, 0, leave, (void *)5);
  pthread_join(a, &one);
  pthread_join(b, &two);
  sum = (int)(long)one + (int)(long)two;
  return 0;
}
