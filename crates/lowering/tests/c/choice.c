//! see x
//! sc 1 3
//! tso 1 3
int fencewright_choose(int low, int high);
void fencewright_assume(int condition);
int x;
int main(void) {
  int chosen = fencewright_choose(0, 3);
  fencewright_assume(chosen % 2 == 1);
  x = chosen;
  return 0;
}
