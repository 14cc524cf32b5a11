//! see result count
//! sc 42,2
//! tso 42,2
#include <threads.h>
mtx_t lock; int result, count;
static int add(void *p) { mtx_lock(&lock); count++; mtx_unlock(&lock); return 42; }
int main(void) {
  thrd_t a, b;
  mtx_init(&lock, mtx_plain);
  thrd_create(&a, add, 0);
  thrd_create(&b, add, 0);
  thrd_join(a, &result);
  thrd_join(b, 0);
  return 0;
}
