//! see count won
//! sc 2,1
//! tso 2,1
//! entry worker*2
int count, first; _Atomic int won;
static int cas(int *target, int from, int to) {
  unsigned char done;
  __asm__ volatile("lock cmpxchgl %3, %0; sete %1" : "+m"(*target), "=q"(done), "+a"(from) : "r"(to) : "memory");
  return done;
}
void worker(void) {
  int seen;
  do seen = *(volatile int *)&count; while (!cas(&count, seen, seen + 1));
  if (cas(&first, 0, 1)) won++;
}
