//! see high low sum carry difference shifted signs order
//! sc -3,2,-3,1,-1,4294967297,-1,7
//! tso -3,2,-3,1,-1,4294967297,-1,7
typedef unsigned __int128 wide;
volatile unsigned long a = 0xffffffffffffffff, b = 0xfffffffffffffffe, one = 1;
volatile int minus = -1;
long high, low, sum, carry, difference, shifted, signs; int order;
int main(void) {
  wide product = (wide)a * b, total = (wide)a + b, less = (wide)0 - a;
  high = product >> 64; low = product;
  sum = total; carry = total >> 64;
  difference = less >> 64;
  shifted = (((wide)one << 96 | (wide)one << 64) >> 64);
  signs = (__int128)minus >> 100;
  order = (product > total) | (total != product) << 1 | ((__int128)minus < (__int128)one) << 2;
  return 0;
}
