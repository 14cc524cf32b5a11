//! `check` agrees with the manifests on every criterion.

use std::ops::ControlFlow;

use analysis::{Criterion, Limits, Options, Reason, Verdict, check};

use crate::{Answer, for_each_instance, load_with};

/// What one search may take: small enough for all instances to be tried in seconds.
const LIMITS: Limits =
    Limits { memory: Some(1 << 30), process: None, deadline: None, states: Some(200_000) };

#[test]
fn check_agrees_with_the_manifests() {
    let options = Options { limits: LIMITS, ..Options::default() };
    let (mut decided, mut known) = (0, 0);
    let mut different = Vec::new();
    for_each_instance(|path, instance| {
        let program = load_with(path, &instance.set).expect("a program of the corpus");
        // Each by itself: nothing is implied by another answer.
        for (criterion, said) in [
            (Criterion::Drf, instance.drf),
            (Criterion::Trf, instance.trf),
            (Criterion::Robustness, instance.robustness),
            (Criterion::Persistence, instance.persistence),
        ] {
            if said == Answer::Unknown {
                continue;
            }
            known += 1;
            let answers = check(&program, &[criterion], &options, |_| ControlFlow::Continue(()));
            let answers = answers.expect("a definite program");
            let found = match &answers[0].verdict {
                Verdict::Holds(_) => Answer::Yes,
                Verdict::Violated(_) => Answer::No,
                Verdict::Undecided(Reason::Limit(_)) => continue,
                Verdict::Undecided(reason) => panic!("{}: {reason}", path.display()),
            };
            decided += 1;
            if found != said {
                let name = format!("{} {:?}, {criterion}", path.display(), instance.set);
                different.push(format!("{name}: {said:?}, but check says {found:?}"));
            }
        }
    });
    assert!(different.is_empty(), "{different:#?}");
    assert!(decided * 10 >= known * 9, "only {decided} of {known} are decided");
}
