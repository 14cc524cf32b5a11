// Copies of an array onto a part of itself, forwards and backwards.
// ends: 1 1
#include <string.h>
typedef long i64;
i64 o0;
i64 o1;
short numbers[5] = { 1, 2, 3, 4, 5 };
int main(void) {
  char bytes[7] = { 7, 6, 5, 4, 3, 2, 1 };
  memmove(numbers + 1, numbers, 4 * sizeof *numbers);
  memmove(bytes, bytes + 2, 5);
  for (int at = 0; at < 5; at++) o0 = o0 * 10 + numbers[at];
  for (int at = 0; at < 7; at++) o1 = o1 * 10 + bytes[at];
  return 0;
}
