//! see x
//! sc 1 2
//! tso 1 2
#include <stdlib.h>
int x;
int main(void) { x = getenv("THREADS") ? 2 : 1; return 0; }
