//! see x
//! sc 1
//! tso 1
float f = 1.5f;
int x;
int main(void) {
  x = f + 1 > 2;
  return 0;
}
