//! see x y
//! sc 1,1
//! tso 1,1
//! fault tso
//! entry left
//! entry right
#include <assert.h>
int x, y; _Atomic int missed;
void left(void) { x = 1; if (!y) assert(++missed < 2); }
void right(void) { y = 1; if (!x) assert(++missed < 2); }
