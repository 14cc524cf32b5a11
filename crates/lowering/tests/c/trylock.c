//! see got[0] got[1]
//! sc 0,1 1,0 1,1
//! tso 0,1 1,0 1,1
//! entry try_it(0)
//! entry try_it(1)
#include <pthread.h>
pthread_mutex_t lock;
int got[2];
void try_it(int me) {
  if (pthread_mutex_trylock(&lock) == 0) {
    got[me] = 1;
    pthread_mutex_unlock(&lock);
  }
}
