//! see x
//! sc 1
//! tso 1
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int x;
int main(void) {
  struct timespec begin, end;
  srand(time(0));
  clock_gettime(CLOCK_MONOTONIC, &begin);
  x = 1;
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%ld %d\n", end.tv_sec - begin.tv_sec, rand() % 6 + 1);
  return 0;
}
