//! see same different
//! sc 2,1
//! tso 2,1
//! entry compare*2
#include <pthread.h>
_Atomic unsigned long first;
_Atomic int same, different;
void compare(void) {
  unsigned long own = pthread_self(), none = 0;
  if (own == 0 || own != pthread_self())
    return;
  same++;
  if (!__atomic_compare_exchange_n((unsigned long *)&first, &none, own, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) && none != own)
    different++;
}
