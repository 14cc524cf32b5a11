//! see x
//! threads 2
//! limit a place that creates more than 2 threads, or more than 8 in all
#include <pthread.h>
int x;
static void *again(void *p) { pthread_t next; pthread_create(&next, 0, again, p); pthread_join(next, 0); return 0; }
int main(void) { x = 1; again(0); return 0; }
