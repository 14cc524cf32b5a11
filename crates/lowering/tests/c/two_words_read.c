//! see torn
//! sc 0
//! tso 0
//! entry writer
//! entry reader
unsigned long pair[2]; int torn;
void writer(void) {
  unsigned char done; unsigned long low = 0, high = 0;
  __asm__ volatile("lock; cmpxchg16b %0; setz %1" : "+m"(*pair), "=q"(done), "+a"(low), "+d"(high)
                   : "b"(1l), "c"(1l) : "memory", "cc");
}
void reader(void) {
  unsigned long low, high;
  __asm__ volatile("movq %%rdx, %%rcx; movq %%rax, %%rbx; lock; cmpxchg16b %2"
                   : "=a"(low), "=d"(high) : "m"(*pair) : "memory", "cc", "%rbx", "%rcx");
  torn = low != high;
}
