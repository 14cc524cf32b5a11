//! All executions of a program that a model allows, one for each final state.
//!
//! One run of each thread is chosen such that every read finds a write of its value; then `rf` and
//! `co`, address by address ([`crate::coherence`]); what remains is shown to the model. A candidate
//! whose final state is known already is not, unless the model has more to say of executions than
//! whether they are allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use program::{Architecture, IndexVec, Program, RegisterId, Target, ThreadId, Value};

use crate::axioms::{Axioms, Flag, Judgement};
use crate::candidate::skeleton;
use crate::coherence::{Choice, choices};
use crate::execution::Execution;
use crate::limits::{Budget, Limits, NoAnswer};
use crate::outcome::{FinalState, Outcomes, Raised};
use crate::run::Run;
use crate::shape;
use crate::stopping::{stopping, without_stops};
use crate::values::all_runs;

/// The greatest number of choices at one address: they are held in memory.
const MOST_CHOICES: u64 = 1 << 20;

/// Addresses with values.
type Cells = BTreeSet<(Value, Value)>;

/// The final states of a loop-free program that a model allows.
pub fn outcomes(
    program: &Program,
    axioms: impl Axioms,
    limits: &Limits,
) -> Result<Outcomes, NoAnswer> {
    outcomes_while(program, axioms, limits, &mut || ControlFlow::Continue(()))
}

