//! see x y
//! sc 0,0 1,0 2,0
//! tso 0,0 1,0 2,0
#include <errno.h>
#include <stdio.h>
int x, y;
int main(void) {
  errno = 0;
  if (errno) y = 1;
  if (!fopen("settings", "r")) {
    if (errno == ENOENT) { if (errno == ENOENT) x = 1; else y = 2; }
    else x = 2;
  }
  return 0;
}
