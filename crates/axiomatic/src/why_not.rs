//! Why something does not happen: the candidate executions that would do it, and what forbids each.
//!
//! The candidates are those that are coherent and atomic; if there is none, not even that, or the values
//! themselves, let it happen.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use program::{Program, Target};

use crate::axiom::Violation;
use crate::axioms::{AccessesAcross, Axioms, Flag, Judgement};
use crate::enumerate::{Enumeration, Found, compiled_for};
use crate::execution::Execution;
use crate::limits::{Budget, Limits, NoAnswer};
use crate::outcome::{FinalState, WhyNot};
use crate::run::{Ending, Run};
use crate::search::{Interested, Memory, Search};
use crate::shape;
use crate::values::{Task, all_runs};

/// Why no execution ends in a state with some property: the kinds of reasons for which those that would are
/// forbidden, each with one that is forbidden for it. Loops are followed so often.
pub fn why_not(
    program: &Program,
    axioms: &dyn Axioms,
    is_asked_for: &dyn Fn(&FinalState) -> bool,
    limits: &Limits,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<WhyNot, NoAnswer> {
    shape::check(program, axioms)?;
    let threads = program.threads().map_err(NoAnswer::Parameterised)?;
    let mut budget = Budget { limits: *limits, go_on };
    let task = Task {
        program,
        target: compiled_for(program, axioms),
        unroll: limits.unroll.unwrap_or(FEW_ROUNDS),
        leaves_stutters_out: axioms.is_monotone(),
        stops_anywhere: !axioms.lets_threads_go_on(),
        reads_at_once: axioms.accesses_across() == AccessesAcross::AtOnce,
    };
    let runs = all_runs(&task, &threads, &mut budget)?;
    let mut enumeration = Enumeration::new(program, &Anything, &mut budget);
    let is_cut_off = |run: &Run| matches!(run.ending, Ending::Bound(_));
    let others = runs.iter().flatten().any(is_cut_off);
    let mut found = WhyNot { kinds: BTreeMap::new(), candidates: 0, others };
    let ended = |run: &&Run| run.ending == Ending::Terminated;
    let choices: Vec<Vec<&Run>> =
        runs.iter().map(|runs| runs.iter().filter(ended).collect()).collect();
    let mut visit = |all: &mut Enumeration<'_, '_>, chosen: &[&Run]| {
        all.found.registers = chosen.iter().map(|run| run.registers.clone()).collect();
        let Some(execution) = all.skeleton(chosen) else {
            return Ok(ControlFlow::Continue(()));
        };
        let Enumeration { axioms: anything, budget, found: states, candidates, .. } = all;
        let mut forbidden = Forbidden { axioms, states, is_asked_for, found: &mut found };
        Search::new(*anything, budget, candidates, execution, &mut forbidden).run()
    };
    let _ = enumeration.choose_runs(&choices, &mut visit)?;
    Ok(found)
}

/// How often loops are followed to find out why not, if nothing is said.
const FEW_ROUNDS: usize = 2;

/// Forbids nothing.
struct Anything;

impl Axioms for Anything {
    fn name(&self) -> &'static str {
        "anything"
    }

    fn judge(&self, _: &Execution) -> Result<Judgement, NoAnswer> {
        Ok(Judgement::allowed(true))
    }

    fn why_not(&self, _: &Execution) -> Option<Violation> {
        None
    }

    fn target(&self) -> Option<Target> {
        None
    }

    fn is_monotone(&self) -> bool {
        false
    }

    fn accesses_across(&self) -> AccessesAcross {
        AccessesAcross::AtOnce
    }

    fn lets_threads_go_on(&self) -> bool {
        true
    }

    fn raises_flags(&self) -> bool {
        false
    }
}

/// Executions that are asked for and forbidden.
struct Forbidden<'s, 'p> {
    axioms: &'s dyn Axioms,
    states: &'s Found<'p>,
    is_asked_for: &'s dyn Fn(&FinalState) -> bool,
    found: &'s mut WhyNot,
}

impl Interested for Forbidden<'_, '_> {
    fn wants(&mut self, memory: &Memory) -> bool {
        (self.is_asked_for)(&self.states.state(memory))
    }

    fn found(&mut self, execution: &Execution, _: Memory, _: Vec<Flag>) -> ControlFlow<()> {
        self.found.candidates += 1;
        if let Some(violation) = self.axioms.why_not(execution) {
            let first = || (execution.clone(), violation.clone());
            self.found.kinds.entry(violation.kind()).or_insert_with(first);
        }
        ControlFlow::Continue(())
    }
}
