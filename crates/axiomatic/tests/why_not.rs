//! Why something does not happen: the axiom and the cycle.

use std::ops::ControlFlow;

use axiomatic::{Axioms, Judgement, Limits, Model, WhyNot, why_not};
use frontend::{Language, Settings, load};
use program::{Program, Sources};

fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    let program = load(&sources, source, Language::Fw, &Settings::default());
    program.unwrap_or_else(|errors| panic!("{errors:?} in {text}"))
}

/// Why the state that a program asks about does not exist.
fn reasons(text: &str, model: Model) -> WhyNot {
    let program = program(text);
    let threads = program.threads().expect("a definite program");
    let (_, condition) = program.question().condition.as_ref().expect("tests ask");
    let is_asked_for = |state: &axiomatic::FinalState| {
        condition.holds(&|observable| state.see(&program, &threads, observable))
    };
    let mut go_on = || ControlFlow::Continue(());
    let found = why_not(&program, &model, &is_asked_for, &Limits::default(), &mut go_on);
    found.unwrap_or_else(|why| panic!("{model}: {why}"))
}

const MESSAGE: &str = "shared x, y
    thread p { x = 1; fence; y = 1 }
    thread q { local a, b; a = y; fence; b = x }
    exists q.a == 1 && q.b == 0";

#[test]
fn each_model_names_its_axiom_and_its_relations() {
    for (model, axiom, around) in [
        (Model::Sc, "sequential consistency", vec!["fr", "po", "rf", "po"]),
        (Model::Tso, "global happens-before", vec!["fr", "ppo", "rfe", "ppo"]),
        (Model::Power, "observation", vec!["fre", "prop; hb*"]),
        (Model::ArmV7, "observation", vec!["fre", "prop; hb*"]),
        (Model::AArch64, "external visibility", vec!["bob", "fre", "bob", "rfe"]),
        (Model::RiscV, "global memory order", vec!["fr", "ppo 4-8", "rfe", "ppo 4-8"]),
    ] {
        let found = reasons(MESSAGE, model);
        assert_eq!(found.candidates, 1, "{model}");
        let kinds: Vec<_> = found.kinds.keys().cloned().collect();
        let around = around.into_iter().map(str::to_owned).collect();
        assert_eq!(kinds, [(axiom.to_owned(), around)], "{model}");
    }
}

#[test]
fn what_is_shown_is_forbidden_and_the_cycle_closes() {
    for model in Model::MACHINES {
        for (execution, violation) in reasons(MESSAGE, model).kinds.values() {
            assert_eq!(model.judge(execution), Ok(Judgement::Forbidden), "{model}");
            let steps = violation.cycle.iter().zip(violation.cycle.iter().cycle().skip(1));
            for ((_, name, to), (from, _, _)) in steps {
                assert_eq!(to, from, "{model}");
                assert!(!name.is_empty(), "{model}");
            }
        }
    }
}

#[test]
fn what_is_allowed_has_candidates_and_no_reason() {
    let text = MESSAGE.replace("fence; ", "");
    let found = reasons(&text, Model::AArch64);
    assert_eq!((found.candidates, found.kinds.len()), (1, 0));
}

#[test]
fn what_no_value_leads_to_has_no_candidate() {
    let found = reasons("shared x\nthread p { x = 1 }\nexists x == 2", Model::Power);
    assert_eq!((found.candidates, found.kinds.len()), (0, 0));
}
