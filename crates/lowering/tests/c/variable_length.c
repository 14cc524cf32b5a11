//! error 5 the size of this array
int n = 3, x;
int main(void) {
  int length = n;
  int array[length];
  array[0] = 1;
  x = array[0];
  return 0;
}
