//! see x
//! sc 0 1 2
//! tso 0 1 2
#include <stdio.h>
int x;
int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s FILE FILE\n", argv[0]);
    if (argc == 0) x = 1;
    return 1;
  }
  for (int i = 1; i < 3; i++) puts(argv[i]);
  x = 2;
  return 0;
}
