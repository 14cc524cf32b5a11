//! see waited locked x
//! sc 0,0,1 0,110,1 110,0,1 110,110,1
//! tso 0,0,1 0,110,1 110,0,1 110,110,1
#include <pthread.h>
#include <time.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int x, waited, locked;
void *change(void *unused) {
  pthread_mutex_lock(&lock);
  x = 1;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  struct timespec until = {0, 0};
  pthread_t other;
  pthread_create(&other, 0, change, 0);
  // It may take until the time is up only while the other thread has the lock.
  int result = pthread_mutex_timedlock(&lock, &until);
  locked = result;
  if (result == 0) {
    result = pthread_cond_timedwait(&changed, &lock, &until);
    waited = result;
    pthread_mutex_unlock(&lock);
  } else {
    waited = 110 * (x > 0);
  }
  pthread_join(other, 0);
  return 0;
}
