//! see seen got
//! sc 0,0 0,16 1,0 1,16
//! tso 0,0 0,16 1,0 1,16
//! entry write
//! entry read
//! entry try_to_read
#include <pthread.h>
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x, seen, got;
void write(void) {
  pthread_rwlock_wrlock(&lock);
  x = 2;
  x = 1;
  pthread_rwlock_unlock(&lock);
}
void read(void) {
  pthread_rwlock_rdlock(&lock);
  seen = x;
  pthread_rwlock_unlock(&lock);
}
void try_to_read(void) {
  int result = pthread_rwlock_tryrdlock(&lock);
  if (result == 0)
    pthread_rwlock_unlock(&lock);
  got = result;
}
