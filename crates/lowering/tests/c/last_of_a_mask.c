//! see a b
//! sc 0,0 0,2 1,0 1,2
//! tso 0,0 0,2 1,0 1,2

// An offset that a mask or a remainder keeps small may be the greatest that they let through.
#include <pthread.h>

struct pair { int first, second; } masked, remaining;
int n = 7;
int a, b;

static int *under_a_mask(void) { return (int *)((char *)&masked + (n & 1) * 4); }
static int *that_remains(void) { return (int *)((char *)&remaining + n % 2 * 4); }

static void *left(void *unused) {
    *under_a_mask() = 1;
    *that_remains() = 2;
    return unused;
}

static void *right(void *unused) {
    a = *under_a_mask();
    b = *that_remains();
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, left, 0);
    right(0);
    pthread_join(other, 0);
    return 0;
}
