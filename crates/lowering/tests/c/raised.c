//! see x
//! fault sc
//! sc
//! tso
#include <signal.h>
int x;
int main(void) { x = 1; raise(SIGABRT); return 0; }
