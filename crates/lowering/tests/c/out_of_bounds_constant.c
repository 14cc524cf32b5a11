//! fault sc
const int t[2] = { 1, 2 };
int out;
int main(void) {
  int i = 2;
  out = t[i];
  return 0;
}
