//! see x
//! sc 0 1 2
//! tso 0 1 2
//! unknown configured log_it
int configured(void);
void log_it(int);
static int x;
// Nothing of the program has a name outside, so all that matters is what is returned.
int main(void) {
  log_it(3);
  if (configured() == 4)
    x = 1;
  else if (configured() > 4)
    x = 2;
  return 0;
}
