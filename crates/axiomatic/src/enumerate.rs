//! What a program can lead to under a model: its final states, its errors, and the bounds it meets.
//!
//! One run of each thread is chosen such that every read finds a write of its value; then `rf` and
//! `co` ([`crate::search`]).
//!
//! An error, or a bound, is met if an execution exists in which one thread runs into it and the others have
//! gone as far as they have: to their end, to a place where they wait, or into something of the kind
//! themselves. No other prefixes need to be looked at under the built-in models: a thread that can take
//! a step in an allowed execution can take it so that the longer execution is allowed too (it reads what is
//! newest, and its exclusive stores fail). Of a model in a file that is not known, and a thread may be
//! anywhere.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use program::{Architecture, IndexVec, Program, RegisterId, Target, ThreadId, Value};

use crate::axioms::{AccessesAcross, Axioms, Flag};
use crate::candidate::skeleton;
use crate::choice::{Choice, Visit, is_initial};
use crate::execution::Execution;
use crate::limits::{Bound, Budget, LITTLE_WORK, Limits, MOST_ROUNDS, NoAnswer};
use crate::outcome::{FinalState, Outcomes, Raised};
use crate::run::{Ending, PossibleFault, Run};
use crate::search::{Interested, Memory, Progress, Search};
use crate::shape;
use crate::values::{Task, all_runs};

/// What a model allows a program to lead to.
pub fn outcomes(
    program: &Program,
    axioms: impl Axioms,
    limits: &Limits,
) -> Result<Outcomes, NoAnswer> {
    outcomes_while(program, axioms, limits, &mut || ControlFlow::Continue(()))
}

/// The same, as long as somebody wants to go on, who is asked after every small step.
///
/// Loops are followed once, twice, four times, and so on, until no execution needs more or the limit is
/// reached. What was found before it became too much is the answer then.
pub fn outcomes_while(
    program: &Program,
    axioms: impl Axioms,
    limits: &Limits,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Outcomes, NoAnswer> {
    shape::check(program, &axioms)?;
    let mut budget = Budget { limits: *limits, go_on };
    let most = limits.unroll.unwrap_or(MOST_ROUNDS);
    let mut unroll = most.min(1);
    let mut before = None;
    loop {
        match (enumerated(program, &axioms, unroll, &mut budget), before.take()) {
            (Ok(found), _) => {
                let goes_on = matches!(found.bound, Some(Bound::Rounds { .. }));
                let is_enough = limits.unroll.is_none() && found.candidates > LITTLE_WORK;
                if !goes_on || is_enough || unroll >= most {
                    return Ok(found);
                }
                before = Some(found);
                unroll = unroll.saturating_mul(2).min(most);
            }
            (
                Err(NoAnswer::TooManyRuns { .. } | NoAnswer::TooManyExecutions | NoAnswer::Stopped),
                Some(found),
            ) => return Ok(found),
            (Err(why), _) => return Err(why),
        }
    }
}

/// The outcomes of executions in which loops are followed so often.
fn enumerated(
    program: &Program,
    axioms: &dyn Axioms,
    unroll: usize,
    budget: &mut Budget<'_>,
) -> Result<Outcomes, NoAnswer> {
    let threads = program.threads().map_err(NoAnswer::Parameterised)?;
    let task = Task {
        program,
        target: compiled_for(program, axioms),
        unroll,
        leaves_stutters_out: axioms.is_monotone(),
        stops_anywhere: !axioms.lets_threads_go_on(),
        reads_at_once: axioms.accesses_across() == AccessesAcross::AtOnce,
    };
    let runs = all_runs(&task, &threads, budget)?;
    let mut enumeration = Enumeration::new(program, axioms, budget);
    enumeration.final_states(&runs)?;
    enumeration.flags(&runs)?;
    let (errors, bound) = enumeration.ends(&runs)?;
    let Enumeration { found: Found { states, flags, .. }, candidates, too_long, .. } = enumeration;
    let bound = bound.or_else(|| too_long.then_some(Bound::Events));
    Ok(Outcomes { threads, states, errors, bound, flags, candidates })
}

/// What a program is compiled for before a model is asked: nothing if it consists of the instructions of
/// that architecture already.
pub(crate) fn compiled_for(program: &Program, axioms: &dyn Axioms) -> Option<Target> {
    let target = axioms.target()?;
    let own = match target {
        Target::AArch64 | Target::AArch64Lse => Architecture::AArch64,
        Target::RiscV => Architecture::RiscV,
        // Their instructions have no orders, except those of later versions, which become fences.
        Target::Power | Target::ArmV7 => return Some(target),
    };
    (program.architecture() != Some(own)).then_some(target)
}

pub(crate) struct Enumeration<'a, 'b> {
    program: &'a Program,
    pub(crate) axioms: &'a dyn Axioms,
    pub(crate) budget: &'a mut Budget<'b>,
    pub(crate) found: Found<'a>,
    pub(crate) candidates: u64,
    /// Whether there were combinations of runs with more events than a set can hold.
    too_long: bool,
}

/// The final states found.
pub(crate) struct Found<'a> {
    program: &'a Program,
    raises_flags: bool,
    /// The registers at the end of the runs that are looked at.
    pub(crate) registers: IndexVec<ThreadId, IndexVec<RegisterId, Value>>,
    states: BTreeMap<FinalState, Execution>,
    flags: BTreeMap<String, Raised>,
}

