//! see x y seen
//! sc 1,4,0 1,4,1
//! tso 1,4,0 1,4,1
//! entry left
//! entry right
volatile int x, y, seen;
static int get(void) { return x; }
static void put(int value) { if (value) y = value; else y = 2; }
static int both(void) { if (x && y) return 1; return y + x; }
void left(void) {
  for (int i = 0; i < 2; i++)
    x = 1;
  switch (y) {
  case 0: y = 1; break;
  case 2: y = 2;
  default: x = get();
  }
  do put(x); while (!y);
  y = both() ? 4 : 3;
}
void right(void) {
  int old = get(), more = x;
  while (old < more) old++;
  seen = more > 0;
}
