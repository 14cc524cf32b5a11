//! hangs sc
//! entry left
//! entry right
#include <stdatomic.h>
atomic_flag a = ATOMIC_FLAG_INIT, b = ATOMIC_FLAG_INIT;
static void lock(atomic_flag *l) { while (atomic_flag_test_and_set(l)); }
void left(void) { lock(&a); lock(&b); atomic_flag_clear(&b); atomic_flag_clear(&a); }
void right(void) { lock(&b); lock(&a); atomic_flag_clear(&a); atomic_flag_clear(&b); }
