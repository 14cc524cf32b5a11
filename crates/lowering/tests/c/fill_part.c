//! error 7 accessed in pieces that overlap: 2 bytes at offset 0 and 4 at 0
#include <string.h>
unsigned g, x;
int main(void) {
  x = g;
  g = 1;
  memset(&g, 0xff, 2);
  return 0;
}
