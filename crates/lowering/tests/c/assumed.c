//! see x y z
//! assume configured returns 2..=3
//! assume log_it does nothing
//! assume fill writes 1 with 7..=8
//! assume each calls 1 with 3, returns 9
//! sc 2,7,19 2,8,19 3,7,19 3,8,19
//! tso 2,7,19 2,8,19 3,7,19 3,8,19
int configured(void);
void log_it(int *);
void fill(int *);
int each(void (*what)(int), int, int);
int x, y, z;
static void add(int more) { z += more; }
int main(void) {
  x = configured();
  log_it(&x);
  fill(&y);
  z = each(add, 0, y - y + 10) + z;
  return 0;
}
