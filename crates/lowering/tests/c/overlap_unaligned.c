//! error 6 accessed in pieces that overlap
//! entry wide
//! entry between
long x;
void wide(void) { *(volatile long *)&x = 1; }
void between(void) { *(volatile int *)((char *)&x + 2) = 2; }
