// The upper half of a number of eight bytes is replaced, and a part of it is read.
// ends: 1 1
#include <string.h>
typedef long i64;
i64 o0;
i64 o1;
struct dense { unsigned short h; unsigned char b; signed char c; int n; };
volatile i64 given = -2;
int main(void) {
  i64 raw = given;
  struct dense parts;
  memcpy(&parts, &raw, sizeof parts);
  parts.n = (int)(parts.h * 3 + parts.c);
  parts.b = 7;
  memcpy(&raw, &parts, sizeof raw);
  o0 = raw;
  o1 = parts.n;
  return 0;
}
