//! see x
//! limit what `rand` returns
#include <stdlib.h>
int x;
// It fails for one value only, though the result is of no use.
int main(void) { x = 1; int part = 7 / (rand() - 77); part++; return 0; }
