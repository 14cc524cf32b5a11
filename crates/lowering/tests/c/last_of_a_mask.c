//! see a b
//! sc 0,0 0,2 1,0 1,2
//! tso 0,0 0,2 1,0 1,2

// An index that a mask or a remainder keeps small may be the greatest that they let through.
#include <pthread.h>

int masked[4], remaining[4];
int n = 7;
int a, b;

static void *left(void *unused) {
    masked[n & 3] = 1;
    remaining[n % 4] = 2;
    return unused;
}

static void *right(void *unused) {
    a = masked[n & 3];
    b = remaining[n % 4];
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, left, 0);
    right(0);
    pthread_join(other, 0);
    return 0;
}
