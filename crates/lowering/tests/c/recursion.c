//! see x
//! limit
int x, n = 9;
static int down(int n) { return n ? down(n - 1) + 1 : 0; }
int main(void) { x = down(n); return 0; }
