//! see x
//! unknown chosen
//! limit a step that depends on what `chosen` returns
void (*chosen(void))(void);
static int x;
int main(void) { x = 1; chosen()(); return 0; }
