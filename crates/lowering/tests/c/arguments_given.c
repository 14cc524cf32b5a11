//! see x y z
//! sc 3,118,1
//! tso 3,118,1
//! args program -v 12
#include <stdlib.h>
int x, y, z;
int main(int argc, char **argv) {
  x = argc;
  y = argv[1][1];
  z = argv[argc] == NULL;
  return 0;
}
