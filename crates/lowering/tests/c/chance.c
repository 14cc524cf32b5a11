//! see x y z u
//! sc 0,0,0,0 0,0,1,1 0,1,2,0 0,1,3,1 1,0,0,0 1,0,1,1 1,1,2,0 1,1,3,1
//! tso 0,0,0,0 0,0,1,1 0,1,2,0 0,1,3,1 1,0,0,0 1,0,1,1 1,1,2,0 1,1,3,1
#include <stdlib.h>
int x, y, z, u;
// Remainders and comparisons, of one value and of several.
int main(void) {
  int seen = rand();
  z = seen % 4;
  y = seen % 4 > 1;
  u = seen & 1;
  if (random() >= 1000000) x = 1;
  return 0;
}
