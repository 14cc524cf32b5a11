//! hangs never
//! entry worker*2
#include <stdatomic.h>
atomic_flag a = ATOMIC_FLAG_INIT, b = ATOMIC_FLAG_INIT;
static void lock(atomic_flag *l) { while (atomic_flag_test_and_set(l)); }
void worker(void) { lock(&a); lock(&b); atomic_flag_clear(&b); atomic_flag_clear(&a); }
