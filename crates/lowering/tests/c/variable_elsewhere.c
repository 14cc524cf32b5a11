//! error 4 the variable `level` is declared and nowhere defined
extern int level;
int x;
int main(void) { if (level) x = 1; return 0; }
