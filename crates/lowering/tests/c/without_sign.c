//! see x y
//! sc 0,0 0,1 1,0 1,1
//! tso 0,0 0,1 1,0 1,1
unsigned __VERIFIER_nondet_uint(void);
int __VERIFIER_nondet_int(void);
int x, y;
int main(void) {
  if (__VERIFIER_nondet_uint() > 3000000000u) x = 1;
  if ((unsigned)__VERIFIER_nondet_int() == 4000000000u) y = 1;
  return 0;
}
