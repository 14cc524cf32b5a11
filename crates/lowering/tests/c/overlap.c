//! see x
//! sc 65537 65538
//! tso 65537 65538
//! entry wide
//! entry narrow
int x;
void wide(void) { *(volatile int *)&x = 65537; }
void narrow(void) { *(volatile char *)&x = 2; }
