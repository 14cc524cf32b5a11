//! error 10 the address of a label cannot be expressed
//! error 11 `main.other` holds at first what cannot be expressed: the address of a label
int x;
int main(void) {
  static void *const table[1] = { &&here };
  static void *volatile other = &&here;
  x = 1;
here:
  x = 2;
  x = (long)table[0];
  x = (long)other;
  return 0;
}
