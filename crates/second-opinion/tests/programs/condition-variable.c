// Who waits in a loop goes on when it was told; who looks once may wake up for no reason.
// ends: 2 2
#include <pthread.h>
typedef long i64;
i64 o0;
i64 o1;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int told;
static void *patient(void *argument) {
  pthread_mutex_lock(&m);
  while (!told) pthread_cond_wait(&c, &m);
  o0 = told;
  pthread_mutex_unlock(&m);
  return argument;
}
static void *hasty(void *argument) {
  pthread_mutex_lock(&m);
  if (!told) pthread_cond_wait(&c, &m);
  o1 = told;
  pthread_mutex_unlock(&m);
  return argument;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, patient, 0);
  pthread_create(&two, 0, hasty, 0);
  pthread_mutex_lock(&m);
  told = 7;
  pthread_mutex_unlock(&m);
  pthread_cond_broadcast(&c);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
