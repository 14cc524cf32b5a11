//! fault sc
// What is behind one allocation is not the next.
#include <stdlib.h>
int main(void) {
  int *p[2];
  for (int i = 0; i < 2; i++) { p[i] = malloc(4); *p[i] = i; }
  p[0][4] = 9;
  return *p[1];
}
