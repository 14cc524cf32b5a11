//! error 6 accessed in pieces that overlap: 2 bytes at offset 2 and 4 at 0
#include <string.h>
int g, h;
int main(void) {
  g = h;
  memcpy((char *)&g + 2, &h, 2);
  return 0;
}
