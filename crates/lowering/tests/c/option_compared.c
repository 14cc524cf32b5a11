//! see x
//! limit what `optarg` holds
#include <string.h>
#include <unistd.h>
int x;
int main(int argc, char **argv) {
  x = 1;
  if (getopt(argc, argv, "a:") == 'a') x = strcmp(optarg, "b") == 0;
  return 0;
}
