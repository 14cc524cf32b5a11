//! error 4 the assembly `cmpxchg16b
long pair[2];
int main(void) {
  __asm__ volatile("lock; cmpxchg16b %0" : "+m"(pair) : "a"(0l), "d"(0l), "b"(1l), "c"(1l) : "memory");
  __asm__ volatile("vmovaps %ymm0, %ymm1");
  return 0;
}
