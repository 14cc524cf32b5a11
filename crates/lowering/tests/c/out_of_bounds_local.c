//! fault sc
int out;
int main(void) {
  int local[2] = { 1, 2 };
  int i = 2;
  out = local[i];
  return 0;
}
