//! see x
//! sc 1
//! tso 1
//! fault sc
#include <stdlib.h>
int x;
// There may be no text to read.
int main(void) { char first = *getenv("NAME"); x = 1; first++; return 0; }
