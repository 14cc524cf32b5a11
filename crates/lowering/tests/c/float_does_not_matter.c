//! see x
//! sc 1
//! tso 1
#include <stdio.h>
int x;
int main(void) {
  double time = 0.5;
  time = time * 2 + 1;
  x = 1;
  printf("%d in %f seconds\n", x, time);
  return 0;
}
