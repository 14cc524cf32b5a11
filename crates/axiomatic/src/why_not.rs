//! Why something does not happen: the candidate executions that would do it, and what forbids each.
//!
//! The candidates are those that are coherent and atomic; if there is none, not even that, or the values
//! themselves, let it happen.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use program::{Program, Target};

use crate::axiom::Violation;
use crate::axioms::{AccessesAcross, Axioms, Flag, Judgement, SilentUpdates};
use crate::coherence::Communication;
use crate::enumerate::Found;
use crate::execution::Execution;
use crate::explore::{Asked, Exploration, Leaves};
use crate::future::Ahead;
use crate::limits::{Budget, Limits, NoAnswer};
use crate::outcome::{FinalState, WhyNot};
use crate::run::{Ending, Pause, Run};
use crate::search::{Interested, Memory, Progress, Search};
use crate::shape;
use crate::task::Task;

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
    let task = Task::new(program, axioms, limits.unroll.unwrap_or(FEW_ROUNDS));
    let found = WhyNot { kinds: BTreeMap::new(), candidates: 0, others: false };
    let mut forbidden = Forbidden { axioms, states: Found::new(program), is_asked_for, found };
    let keeps_reads_of_one_address = axioms.keeps_reads_of_one_address();
    let anything = Anything { keeps_reads_of_one_address };
    let mut exploration = Exploration::new(&task, &anything, &threads, &mut budget)?;
    let all: Vec<usize> = (0..threads.len()).collect();
    let _ = exploration.run(&all, &mut forbidden)?;
    let others = forbidden.found.others || exploration.too_long;
    Ok(WhyNot { others, ..forbidden.found })
}

/// How often loops are followed to find out why not, if nothing is said.
const FEW_ROUNDS: usize = 2;

/// Forbids nothing but what is never proposed.
struct Anything {
    keeps_reads_of_one_address: bool,
}

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

    fn keeps_reads_of_one_address(&self) -> bool {
        self.keeps_reads_of_one_address
    }

    fn waits_for_addresses(&self) -> bool {
        false
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

    fn judges_parts_alone(&self) -> bool {
        false
    }

    fn silent_updates(&self) -> SilentUpdates {
        SilentUpdates::Stay
    }

    fn raises_flags(&self) -> bool {
        false
    }

    fn flags_depend_on_coherence(&self) -> bool {
        false
    }
}

/// Executions that are asked for and forbidden.
struct Forbidden<'s, 'p> {
    axioms: &'s dyn Axioms,
    states: Found<'p>,
    is_asked_for: &'s dyn Fn(&FinalState) -> bool,
    found: WhyNot,
}

impl Leaves for Forbidden<'_, '_> {
    fn cares(&self, runs: &[Rc<Run>], _: &dyn Fn(usize) -> Ahead) -> bool {
        // That a thread comes to a bound is all there is to know of it.
        let is_cut_off = |run: &Rc<Run>| matches!(run.pause, Pause::Ended(Ending::Bound(_)));
        !self.found.others && runs.iter().any(is_cut_off)
    }

    fn knows_bound(&self) -> bool {
        self.found.others
    }

    fn leaf(
        &mut self,
        asked: Asked<'_, '_>,
        execution: Execution,
        decided: &Communication,
        runs: &[Rc<Run>],
    ) -> Progress {
        let has_ended = |run: &Rc<Run>| matches!(run.pause, Pause::Ended(Ending::Terminated));
        if !runs.iter().all(has_ended) {
            self.found.others = true;
            return Ok(ControlFlow::Continue(()));
        }
        self.states.registers = runs.iter().map(|run| run.registers()).collect();
        Search::new(asked, execution, self).run(decided)
    }
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
