//! error 5 computed `goto`
int x;
int main(void) {
  void *targets[] = { &&one, &&two };
  goto *targets[x];
one: x = 1;
two: return 0;
}
