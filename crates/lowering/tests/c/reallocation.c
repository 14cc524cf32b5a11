//! see sum
//! sc 36
//! tso 36
#include <stdlib.h>
int sum;
int main(void) {
  int *numbers = realloc(0, 4);
  numbers[0] = 1;
  numbers = realloc(numbers, 12);
  numbers[1] = 2;
  numbers[2] = 30;
  numbers = realloc(numbers, 8);
  short *none = fencewright_choose(0, 1) ? malloc(2) : 0;
  none = realloc(none, 4);
  none[1] = 3;
  sum = numbers[0] + numbers[1] + 30 + none[1];
  return 0;
}
