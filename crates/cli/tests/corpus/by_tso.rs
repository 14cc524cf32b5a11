//! What explores states with their buffers agrees with the manifests on what goes wrong under TSO.

use std::ops::ControlFlow;

use analysis::tso_only::{SafetyViolation, check_safety};
use analysis::{Limits, Options, Verdict};

use crate::{Assertions, checked, for_each_instance};

/// What one search may take: small enough for all instances to be tried in seconds.
const LIMITS: Limits =
    Limits { memory: Some(1 << 30), process: None, deadline: None, states: Some(30_000) };

#[test]
fn what_goes_wrong_under_tso_is_what_the_manifests_say() {
    let options = Options { limits: LIMITS, ..Options::default() };
    let (mut hold, mut fail) = (0, 0);
    for_each_instance(|path, instance| {
        let program = checked(path, instance);
        let answer = check_safety(&program, &options, |_| ControlFlow::Continue(()));
        let (under_sc, under_tso) = match answer.expect("a definite program").0 {
            Verdict::Holds(_) => (Assertions::Hold, Assertions::Hold),
            Verdict::Violated(SafetyViolation::UnderSc(_)) => (Assertions::Fail, Assertions::Fail),
            Verdict::Violated(SafetyViolation::UnderTso(_)) => (Assertions::Hold, Assertions::Fail),
            Verdict::Undecided(_) => return,
        };
        let name = format!("{} {:?}", path.display(), instance.set);
        if instance.assertions_sc != Assertions::Unknown {
            assert_eq!(instance.assertions_sc, under_sc, "{name}, SC");
        }
        if instance.assertions_tso != Assertions::Unknown {
            assert_eq!(instance.assertions_tso, under_tso, "{name}, TSO");
        }
        if under_tso == Assertions::Hold { hold += 1 } else { fail += 1 }
    });
    assert!(hold > 100 && fail > 5, "{hold} {fail}");
}
