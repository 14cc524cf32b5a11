//! error 5 floating-point
float f = 1.5f;
int x;
int main(void) {
  x = f + 1 > 2;
  return 0;
}
