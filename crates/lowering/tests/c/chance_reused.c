//! see x
//! sc 5 6
//! tso 5 6
#include <stdlib.h>
int x;
// The variable holds something else later.
int main(void) {
  int it = rand();
  int most = it > 9 ? 6 : 5;
  it = most;
  x = it;
  return 0;
}
