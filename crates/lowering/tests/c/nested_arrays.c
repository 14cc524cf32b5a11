//! see queues[0].tail queues[1].tail sum
//! sc 2,1,31
//! tso 2,1,31
struct queue { int head; int slots[2]; long tail; } queues[2];
int sum, which = 0;
static void put(int queue, int value) {
  struct queue *q = &queues[queue];
  q->slots[q->tail % 2] = value;
  q->tail++;
}
int main(void) {
  put(which, 1);
  put(which ^ 1, 10);
  put(which, 20);
  for (int i = which; i < 2; i++) for (int j = which; j < 2; j++) sum += queues[i].slots[j];
  return 0;
}
