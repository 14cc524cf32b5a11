//! see x y
//! sc 0,0 0,1 1,0
//! tso 0,0 0,1 1,0
#include <stdio.h>
int x, y;
// A constant is added before the comparison, with a sign and without.
int main(int argc, char **argv) {
  int more = argc - 1;
  more++;
  if (more == 3) x = 1;
  else {
    int c = getchar();
    if (c - '0' >= 0 && (unsigned)(c - '0') < 10u) y = 1;
  }
  return 0;
}
