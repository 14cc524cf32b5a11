//! see count
//! sc 1 2
//! tso 1 2
//! entry increment*2
int count;
void increment(void) { count++; }
