//! see x
//! sc 0 1 2
//! tso 0 1 2
#include <getopt.h>
int x;
int main(int argc, char **argv) {
  static struct option table[] = {{"one", no_argument, 0, '1'}, {"two", no_argument, &x, 2}, {0, 0, 0, 0}};
  if (getopt_long(argc, argv, "s", table, 0) == '1') x = 1;
  return 0;
}
