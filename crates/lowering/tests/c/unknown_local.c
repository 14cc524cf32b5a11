//! see x
//! unknown fill
//! limit a call of `fill`
void fill(int *into, int with);
static int x;
int main(void) { x = 2; int own = 0; fill(&own, 1); x = own; return 0; }
