//! see ran total
//! sc 1,2
//! tso 1,2
//! entry worker*2
#include <pthread.h>
pthread_once_t control = PTHREAD_ONCE_INIT; int ran; _Atomic int total;
static void begin(void) { ran++; }
void worker(void) { pthread_once(&control, begin); total += ran; }
