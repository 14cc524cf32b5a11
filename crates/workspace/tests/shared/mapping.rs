//! What compilers make of the orders of C and Rust, compared with RC11.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use axiomatic::{Limits, Model, NoAnswer, Outcomes, outcomes_while};
use program::Program;

/// The machines that the orders of C are compiled for.
const MACHINES: [Model; 7] = [
    Model::Tso,
    Model::Pso,
    Model::Power,
    Model::ArmV7,
    Model::AArch64,
    Model::AArch64Lse,
    Model::RiscV,
];

fn asked(program: &Program, model: Model, most: Duration) -> Result<Outcomes, NoAnswer> {
    let begun = Instant::now();
    let mut go_on = || {
        if begun.elapsed() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    outcomes_while(program, model, &Limits::default(), &mut go_on)
}

/// What comes of a comparison.
pub(crate) enum Comparison {
    /// On these machines everything that was found is allowed; how many states there are.
    Within(Vec<Model>, usize),
    /// There is nothing to compare with.
    Nothing(String),
    /// These machines show more.
    Beyond(Vec<Model>),
}

/// Compares what machines show with what RC11 allows, for at most so long each.
pub(crate) fn compared(program: &Program, most: Duration) -> Comparison {
    let allowed = match asked(program, Model::Rc11, most) {
        Err(why) => return Comparison::Nothing(format!("RC11: {why}")),
        Ok(found) if found.flags.values().any(|raised| raised.undefined) => {
            return Comparison::Nothing("a data race".to_owned());
        }
        Ok(Outcomes { bound: Some(bound), .. }) => {
            return Comparison::Nothing(format!("RC11: {bound}"));
        }
        Ok(found) => found,
    };
    let errors: BTreeSet<_> = allowed.errors.keys().map(|it| (it.thread, it.edge)).collect();
    let (mut within, mut beyond) = (Vec::new(), Vec::new());
    for machine in MACHINES {
        // What was found up to a bound is there, too.
        let Ok(found) = asked(program, machine, most) else { continue };
        let is_allowed = found.states.keys().all(|state| allowed.states.contains_key(state))
            && found.errors.keys().all(|it| errors.contains(&(it.thread, it.edge)));
        if is_allowed { within.push(machine) } else { beyond.push(machine) }
    }
    if beyond.is_empty() {
        Comparison::Within(within, allowed.states.len())
    } else {
        Comparison::Beyond(beyond)
    }
}
