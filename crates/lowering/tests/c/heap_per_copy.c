//! see sum
//! sc 14
//! tso 14
//! entry worker(7)*2
#include <stdlib.h>
_Atomic int sum;
void worker(int value) { int *own = malloc(sizeof *own); *own = value; sum += *own; free(own); }