impl Found<'_> {
    /// The state that ends with this memory.
    pub(crate) fn state(&self, memory: &Memory) -> FinalState {
        let changed =
            |(address, value): &(&Value, &Value)| !is_initial(self.program, (**address, **value));
        let cells = memory.iter().filter(changed).map(|(address, value)| (*address, *value));
        FinalState { registers: self.registers.clone(), cells: cells.collect() }
    }
}

impl Interested for Found<'_> {
    fn wants(&mut self, memory: &Memory) -> bool {
        self.raises_flags || !self.states.contains_key(&self.state(memory))
    }

    fn found(
        &mut self,
        execution: &Execution,
        memory: Memory,
        flags: Vec<Flag>,
    ) -> ControlFlow<()> {
        self.states.entry(self.state(&memory)).or_insert_with(|| execution.clone());
        raise(&mut self.flags, execution, flags);
        ControlFlow::Continue(())
    }
}

/// The flags found, whatever the executions end with.
struct Flags<'f>(&'f mut BTreeMap<String, Raised>);

impl Interested for Flags<'_> {
    fn wants(&mut self, _: &Memory) -> bool {
        true
    }

    fn found(&mut self, execution: &Execution, _: Memory, flags: Vec<Flag>) -> ControlFlow<()> {
        raise(self.0, execution, flags);
        if is_undefined(self.0) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Keeps the first execution that raises each flag.
fn raise(raised: &mut BTreeMap<String, Raised>, execution: &Execution, flags: Vec<Flag>) {
    for Flag { name, undefined, pairs } in flags {
        let first = || Raised { undefined, pairs, execution: execution.clone() };
        raised.entry(name).or_insert_with(first);
    }
}

/// Whether the program has no defined behaviour.
fn is_undefined(raised: &BTreeMap<String, Raised>) -> bool {
    raised.values().any(|raised| raised.undefined)
}

/// The first execution that is found.
struct First(Option<Execution>);

impl Interested for First {
    fn wants(&mut self, _: &Memory) -> bool {
        self.0.is_none()
    }

    fn found(&mut self, execution: &Execution, _: Memory, _: Vec<Flag>) -> ControlFlow<()> {
        self.0 = Some(execution.clone());
        ControlFlow::Break(())
    }
}

/// The errors that executions end with, and a bound that is met, if one is.
type Ends = (BTreeMap<PossibleFault, Execution>, Option<Bound>);

impl<'a, 'b> Enumeration<'a, 'b> {
    pub(crate) fn new(
        program: &'a Program,
        axioms: &'a dyn Axioms,
        budget: &'a mut Budget<'b>,
    ) -> Self {
        let found = Found {
            program,
            raises_flags: axioms.raises_flags(),
            registers: IndexVec::new(),
            states: BTreeMap::new(),
            flags: BTreeMap::new(),
        };
        Self { program, axioms, budget, found, candidates: 0, too_long: false }
    }

    fn final_states(&mut self, runs: &IndexVec<ThreadId, Vec<Run>>) -> Result<(), NoAnswer> {
        let ended = |run: &&Run| run.ending == Ending::Terminated;
        let choices: Vec<Vec<&Run>> =
            runs.iter().map(|runs| runs.iter().filter(ended).collect()).collect();
        let mut visit = |all: &mut Enumeration<'_, '_>, chosen: &[&Run]| {
            all.found.registers = chosen.iter().map(|run| run.registers.clone()).collect();
            let Some(execution) = all.skeleton(chosen) else {
                return Ok(ControlFlow::Continue(()));
            };
            let Enumeration { axioms, budget, found, candidates, .. } = all;
            Search::new(*axioms, budget, candidates, execution, found).run()
        };
        self.choose_runs(&choices, &mut visit).map(|_| ())
    }

    /// What the model flags in executions in which some thread comes to no end: a data race before an
    /// endless wait, an error or a bound is one. Once nothing is defined, no more is to be known.
    fn flags(&mut self, runs: &IndexVec<ThreadId, Vec<Run>>) -> Result<(), NoAnswer> {
        let has_ended = |run: &Run| run.ending == Ending::Terminated;
        let all_end = runs.iter().flatten().all(has_ended);
        if !self.axioms.raises_flags() || is_undefined(&self.found.flags) || all_end {
            return Ok(());
        }
        let choices: Vec<Vec<&Run>> = runs.iter().map(|runs| runs.iter().collect()).collect();
        let mut visit = |all: &mut Enumeration<'_, '_>, chosen: &[&Run]| {
            if chosen.iter().all(|run| has_ended(run)) {
                return Ok(ControlFlow::Continue(()));
            }
            let Some(execution) = all.skeleton(chosen) else {
                return Ok(ControlFlow::Continue(()));
            };
            let Enumeration { axioms, budget, found, candidates, .. } = all;
            let mut flags = Flags(&mut found.flags);
            Search::new(*axioms, budget, candidates, execution, &mut flags).run()
        };
        self.choose_runs(&choices, &mut visit).map(|_| ())
    }

    /// Which of the faults and bounds that end runs are met.
    fn ends(&mut self, runs: &IndexVec<ThreadId, Vec<Run>>) -> Result<Ends, NoAnswer> {
        let (mut errors, mut bound) = (BTreeMap::new(), None);
        let mut others: Vec<Vec<&Run>> = runs.iter().map(|runs| runs.iter().collect()).collect();
        for runs in &mut others {
            // The shortest first: they forbid the least.
            runs.sort_by_key(|run| run.events.len());
        }
        for thread in runs.indices() {
            for run in &runs[thread] {
                let is_open = match &run.ending {
                    Ending::Terminated | Ending::Waiting => false,
                    Ending::Fault(fault) => !errors.contains_key(fault),
                    Ending::Bound(_) => bound.is_none(),
                };
                if !is_open {
                    continue;
                }
                let Some(execution) = self.execution_with(&mut others, thread, run)? else {
                    continue;
                };
                match &run.ending {
                    Ending::Terminated | Ending::Waiting => {}
                    Ending::Fault(fault) => {
                        errors.insert(*fault, execution);
                    }
                    Ending::Bound(met) => bound = Some(met.clone()),
                }
            }
        }
        Ok((errors, bound))
    }

    /// An execution in which a thread does what it does in this run.
    fn execution_with<'r>(
        &mut self,
        choices: &mut [Vec<&'r Run>],
        thread: ThreadId,
        run: &'r Run,
    ) -> Result<Option<Execution>, NoAnswer> {
        use program::index::Idx;
        let of_thread = std::mem::replace(&mut choices[thread.index()], vec![run]);
        let mut first = First(None);
        let mut visit = |all: &mut Enumeration<'_, '_>, chosen: &[&Run]| {
            let Some(execution) = all.skeleton(chosen) else {
                return Ok(ControlFlow::Continue(()));
            };
            let Enumeration { axioms, budget, candidates, .. } = all;
            Search::new(*axioms, budget, candidates, execution, &mut first).run()
        };
        let done = self.choose_runs(choices, &mut visit);
        choices[thread.index()] = of_thread;
        done.map(|_| first.0)
    }

    /// The execution of these runs without `rf` and `co`, unless it is too long.
    pub(crate) fn skeleton(&mut self, chosen: &[&Run]) -> Option<Execution> {
        let execution = skeleton(self.program, chosen);
        self.too_long |= execution.is_none();
        execution
    }

    /// Chooses a run of each thread such that every read may find a write.
    pub(crate) fn choose_runs<'r>(
        &mut self,
        choices: &[Vec<&'r Run>],
        visit: Visit<'_, 'r>,
    ) -> Progress {
        let most = self.budget.limits.max_executions;
        Choice::new(self.program, choices, most).visit(self, visit)
    }
}
