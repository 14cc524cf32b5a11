//! see x
//! unknown publish
//! limit a call of `publish`, whose body is not known
void publish(void);
// Another file could write it.
int x;
int main(void) { x = 1; publish(); return 0; }
