// Whether a thread is created depends on another one: there are final states without it.
// ends: 2 2
#include <pthread.h>
#include <stdatomic.h>
typedef long i64;
i64 o0;
i64 o1;
_Atomic int x;
static void *helper(void *argument) { o1 = 1; return argument; }
static void *other(void *argument) { x = 1; return argument; }
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, other, 0);
  o0 = x;
  if (o0) { pthread_create(&two, 0, helper, 0); pthread_join(two, 0); }
  pthread_join(one, 0);
  return 0;
}
