//! error 12 `fill` has no body here, and is given a variable of the program
//! error 13 `each` has no body here, and is given a function of the program
//! entry first
//! entry second
//! entry third
//! entry fourth
void fill(int *into, int with);
void each(void (*what)(void));
void say(const char *text);
static int x;
static void once(void) { x = 1; }
void first(void) { fill(&x, 1); }
void second(void) { each(once); }
void third(void) { say("constants tell nobody anything"); }
void fourth(void) { int own = 0; fill(&own, 1); x = own; }
