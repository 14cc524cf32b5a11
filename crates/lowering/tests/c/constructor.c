//! entry reader
//! entry reader*2
//! see x y
//! sc 5,15
//! tso 5,15
// What a library sets up is there before threads begin that a user names.
int x, y;
__attribute__((constructor)) static void set_up(void) {
  for (int i = 0; i < 5; i++) x++;
}
void reader(void) { __atomic_fetch_add(&y, x, __ATOMIC_RELAXED); }
