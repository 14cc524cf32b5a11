//! limit
//! see x
// Whether a cell is cut depends on where a pointer points.
#include <string.h>
extern int fencewright_choose(int, int);
short s;
int g, x;
int main(void) {
  void *p = fencewright_choose(0, 1) ? (void *)&s : (void *)&g;
  s = 1;
  g = 1;
  memset(p, 0xff, 2);
  x = s + g;
  return 0;
}
