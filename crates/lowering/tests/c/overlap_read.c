//! see seen
//! sc 0 256 257
//! tso 0 256 257
//! entry bytes
//! entry word
short x, seen;
void bytes(void) { ((volatile char *)&x)[1] = 1; ((volatile char *)&x)[0] = 1; }
void word(void) { seen = *(volatile short *)&x; }
