//! error 14 `elsewhere`, which this thread runs, has no body here
//! error 15 `prepare`, which is called once, has no body here
//! error 16 whether `weak` is there is not known
//! error 17 `pthread_exit`, which this thread runs, has no body here
//! entry first
//! entry second
//! entry third
//! entry fourth
#include <pthread.h>
void *elsewhere(void *), *weak(void *) __attribute__((weak)); void prepare(void);
pthread_once_t done = PTHREAD_ONCE_INIT;
pthread_t thread;
// Each of these is in a file that is not here.
void first(void) { pthread_create(&thread, 0, elsewhere, 0); }
void second(void) { pthread_once(&done, prepare); }
void third(void) { pthread_create(&thread, 0, weak, 0); }
void fourth(void) { pthread_create(&thread, 0, (void *(*)(void *))pthread_exit, 0); }
