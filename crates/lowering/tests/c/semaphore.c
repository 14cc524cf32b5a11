//! see seen left tried error
//! sc 7,1,-1,11
//! tso 7,1,-1,11
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
sem_t full;
int data, seen, left, tried, error;
void *produce(void *unused) {
  data = 7;
  sem_post(&full);
  sem_post(&full);
  return 0;
}
int main(void) {
  pthread_t producer;
  sem_init(&full, 0, 0);
  tried = sem_trywait(&full);
  error = errno;
  pthread_create(&producer, 0, produce, 0);
  sem_wait(&full);
  seen = data;
  pthread_join(producer, 0);
  sem_getvalue(&full, &left);
  sem_destroy(&full);
  return 0;
}
