//! see low high won
//! sc 1,1,1 2,2,1
//! tso 1,1,1 2,2,1
//! entry worker(1)
//! entry worker(2)
//! entry reader
typedef unsigned __int128 wide;
wide shared; _Atomic int won; unsigned long low, high;
void worker(unsigned long me) {
  wide expected = 0, mine = (wide)me << 64 | me;
  if (__sync_bool_compare_and_swap(&shared, expected, mine)) won++;
}
void reader(void) {
  wide seen;
  do seen = __sync_val_compare_and_swap(&shared, 0, 0); while (seen == 0);
  low = seen; high = seen >> 64;
}
