//! see r s calls
//! sc 0,1,1 1,0,1 1,1,1
//! tso 0,1,1 1,0,1 1,1,1
//! entry left
//! entry right
#include <threads.h>
// One of the two calls the routine; the other waits for it, or finds it done.
once_flag once = ONCE_FLAG_INIT;
volatile int x, y;
int r, s, calls;
static void set_up(void) { calls++; }
void left(void) {
  call_once(&once, set_up);
  __atomic_exchange_n(&x, 1, __ATOMIC_RELAXED);
  r = y;
}
void right(void) {
  call_once(&once, set_up);
  __atomic_exchange_n(&y, 1, __ATOMIC_RELAXED);
  s = x;
}
