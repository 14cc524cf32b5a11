//! see x y
//! assume start creates 2 with 3
//! assume finish joins 1
//! sc 1,1
//! tso 1,1
void *start(const char *name, void *(*run)(void *), void *with);
void finish(void *thread);
int x, y;
static void *one(void *where) { *(int *)where = 1; return 0; }
int main(void) {
  void *first = start("first", one, &x), *second = start("second", one, &y);
  finish(first);
  finish(second);
  return 0;
}
