//! see less equal greater first
//! sc -1,0,1,0
//! tso -1,0,1,0
#include <string.h>
struct pair { int a; char b, c; short d; };
struct pair one = {0x01020304, 1, 2, -3}, other = {0x01020304, 1, -2, -3};
int less, equal, greater, first;
static int sign(int number) { return (number > 0) - (number < 0); }
int main(void) {
  one.d += 1;
  other.d += 1;
  int here[2] = {256, 1}, there[2] = {1, 256};
  // By bytes, without signs, the lowest byte of an integer first.
  less = sign(memcmp(&one, &other, sizeof one));
  equal = memcmp(&one, &other, 5);
  greater = sign(memcmp(there, here, sizeof here));
  first = memcmp("same", "sand", 2);
  return 0;
}
