//! entry key
//! entry jump
//! entry words(0)
//! entry many
//! entry twice
//! entry twice_from_the_beginning
//! entry long_comparison
//! error 25 what `pthread_key_create` does is not known
//! error 26 what `longjmp` does is not known
//! error 27 what `strtok` does is not known
//! error 20 a function that looks at its unnamed arguments is not understood
//! error 31 mutexes that may be locked twice
//! error 33 mutexes that may be locked twice
//! error 34 comparing 400 bytes
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
static int sum(int count, ...) { va_list all;
  va_start(all, count); va_end(all); return count; }
jmp_buf place;
pthread_key_t own;
int x[100], y[100];
// Each of these would give wrong answers if it were taken for nothing.
void key(void) { pthread_key_create(&own, 0); }
void jump(void) { longjmp(place, 1); }
void words(char *text) { x[0] = strtok(text, ",") != 0; }
void many(void) { x[0] = sum(2, 1, 2); }
void twice(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE); }
pthread_mutex_t recursive = {{0, 0, 0, 0, PTHREAD_MUTEX_RECURSIVE}};
void twice_from_the_beginning(void) { pthread_mutex_lock(&recursive); }
void long_comparison(void) { x[0] = memcmp(x, y, sizeof x); }
