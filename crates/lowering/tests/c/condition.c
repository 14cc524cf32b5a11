//! see seen
//! sc 5
//! tso 5
//! entry consumer
//! entry producer
#include <pthread.h>
pthread_mutex_t lock; pthread_cond_t ready; int full, value, seen;
void producer(void) {
  pthread_mutex_lock(&lock);
  value = 5;
  full = 1;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&lock);
}
void consumer(void) {
  pthread_mutex_lock(&lock);
  while (!full) pthread_cond_wait(&ready, &lock);
  seen = value;
  pthread_mutex_unlock(&lock);
}
