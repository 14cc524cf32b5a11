//! see x
//! sc 6
//! tso 6
#include <stdlib.h>
struct node { int value; struct node *next; } *head;
int x;
int main(void) {
  for (int i = 0; i < 4; i++) {
    struct node *node = malloc(sizeof *node);
    node->value = i;
    node->next = head;
    head = node;
  }
  for (struct node *node = head; node; node = node->next) x += node->value;
  return 0;
}
