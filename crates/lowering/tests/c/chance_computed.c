//! see x
//! limit a step that depends on what `rand` returns
#include <stdlib.h>
int x;
int main(void) { x = 1; x = rand() / 3; return 0; }
