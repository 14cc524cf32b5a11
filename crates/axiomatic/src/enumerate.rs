//! What a program can lead to under a model: its final states, its errors, and the bounds it meets.
//!
//! All executions are built ([`crate::explore`]), and one is kept for each final state and each error.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use std::rc::Rc;

use program::index::Idx;
use program::{IndexVec, Program, RegisterId, ThreadId, Value};

use crate::axioms::{Axioms, Flag};
use crate::coherence::Communication;
use crate::execution::Execution;
use crate::explore::{Asked, Exploration, Leaves};
use crate::future::Ahead;
use crate::limits::{Bound, Budget, LITTLE_WORK, Limits, MOST_ROUNDS, NoAnswer};
use crate::outcome::{FinalState, Outcomes, Raised};
use crate::parts::{parts, together};
use crate::run::{Ending, Pause, PossibleFault, Run};
use crate::search::{Interested, Memory, Progress, Search};
use crate::shape;
use crate::symmetry::Alike;
use crate::task::Task;

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
            (Err(NoAnswer::TooManyExecutions | NoAnswer::Stopped), Some(found)) => {
                return Ok(found);
            }
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
    let task = Task::new(program, axioms, unroll);
    // What is told about an execution may be about a thread.
    let alike = || if axioms.raises_flags() { Alike::none() } else { Alike::of(program, &threads) };
    let parts = if axioms.judges_parts_alone() {
        parts(program, &alike()).map_err(NoAnswer::Parameterised)?
    } else {
        vec![(0..threads.len()).collect()]
    };
    let mut all = Collected::new(program, axioms);
    let (mut candidates, mut too_long) = (0, false);
    let mut of_parts = Vec::new();
    for part in parts {
        let mut exploration = Exploration::new(&task, axioms, &threads, budget)?;
        exploration.alike = alike();
        let _ = exploration.run(&part, &mut all)?;
        candidates += exploration.candidates;
        too_long |= exploration.too_long;
        let states = std::mem::take(&mut all.states.states);
        of_parts.push((part, exploration.alike.all_states(states)));
    }
    let (states, is_longer) = together(&of_parts, budget)?;
    let Collected { flags, errors, bound, .. } = all;
    let errors = alike().all_errors(errors);
    let bound = bound.or_else(|| (too_long || is_longer).then_some(Bound::Events));
    Ok(Outcomes { threads, states, errors, bound, flags, candidates })
}

/// What was found so far.
struct Collected<'a> {
    states: Found<'a>,
    raises_flags: bool,
    flags: BTreeMap<String, Raised>,
    errors: BTreeMap<PossibleFault, Execution>,
    bound: Option<Bound>,
}

impl<'a> Collected<'a> {
    fn new(program: &'a Program, axioms: &dyn Axioms) -> Self {
        Self {
            states: Found::new(program),
            raises_flags: axioms.raises_flags(),
            flags: BTreeMap::new(),
            errors: BTreeMap::new(),
            bound: None,
        }
    }

    /// Whether the program has no defined behaviour. Then no more is to be known.
    fn is_undefined(&self) -> bool {
        self.flags.values().any(|raised| raised.undefined)
    }

    /// Whether it is known that an instruction fails.
    fn fails(&self, thread: ThreadId, edge: program::EdgeId) -> bool {
        self.errors.keys().any(|error| error.thread == thread && error.edge == edge)
    }

    /// Whether it was not known that a thread can end in this way, and is worth knowing.
    fn is_new(&self, ending: &Ending) -> bool {
        match ending {
            Ending::Terminated | Ending::Waiting => false,
            Ending::Fault(fault) => !self.errors.contains_key(fault),
            Ending::Bound(_) => self.bound.is_none(),
        }
    }
}

