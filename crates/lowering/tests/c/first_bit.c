//! see x y z
//! sc 1,5,0
//! tso 1,5,0
#include <strings.h>
volatile int one = 1, many = 48, none;
int x, y, z;
int main(void) { x = ffs(one); y = ffs(many); z = ffs(none); return 0; }
