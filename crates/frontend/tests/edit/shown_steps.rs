//! What changed texts of labelled steps look like.

use expect_test::expect;
use frontend::Language;

use super::shown::{At, check};

#[test]
fn trencher() {
    let text = "\
# store buffering
thread t0
  initial q0
  transition q0 q1 write 1 0   # x = 1
  transition q1 q2 read r 1
  transition q1 q3 mfence
end
thread t1
  initial q0
  transition q0 q1 write 1 1   # y = 1
  transition q1 q2 lock
  transition q2 q3 write 2 1
  transition q3 q4 unlock      # done
end
";
    let places = [
        At::After("transition q0 q1 write 1 0"),
        At::Before("transition q1 q2 read"),
        At::Remove("transition q1 q3 mfence"),
        At::Lock("transition q0 q1 write 1 1"),
        At::Unlock("transition q2 q3 write 2 1"),
    ];
    check(
        Language::Trencher,
        text,
        &places,
        &expect![[r#"
            # store buffering
            thread t0
              initial q0
              transition q0 fence1 write 1 0   # x = 1
              transition fence1 q1 mfence
              transition q1 fence2 mfence
              transition fence2 q2 read r 1
              transition fence2 q3 noop
            end
            thread t1
              initial q0
              transition q0 locked1 lock
              transition locked1 locked2 write 1 1   # y = 1
              transition locked2 q1 unlock
              transition q1 q4 write 2 1
              # done
            end
        "#]],
    );
}

#[test]
fn papers() {
    let text = "\
program Dekker
thread t1 regs r1 init l0 begin
  l0: mem[x] <- 1; goto l1; // x
  l1: r1 <- mem[y]; goto l2;
  l1: mfence; goto l0;
end
";
    let places = [
        At::After("l0: mem[x] <- 1; goto l1;"),
        At::Before("l1: r1 <-"),
        At::Remove("l1: mfence; goto l0;"),
    ];
    check(
        Language::Esop13,
        text,
        &places,
        &expect![[r#"
            program Dekker
            thread t1 regs r1 init l0 begin
              l0: mem[x] <- 1; goto fence1; // x
              fence1: mfence; goto l1;
              l1: mfence; goto fence2;
              fence2: r1 <- mem[y]; goto l2;
              fence2: assert 1; goto l0;
            end
        "#]],
    );
    let text = "\
program simple vars x, y procs
process p1 regs $r1 init q1 begin
  q1: x = 2; goto q2
  q2: fence; goto q3
  q3: $r1 = y; goto q4
end
";
    let places = [At::After("q1: x = 2; goto q2"), At::Remove("q2: fence; goto q3")];
    check(
        Language::Esop15,
        text,
        &places,
        &expect![[r#"
        program simple vars x, y procs
        process p1 regs $r1 init q1 begin
          q1: x = 2; goto fence1
          fence1: fence; goto q2
          q2: skip; goto q3
          q3: $r1 = y; goto q4
        end
    "#]],
    );
}
