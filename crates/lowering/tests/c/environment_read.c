//! see x
//! limit what `getenv` returns
#include <stdlib.h>
int x;
int main(void) { char *text = getenv("THREADS"); if (text && text[0] == 'y') x = 1; return 0; }
