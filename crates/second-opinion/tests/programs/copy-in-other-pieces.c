// A structure whose fields threads change is copied into a number of eight bytes, and back.
// ends: 2 2
#include <pthread.h>
#include <string.h>
typedef long i64;
i64 o0;
i64 o1;
struct dense { unsigned short h; unsigned char b; signed char c; int n; };
struct dense shared = { 60000, 200, -5, 77 };
static void *add(void *argument) { shared.b += 100; shared.c = (signed char)(shared.b * 3); return argument; }
static void *take(void *argument) { shared.n -= 78; shared.h = (unsigned short)(shared.b + 65535); return argument; }
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, add, 0);
  pthread_create(&two, 0, take, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  i64 raw;
  memcpy(&raw, &shared, sizeof raw);
  o0 = raw;
  raw ^= 0x0102030405060708;
  memcpy(&shared, &raw, sizeof shared);
  o1 = shared.h * 1000000 + shared.b * 1000 + shared.c - shared.n;
  return 0;
}
