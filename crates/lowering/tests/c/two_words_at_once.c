//! see pair[0] pair[1] lost
//! sc 2,2,0 2,2,1
//! tso 2,2,0 2,2,1
//! entry worker*2
unsigned long pair[2]; _Atomic int lost;
static int cas(unsigned long *target, const unsigned long *from, unsigned long low, unsigned long high) {
  unsigned char done;
  __asm__ volatile("movq 0(%4), %%rax; movq 8(%4), %%rdx; lock; cmpxchg16b %0; setz %1"
                   : "+m"(*target), "=q"(done) : "b"(low), "c"(high), "q"(from) : "memory", "cc", "%rax", "%rdx");
  return done;
}
void worker(void) {
  unsigned long seen[2];
  for (;;) {
    seen[0] = *(volatile unsigned long *)&pair[0];
    seen[1] = *(volatile unsigned long *)&pair[1];
    if (seen[0] != seen[1]) continue;
    if (cas(pair, seen, seen[0] + 1, seen[1] + 1)) break;
    lost = 1;
  }
}
