//! see x y
//! sc 0,0 0,1 1,0 1,1 2,0 2,1
//! tso 0,0 0,1 1,0 1,1 2,0 2,1
#include <unistd.h>
#include <stdlib.h>
_Atomic int x, y;
int main(int argc, char **argv) {
  int c;
  while ((c = getopt(argc, argv, "ab:")) != -1)
    switch (c) {
    case 'a': x = 1; break;
    case 'b': y = 1; break;
    case '?': x = 2; break;
    case ':': break;
    default: abort();
    }
  return 0;
}
