//! see x y
//! sc 1,2
//! tso 1,2
#include <pthread.h>
void __CPROVER_assume(int);
void __CPROVER_atomic_begin(void), __CPROVER_atomic_end(void);
int __VERIFIER_nondet_int(void);
int x, y;
static void *add(void *p) {
  __CPROVER_atomic_begin();
  int seen = y;
  y = seen + 1;
  __CPROVER_atomic_end();
  return 0;
}
int main(void) {
  pthread_t thread;
  int any = __VERIFIER_nondet_int();
  __CPROVER_assume(any == 12345);
  if (any == 12345) x = 1;
  pthread_create(&thread, 0, add, 0);
  add(0);
  pthread_join(thread, 0);
  return 0;
}
