//! hangs tso
//! entry left
//! entry right
volatile int x, y, z;
void left(void) { x = 1; if (!y) while (!z); else z = 1; }
void right(void) { y = 1; if (!x) while (!z); else z = 1; }
