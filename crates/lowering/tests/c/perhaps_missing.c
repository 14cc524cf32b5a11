//! error 4 whether `improve` is there is not known
extern void improve(void) __attribute__((weak));
int x;
int main(void) { if (improve) x = 1; return 0; }
