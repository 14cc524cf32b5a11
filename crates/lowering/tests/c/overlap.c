//! error 5 accessed in pieces that overlap
//! entry wide
//! entry narrow
int x;
void wide(void) { *(volatile int *)&x = 1; }
void narrow(void) { *(volatile char *)&x = 2; }
