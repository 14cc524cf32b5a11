//! see x
//! sc 1
//! tso 1
//! assumes log_it query
void log_it(int);
int query(void);
int x;
int main(void) { log_it(3); x = query() + 1; return 0; }
