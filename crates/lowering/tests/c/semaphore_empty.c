//! see r s
//! sc 0,1 1,0 1,1
//! tso 0,0 0,1 1,0 1,1
//! entry left
//! entry right
#include <semaphore.h>
// That nobody may come in is found out by a load.
sem_t none;
volatile int x, y;
int r, s;
void left(void) {
  x = 1;
  sem_trywait(&none);
  r = y;
}
void right(void) {
  y = 1;
  sem_trywait(&none);
  s = x;
}
