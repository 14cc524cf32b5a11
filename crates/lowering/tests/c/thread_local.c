//! see a b
//! sc 11,12
//! tso 11,12
//! entry first
//! entry second
__thread int own = 10;
int a, b;
void first(void) { own += 1; a = own; }
void second(void) { own += 2; b = own; }
