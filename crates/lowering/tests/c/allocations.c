//! see x
//! limit
#include <stdlib.h>
int x;
int main(void) { for (int i = 0; i < 5; i++) { int *p = malloc(4); *p = i; x += *p; } return 0; }
