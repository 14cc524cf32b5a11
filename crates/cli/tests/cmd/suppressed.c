#include <pthread.h>
int hits;
static void *worker(void *arg) {
    (void)arg;
    hits = hits + 1; // fencewright: allow(undefined-race): a statistic, may be off by a few
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