/// The same, as long as somebody wants to go on, who is asked after every small step.
pub fn outcomes_while(
    program: &Program,
    axioms: impl Axioms,
    limits: &Limits,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Outcomes, NoAnswer> {
    let mut found = enumerated(program, &axioms, limits, go_on)?;
    if !axioms.raises_flags() || found.flags.values().any(|raised| raised.undefined) {
        return Ok(found);
    }
    // What is undefined may happen before a thread is stuck.
    let Some(stopping) = stopping(program, &found.faults) else { return Ok(found) };
    let more = enumerated(&stopping, &axioms, limits, go_on)?;
    found.candidates += more.candidates;
    for (name, mut raised) in more.flags {
        without_stops(program, &stopping, &found.threads, &mut raised.execution);
        found.flags.entry(name).or_insert(raised);
    }
    Ok(found)
}

fn enumerated(
    program: &Program,
    axioms: &dyn Axioms,
    limits: &Limits,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Outcomes, NoAnswer> {
    let mut budget = Budget { limits: *limits, go_on };
    let threads = program.threads().map_err(NoAnswer::Parameterised)?;
    shape::check(program)?;
    let (runs, faults) = all_runs(program, &threads, compiled_for(program, axioms), &mut budget)?;
    let mut search = Search {
        program,
        axioms,
        budget,
        writable: later_threads_write(&runs),
        runs: &runs,
        states: BTreeMap::new(),
        flags: BTreeMap::new(),
        candidates: 0,
        combinations: 0,
    };
    search.choose_runs(&mut Vec::new(), &Cells::new(), &Cells::new())?;
    let Search { states, flags, candidates, .. } = search;
    Ok(Outcomes { threads, states, faults, flags, candidates })
}

/// What a program is compiled for before a model is asked: nothing if it consists of the instructions of
/// that architecture already.
fn compiled_for(program: &Program, axioms: &dyn Axioms) -> Option<Target> {
    let target = axioms.target()?;
    let own = match target {
        Target::AArch64 | Target::AArch64Lse => Architecture::AArch64,
        Target::RiscV => Architecture::RiscV,
        // Their instructions have no orders, except those of later versions, which become fences.
        Target::Power | Target::ArmV7 => return Some(target),
    };
    (program.architecture() != Some(own)).then_some(target)
}

/// For each thread, what it and the threads after it can write.
fn later_threads_write(runs: &IndexVec<ThreadId, Vec<Run>>) -> Vec<Cells> {
    let mut all = vec![Cells::new()];
    for runs in runs.iter().rev() {
        let mut cells = all.last().cloned().unwrap_or_default();
        cells.extend(runs.iter().flat_map(Run::written));
        all.push(cells);
    }
    all.reverse();
    all
}

struct Search<'a, 'b> {
    program: &'a Program,
    axioms: &'a dyn Axioms,
    budget: Budget<'b>,
    runs: &'a IndexVec<ThreadId, Vec<Run>>,
    /// For each thread, what it and the threads after it can write.
    writable: Vec<Cells>,
    states: BTreeMap<FinalState, Execution>,
    flags: BTreeMap<String, Raised>,
    candidates: u64,
    combinations: u64,
}

impl<'a> Search<'a, '_> {
    /// Chooses runs of the threads after those chosen, which write and still have to find some
    /// values.
    fn choose_runs(
        &mut self,
        chosen: &mut Vec<&'a Run>,
        written: &Cells,
        wanted: &Cells,
    ) -> Result<(), NoAnswer> {
        self.budget.step()?;
        self.combinations += 1;
        if self.combinations > self.budget.limits.max_executions {
            return Err(NoAnswer::TooManyExecutions);
        }
        let runs = self.runs;
        let Some(of_next) = runs.as_slice().get(chosen.len()) else {
            return self.choose_sources(chosen);
        };
        for run in of_next {
            let mut written = written.clone();
            written.extend(run.written());
            let later = &self.writable[chosen.len() + 1];
            let missing = |cell: &(Value, Value)| !written.contains(cell) && !self.is_initial(cell);
            let wanted: Cells =
                wanted.iter().copied().chain(run.read()).filter(|cell| missing(cell)).collect();
            if wanted.is_subset(later) {
                chosen.push(run);
                self.choose_runs(chosen, &written, &wanted)?;
                chosen.pop();
            }
        }
        Ok(())
    }

    fn is_initial(&self, (address, value): &(Value, Value)) -> bool {
        self.program.memory().cell(*address).is_ok_and(|cell| cell.initial == *value)
    }

    /// Given a run of each thread, chooses what is read from where, and which write comes last.
    fn choose_sources(&mut self, chosen: &[&Run]) -> Result<(), NoAnswer> {
        let mut execution = skeleton(self.program, chosen)?;
        let initial = execution.events.iter().take_while(|event| event.thread.is_none()).count();
        let mut addresses = Vec::with_capacity(initial);
        for initial in 0..initial {
            let most = self.budget.limits.max_executions.min(MOST_CHOICES);
            let choices = choices(&execution, initial, most, &mut self.budget)?;
            if choices.is_empty() {
                return Ok(());
            }
            addresses.push(choices);
        }
        let registers: IndexVec<ThreadId, _> =
            chosen.iter().map(|run| run.registers.clone()).collect();
        self.combine(&mut execution, &registers, &addresses, &mut Vec::new())
    }

    /// Combines the choices at the addresses.
    fn combine<'c>(
        &mut self,
        execution: &mut Execution,
        registers: &IndexVec<ThreadId, IndexVec<RegisterId, Value>>,
        addresses: &'c [Vec<Choice>],
        chosen: &mut Vec<&'c Choice>,
    ) -> Result<(), NoAnswer> {
        if let Some(choices) = addresses.get(chosen.len()) {
            for choice in choices {
                chosen.push(choice);
                self.combine(execution, registers, addresses, chosen)?;
                chosen.pop();
            }
            return Ok(());
        }
        self.budget.step()?;
        let state =
            FinalState { registers: registers.clone(), cells: self.memory(execution, chosen) };
        if self.states.contains_key(&state) && !self.axioms.raises_flags() {
            return Ok(());
        }
        self.candidates += 1;
        if self.candidates > self.budget.limits.max_executions {
            return Err(NoAnswer::TooManyExecutions);
        }
        communicate(execution, chosen);
        debug_assert!(execution.is_coherent() && execution.is_atomic(), "as chosen");
        match self.axioms.judge(execution)? {
            Judgement::Forbidden => {}
            Judgement::Allowed(flags) => {
                self.states.entry(state).or_insert_with(|| execution.clone());
                self.raise(flags, execution);
            }
        }
        Ok(())
    }

    fn raise(&mut self, flags: Vec<Flag>, execution: &Execution) {
        for Flag { name, undefined, pairs } in flags {
            let raised = || Raised { undefined, pairs, execution: execution.clone() };
            self.flags.entry(name).or_insert_with(raised);
        }
    }

    /// The cells that do not hold their initial value in the end.
    fn memory(&self, execution: &Execution, chosen: &[&Choice]) -> BTreeMap<Value, Value> {
        let last = |choice: &&Choice| execution.events[*choice.order.last()?].written();
        let cells = chosen.iter().filter_map(last);
        cells.filter(|cell| !self.is_initial(cell)).collect()
    }
}

/// Fills in `rf`, `co` and `fr`.
fn communicate(execution: &mut Execution, chosen: &[&Choice]) {
    let (mut rf, mut co) = (execution.nothing(), execution.nothing());
    for choice in chosen {
        for (read, source) in &choice.sources {
            rf.insert(*source, *read);
        }
        for (position, write) in choice.order.iter().enumerate() {
            for later in &choice.order[position + 1..] {
                co.insert(*write, *later);
            }
        }
    }
    execution.fr = rf.inverse().then(&co);
    execution.rf = rf;
    execution.co = co;
}
