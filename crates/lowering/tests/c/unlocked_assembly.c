//! see count
//! sc 1 2
//! tso 1 2
//! entry worker*2
int count;
void worker(void) { __asm__ volatile("incl %0" : "+m"(count)); }
