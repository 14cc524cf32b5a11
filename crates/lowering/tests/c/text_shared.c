//! see x
//! sc 0 1 2
//! tso 0 1 2
#include <pthread.h>
#include <string.h>
char text[3];
int x;
void *write_it(void *unused) {
  strcpy(text, "ab");
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, write_it, 0);
  x = strlen(text);
  pthread_join(thread, 0);
  return 0;
}
