// Locals are changed while values computed from them are still needed, and written in other pieces than read.
// ends: 1 1
typedef long i64;
i64 o0;
i64 o1;
i64 o2;
union mixed { unsigned long w; unsigned u; unsigned short h[4]; unsigned char b[8]; };
volatile i64 given = -7000000001;
int main(void) {
  union mixed y;
  y.w = (unsigned long)given;
  y.h[1] = (unsigned short)(y.b[6] + 500);
  y.w = y.w * 3 + (y.w >> 16);
  o0 = (i64)y.w;
  y.u = y.u - y.b[1];
  o1 = y.h[0] * 100000l + y.b[3];
  int one = (int)given, other = one++ * 2;
  other = other-- + one;
  o2 = one * 3l - other;
  return 0;
}
