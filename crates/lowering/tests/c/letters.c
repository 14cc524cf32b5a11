//! see x
//! sc 0 1 3 4
//! tso 0 1 3 4
#include <stdio.h>
_Atomic int x;
int main(void) {
  int c;
  while ((c = getchar()) != EOF) {
    if (c == 'a') x = 1;
    if ((char)c == 'b') { x = 3; break; }
    if (c > 255) x = 2;
    if (c == 'c') { x = 4; }
  }
  return 0;
}
