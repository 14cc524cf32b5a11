//! see box.value count
//! sc 3,2
//! tso 3,2
//! entry add(&box, 3)*2
struct box { int value; } box;
_Atomic int count;
void add(struct box *box, int value) { box->value = value; count++; }
