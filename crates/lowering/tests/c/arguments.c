//! see sum
//! sc 30
//! tso 30
#include <pthread.h>
struct job { int from, to; };
int sum;
static void *work(void *argument) {
  struct job *job = argument;
  job->to = job->from * 10;
  return 0;
}
int main(void) {
  pthread_t threads[2];
  struct job jobs[2] = { { 1, 0 }, { 2, 0 } };
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, &jobs[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  sum = jobs[0].to + jobs[1].to;
  return 0;
}
