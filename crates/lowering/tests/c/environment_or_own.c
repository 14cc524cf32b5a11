//! see x
//! sc 1
//! tso 1
#include <stdlib.h>
char own[2];
int x;
// What is read is a variable of the program on one way, and text from outside on the other.
int main(void) {
  char *text = getenv("NAME");
  if (!text) text = own;
  char first = text[0];
  x = 1;
  first++;
  return 0;
}
