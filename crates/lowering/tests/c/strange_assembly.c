//! error 3 the assembly `vmovaps
int main(void) {
  __asm__ volatile("vmovaps %ymm0, %ymm1");
  return 0;
}
