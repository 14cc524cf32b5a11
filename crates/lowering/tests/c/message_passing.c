//! see seen
//! sc -1 7
//! tso -1 7
#include <pthread.h>
#include <stdatomic.h>
int data; atomic_int flag; int seen = -1;
static void *writer(void *p) { data = 7; atomic_store_explicit(&flag, 1, memory_order_release); return 0; }
static void *reader(void *p) { if (atomic_load_explicit(&flag, memory_order_acquire)) seen = data; return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
