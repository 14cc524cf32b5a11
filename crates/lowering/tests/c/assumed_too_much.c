//! see x
//! error 5 `small` cannot return 0..=300: it returns 8 bits
//! assume small returns 0..=300
char small(void); int x;
int main(void) { x = small(); return 0; }
