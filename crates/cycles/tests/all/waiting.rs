//! Static analysis against executions where threads wait, and what new fences are.

use axiomatic::Respected;
use cycles::Reference;

use crate::ports::Decided;
use crate::spinning::{MACHINES, Seen, check, check_random};

#[test]
fn random_programs_that_wait_are_not_called_robust_wrongly() {
    let mut seen = Seen::default();
    for arch in MACHINES {
        check_random(23, 60, arch, &mut seen);
    }
    assert!(seen.weak > 60 && seen.robust > 100 && seen.changed > 80, "{seen:?}");
    assert!(seen.fenced > 40 && seen.waiting > 200 && seen.open < 120, "{seen:?}");
}

/// The reads of `p` and `q` need a full fence between them on Power. It stands between `y = 1` and the read of `x`, too;
/// but TSO lets that read pass without it, so nothing has to wait for the locked access in `t0`.
#[test]
fn fences_that_are_added_are_none_of_the_reference() {
    let text = "shared x, y, p, q, l
thread t0 { local r; store(x, 1, relaxed); xchg(l, 1, relaxed); r = load(y, relaxed) }
thread t1 {
  local a, b, r
  store(y, 1, relaxed); a = load(p, relaxed); b = load(q, relaxed); r = load(x, relaxed)
}
thread t2 { store(p, 1, relaxed) }
thread t3 { store(q, 1, relaxed) }
thread t4 { local c, d; c = load(q, relaxed); d = load(p, relaxed) }
";
    let mut seen = Seen::default();
    for arch in MACHINES {
        for decided in [Decided::Fences, Decided::Orders] {
            for respected in [Respected::All, Respected::IntoWrites] {
                check(text, (arch, Reference::Tso), respected, decided, &mut seen);
            }
        }
    }
    assert!(seen.fenced >= 8, "{seen:?}");
}