impl Leaves for Collected<'_> {
    fn cares(&self, runs: &[Rc<Run>], ahead: &dyn Fn(usize) -> Ahead) -> bool {
        if self.raises_flags && !self.is_undefined() {
            return true;
        }
        let is_new = |run: &Rc<Run>| match &run.pause {
            Pause::Ended(ending) => self.is_new(ending),
            Pause::Failing => true,
            Pause::Blocked(_) | Pause::Asks { .. } | Pause::WaitsFor(_) | Pause::Impossible => {
                false
            }
        };
        let may_be_new = |thread: usize| {
            let Ahead { fails, goes_round } = ahead(thread);
            fails.iter().any(|edge| !self.fails(ThreadId::new(thread), *edge))
                || (self.bound.is_none() && goes_round)
        };
        runs.iter().any(is_new)
            || runs.iter().enumerate().any(|(thread, run)| !run.has_stopped() && may_be_new(thread))
    }

    fn knows_bound(&self) -> bool {
        self.bound.is_some()
    }

    fn leaf(
        &mut self,
        asked: Asked<'_, '_>,
        execution: Execution,
        decided: &Communication,
        runs: &[Rc<Run>],
    ) -> Progress {
        let endings: Vec<&Ending> = runs
            .iter()
            .map(|run| match &run.pause {
                Pause::Ended(ending) => ending,
                Pause::Blocked(_)
                | Pause::Asks { .. }
                | Pause::WaitsFor(_)
                | Pause::Failing
                | Pause::Impossible => &Ending::Waiting,
            })
            .collect();
        if endings.iter().all(|ending| **ending == Ending::Terminated) {
            self.states.registers = runs.iter().map(|run| run.registers()).collect();
            let wants_all = self.raises_flags && !self.is_undefined();
            let flags_of_all = asked.axioms.flags_depend_on_coherence();
            let Self { states, flags, .. } = self;
            let mut ended = Ended { states, flags, wants_all, flags_of_all };
            return Search::new(asked, execution, &mut ended).run(decided);
        }
        let is_new = endings.iter().any(|ending| self.is_new(ending));
        let wants_flags = self.raises_flags && !self.is_undefined();
        let mut unfinished = Unfinished {
            first: None,
            flags: &mut self.flags,
            is_new,
            wants_flags,
            flags_of_all: asked.axioms.flags_depend_on_coherence(),
        };
        let _ = Search::new(asked, execution, &mut unfinished).run(decided)?;
        if let Some(first) = unfinished.first {
            for ending in endings {
                match ending {
                    Ending::Terminated | Ending::Waiting => {}
                    Ending::Fault(fault) => {
                        self.errors.entry(*fault).or_insert_with(|| first.clone());
                    }
                    Ending::Bound(met) => {
                        self.bound.get_or_insert_with(|| met.clone());
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The final states found.
pub(crate) struct Found<'a> {
    pub(crate) program: &'a Program,
    /// The registers at the end of the runs that are looked at.
    pub(crate) registers: IndexVec<ThreadId, IndexVec<RegisterId, Value>>,
    states: BTreeMap<FinalState, Execution>,
}

impl<'a> Found<'a> {
    pub(crate) const fn new(program: &'a Program) -> Self {
        Self { program, registers: IndexVec::new(), states: BTreeMap::new() }
    }

    /// The state that ends with this memory.
    pub(crate) fn state(&self, memory: &Memory) -> FinalState {
        let is_initial = |address: Value, value: Value| {
            self.program.memory().cell(address).is_ok_and(|cell| cell.initial == value)
        };
        let changed = |(address, value): &(&Value, &Value)| !is_initial(**address, **value);
        let cells = memory.iter().filter(changed).map(|(address, value)| (*address, *value));
        FinalState { registers: self.registers.clone(), cells: cells.collect() }
    }
}

/// Executions in which all threads end.
struct Ended<'c, 'a> {
    states: &'c mut Found<'a>,
    flags: &'c mut BTreeMap<String, Raised>,
    wants_all: bool,
    /// Whether the flags of one such execution are not those of all.
    flags_of_all: bool,
}

impl Interested for Ended<'_, '_> {
    fn wants(&mut self, memory: &Memory) -> bool {
        self.wants_all || !self.states.states.contains_key(&self.states.state(memory))
    }

    fn found(
        &mut self,
        execution: &Execution,
        memory: Memory,
        flags: Vec<Flag>,
    ) -> ControlFlow<()> {
        let state = self.states.state(&memory);
        self.states.states.entry(state).or_insert_with(|| execution.clone());
        raise(self.flags, execution, flags);
        self.wants_all &= self.flags_of_all;
        ControlFlow::Continue(())
    }
}

/// Executions in which some thread does not end: an error, a bound, or a flag, such as a data race before an
/// endless wait.
struct Unfinished<'c> {
    first: Option<Execution>,
    flags: &'c mut BTreeMap<String, Raised>,
    is_new: bool,
    wants_flags: bool,
    /// Whether the flags of one such execution are not those of all.
    flags_of_all: bool,
}

impl Interested for Unfinished<'_> {
    fn wants(&mut self, _: &Memory) -> bool {
        let is_first = self.first.is_none();
        (self.wants_flags && (self.flags_of_all || is_first)) || (self.is_new && is_first)
    }

    fn found(&mut self, execution: &Execution, _: Memory, flags: Vec<Flag>) -> ControlFlow<()> {
        self.first.get_or_insert_with(|| execution.clone());
        raise(self.flags, execution, flags);
        if self.wants_flags && self.flags_of_all {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

/// Keeps the first execution that raises each flag.
fn raise(raised: &mut BTreeMap<String, Raised>, execution: &Execution, flags: Vec<Flag>) {
    for Flag { name, undefined, pairs } in flags {
        let first = || Raised { undefined, pairs, execution: execution.clone() };
        raised.entry(name).or_insert_with(first);
    }
}
