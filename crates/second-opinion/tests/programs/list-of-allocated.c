// One place in the text allocates several objects that are alive at the same time.
// ends: 1 1
#include <stdlib.h>
typedef long i64;
i64 o0;
struct node { int value; struct node *next; };
int main(void) {
  struct node *list = 0;
  for (int i = 0; i < 3; i++) {
    struct node *one = malloc(sizeof *one);
    one->value = i + 4;
    one->next = list;
    list = one;
  }
  for (struct node *at = list; at; at = at->next) o0 = o0 * 5 + at->value;
  return 0;
}
