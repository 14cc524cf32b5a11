//! see count
//! sc 2
//! tso 2
//! entry worker*2
int locked, count;
static int test_and_set(int *lock) {
  int old = 1;
  __asm__ volatile("xchgl %0, %1" : "+m"(*lock), "+r"(old) : : "memory");
  return old;
}
static void unlock(int *lock) { __asm__ volatile("movl $0, %0" : "=m"(*lock) : : "memory"); }
void worker(void) {
  while (test_and_set(&locked)) __asm__ volatile("pause");
  count++;
  unlock(&locked);
}
