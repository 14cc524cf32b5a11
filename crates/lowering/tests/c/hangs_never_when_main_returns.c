//! hangs never
#include <pthread.h>
volatile int flag;
static void *waits(void *p) { while (!flag); return p; }
int main(void) { pthread_t h; pthread_create(&h, 0, waits, 0); return 0; }
