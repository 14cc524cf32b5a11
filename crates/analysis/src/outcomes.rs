//! How runs of a program end under SC or TSO, by exploring all of its states: in which final states,
//! and with which errors.
//!
//! The states are those of [`crate::buffers`], explored as far as an end can follow. A run ends with its
//! first error. That hides no other: a thread that an error stops changes nothing any more, and whatever
//! others do after it they can do if it never makes the step that fails.
//!
//! Registers that are written again before they are read are forgotten on the way; at the end all are
//! looked at. Equal threads are told apart, since final states are.
//!
//! A program whose buffers stay short has finitely many states, and then the answer is exact; where a buffer
//! can grow for ever, or a limit is reached, the outcomes found so far are some of them
//! ([`outcomes_of_any_length`] finds the others if data is finite). A run to one of them
//! is found when somebody asks for it, by a search for it alone, and accepted by `semantics`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use automata::{Answer, Snapshot};
use explore::Progress;
use program::index::Idx;
use program::{
    EdgeId, Fault, IndexVec, Observable, Parameterised, Program, RegisterId, Thread, ThreadId,
    Value,
};
use semantics::{Computation, Control, Model, State};

use crate::buffers::growth::{Asked, STILL, explore};
use crate::buffers::{Buffered, Condition, Goal};
use crate::duality::{Looking, Targets, any_length};
use crate::execution::{BUG, Ending, Execution, RunBuilder};
use crate::reach::too_many_choices;
use crate::sc::{Cell, LiveUntil, Look, Sc, StateView};
use crate::verdict::{Options, Reason, Statistics, Verdict, Watch};
use crate::whole::Whole;

/// So many ends are looked for by load buffers, one after the other.
const MOST_FURTHER_ENDS: usize = 256;

/// A final state: every thread has ended and every buffer is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// The registers of each thread.
    pub registers: IndexVec<ThreadId, IndexVec<RegisterId, Value>>,
    /// The cells that do not hold their initial value.
    pub changed_memory: BTreeMap<Value, Value>,
}

/// The outcomes of a program under a model.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// The model.
    pub model: Model,
    /// The threads, by whose numbers outcomes refer to them.
    pub threads: IndexVec<ThreadId, Thread>,
    /// The final states that were found, in order.
    pub found: Vec<Outcome>,
    /// The errors that were found, in order.
    pub errors: Vec<Error>,
    /// That there are no others, or why there may be.
    pub complete: Result<Whole, Reason>,
    /// What the search did.
    pub statistics: Statistics,
    /// For each error, how it fails in one run.
    faults: Vec<Fault>,
    /// How to search for runs.
    options: Options,
    /// Runs to ends that need buffers longer than were explored.
    further: Vec<Execution>,
}

/// An error with which a run ends: whose, and in which instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Error {
    /// The thread that it stops.
    pub thread: ThreadId,
    /// The instruction.
    pub edge: EdgeId,
}

/// The outcomes under both models.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Under SC.
    pub sc: Outcomes,
    /// Under TSO.
    pub tso: Outcomes,
}

/// The outcomes of a program under a model.
pub fn outcomes(
    program: &Program,
    model: Model,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcomes, Parameterised> {
    let threads = program.threads()?;
    let mut ends = Ends { found: BTreeSet::new(), errors: BTreeMap::new() };
    let (complete, statistics) = if let Some(too_many) = too_many_choices(program) {
        (Whole::by_exploration(Some(too_many)), Statistics::default())
    } else {
        let looks = || (look(program, options, true), Goal::default());
        let asked = asked(program, model, options, &looks);
        let explored = explore(&Asked { all: true, ..asked }, &mut watch)?;
        for end in &explored.found {
            ends.add(explored.threads.sc(), end);
        }
        (Whole::by_exploration(explored.doubt()), explored.statistics)
    };
    let found = ends.found.into_iter().collect();
    let (errors, faults) = ends.errors.into_iter().unzip();
    let options = *options;
    let further = Vec::new();
    Ok(Outcomes { model, threads, found, errors, complete, statistics, faults, options, further })
}

/// The same with buffers of any length: where one can grow for ever, load buffers ([`crate::duality`]) are
/// asked for an end that was not found, again and again, until there is no other.
pub fn outcomes_of_any_length(
    program: &Program,
    model: Model,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcomes, Parameterised> {
    let mut outcomes = outcomes(program, model, options, &mut watch)?;
    if !matches!(outcomes.complete, Err(Reason::BufferGrows { .. })) {
        return Ok(outcomes);
    }
    let mut ends = Ends {
        found: std::mem::take(&mut outcomes.found).into_iter().collect(),
        errors: outcomes.errors.iter().copied().zip(outcomes.faults.iter().copied()).collect(),
    };
    for _ in 0..MOST_FURTHER_ENDS {
        let is_end_new = |outcome: &Outcome| !ends.found.contains(outcome);
        let is_error_new = |error: Error| !ends.errors.contains_key(&error);
        let ends_of = |looking: &Looking<'_, '_, '_>| looking.ends(&is_end_new, &is_error_new);
        let targets = Targets { of: &ends_of, deadlocks: false };
        let look = look(program, options, true);
        let nobody = &mut |_: &mut Watch<'_>| Ok(None);
        let (verdict, did) = any_length(program, look, &targets, options, (&mut watch, nobody))?;
        outcomes.statistics.include(&did);
        match verdict {
            Some(Verdict::Violated((computation, last))) => {
                let ending = ends.further(&last);
                let run = Execution::replayed(program, computation, last, ending);
                outcomes.further.push(run);
            }
            Some(Verdict::Holds(proof)) => {
                outcomes.complete = Ok(proof.whole());
                break;
            }
            Some(Verdict::Undecided(_)) | None => break,
        }
    }
    outcomes.found = ends.found.into_iter().collect();
    (outcomes.errors, outcomes.faults) = ends.errors.into_iter().unzip();
    Ok(outcomes)
}

/// What is looked at: all registers at the end, and errors if they are looked for.
pub(crate) fn look<'p>(program: &'p Program, options: &Options, faults: bool) -> Look<'p> {
    let of_template = |(id, template): (program::TemplateId, &'p program::Template)| {
        template.registers().indices().map(move |register| (id, register, LiveUntil::AtTheEnd))
    };
    Look {
        faults,
        forget_dead_registers: options.reductions.dead_registers,
        registers: program.templates().enumerate().flat_map(of_template).collect(),
        ..Look::at_nothing()
    }
}

fn asked<'a, 'p>(
    program: &'p Program,
    model: Model,
    options: &'a Options,
    looks: &'a dyn Fn() -> (Look<'p>, Goal<'p>),
) -> Asked<'a, 'p> {
    let mut automata = options.of_automata(options.reductions, false);
    automata.reductions.symmetry = false;
    automata.ends = true;
    Asked { program, model, options, automata, looks, all: false, still: STILL }
}

/// The ends that were found.
struct Ends {
    found: BTreeSet<Outcome>,
    errors: BTreeMap<Error, Fault>,
}

impl Ends {
    /// Adds how a run ends that is not like any of these.
    fn further(&mut self, last: &State) -> Ending {
        for (thread, one) in last.threads().enumerate() {
            if let Control::Stopped { edge, fault } = one.control()
                && self.errors.insert(Error { thread, edge }, fault).is_none()
            {
                return Ending::Fault { thread, edge, fault };
            }
        }
        let registers = last.threads().iter().map(|thread| thread.registers().clone()).collect();
        let changed_memory = last.changed_memory().clone();
        let is_new = self.found.insert(Outcome { registers, changed_memory });
        assert!(is_new, "an end was found twice; {BUG}");
        Ending::Terminated
    }

    fn add(&mut self, sc: &Sc<'_>, end: &Snapshot<Buffered<'_>>) {
        let mut has_ended = true;
        for (thread, local) in end.locals.iter().enumerate() {
            if let Control::Stopped { edge, fault } = local.thread.control {
                has_ended = false;
                if !fault.is_limit() {
                    let error = Error { thread: ThreadId::new(thread), edge };
                    let known = self.errors.entry(error).or_insert(fault);
                    *known = fault.min(*known);
                }
            }
        }
        if has_ended {
            let registers = end.locals.iter().map(|local| local.thread.registers.clone());
            let cells = end.cells.iter().map(|(cell, _)| *cell);
            let outcome = Outcome {
                registers: registers.collect(),
                changed_memory: changed_memory(sc, cells, end),
            };
            self.found.insert(outcome);
        }
    }
}

/// The memory cells that do not hold what they held in the beginning.
fn changed_memory(
    sc: &Sc<'_>,
    cells: impl Iterator<Item = Cell>,
    state: &impl StateView,
) -> BTreeMap<Value, Value> {
    let blocks = cells.filter_map(|cell| match cell {
        Cell::Memory(address) => Some(sc.block(address)),
        Cell::Lock | Cell::Published(_) => None,
    });
    let held = blocks.flat_map(|block| {
        block.addresses().map(|address| (address, sc.held(state, address))).collect::<Vec<_>>()
    });
    let initial = |address| sc.program().memory().cell(address).map_or(0, |cell| cell.initial);
    held.filter(|(address, value)| initial(*address) != *value).collect()
}

/// The outcomes of a program under both models.
pub fn compare(
    program: &Program,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Comparison, Parameterised> {
    let sc = outcomes(program, Model::Sc, options, &mut watch)?;
    let tso = outcomes(program, Model::Tso, options, &mut watch)?;
    Ok(Comparison { sc, tso })
}

impl Outcomes {
    /// A run that ends in an outcome, one of the shortest in which local steps are made at once; nothing
    /// if it is not found within the limits.
    pub fn run(&self, program: &Program, outcome: &Outcome) -> Option<Execution> {
        self.found.binary_search(outcome).ok()?;
        self.search_run(program, outcome).ok()
    }

    /// The same for one of the outcomes, or the limit.
    pub(crate) fn search_run(
        &self,
        program: &Program,
        outcome: &Outcome,
    ) -> Result<Execution, Reason> {
        let is_it = |run: &&Execution| {
            let same = run.last.threads().iter().map(semantics::ThreadState::registers);
            run.ending == Ending::Terminated
                && same.eq(outcome.registers.iter())
                && *run.last.changed_memory() == outcome.changed_memory
        };
        if let Some(run) = self.further.iter().find(is_it) {
            return Ok(run.clone());
        }
        let looks = || {
            let outcome = outcome.clone();
            let condition: Box<Condition<'_>> = Box::new(move |threads, view| {
                let mut all = outcome.registers.enumerate();
                let is_alike = |thread| StateView::local(view, thread);
                all.all(|(thread, registers)| is_alike(thread).registers == *registers) && {
                    let cells = view.cells().map(|(cell, _)| cell);
                    changed_memory(threads.sc(), cells, view) == outcome.changed_memory
                }
            });
            let goal = Goal { condition: Some(condition), is_of_ends: true, ..Goal::default() };
            (look(program, &self.options, false), goal)
        };
        let (computation, last) = self.run_to(program, &looks)?;
        let same = last.threads().iter().map(semantics::ThreadState::registers);
        assert!(
            same.eq(outcome.registers.iter())
                && *last.changed_memory() == outcome.changed_memory
                && last.buffers_are_empty(),
            "a run ends elsewhere; {BUG}"
        );
        Ok(Execution::replayed(program, computation, last, Ending::Terminated))
    }

    /// How an error fails in one run.
    pub fn fault(&self, error: Error) -> Option<Fault> {
        let at = self.errors.binary_search(&error).ok()?;
        self.faults.get(at).copied()
    }

    /// A run that ends with an error; nothing if it is not found within the limits.
    pub fn failing_run(&self, program: &Program, error: Error) -> Option<Execution> {
        self.search_failing_run(program, (error, self.fault(error)?)).ok()
    }

    /// The same for one of the errors, or the limit.
    fn search_failing_run(
        &self,
        program: &Program,
        (error, fault): (Error, Fault),
    ) -> Result<Execution, Reason> {
        let Error { thread, edge } = error;
        let ending = Ending::Fault { thread, edge, fault };
        if let Some(run) = self.further.iter().find(|run| run.ending == ending) {
            return Ok(run.clone());
        }
        let looks = || {
            let look = Look { tell_copies_apart: true, ..look(program, &self.options, true) };
            let never: Box<Condition<'_>> = Box::new(|_, _| false);
            let error = Some((thread, edge, fault));
            let goal = Goal { condition: Some(never), is_of_ends: true, error, ..Goal::default() };
            (look, goal)
        };
        let (computation, last) = self.run_to(program, &looks)?;
        let is_it = last.thread(thread).control() == Control::Stopped { edge, fault };
        assert!(is_it, "a run has no such error; {BUG}");
        Ok(Execution::replayed(program, computation, last, ending))
    }

    /// Runs with these errors and to these outcomes, as many as are wanted, or the limit.
    pub(crate) fn runs<'a>(
        &self,
        program: &Program,
        errors: impl Iterator<Item = Error>,
        outcomes: impl Iterator<Item = &'a Outcome>,
        most: usize,
    ) -> Result<Vec<Execution>, Reason> {
        let faults = errors.filter_map(|error| Some((error, self.fault(error)?)));
        let failing = faults.map(|error| self.search_failing_run(program, error));
        let ending = outcomes.map(|outcome| self.search_run(program, outcome));
        failing.chain(ending).take(most).collect()
    }

    fn run_to<'p>(
        &self,
        program: &'p Program,
        looks: &dyn Fn() -> (Look<'p>, Goal<'p>),
    ) -> Result<(Computation, State), Reason> {
        let nobody: &mut Watch<'_> = &mut |_| ControlFlow::Continue(());
        let asked = asked(program, self.model, &self.options, looks);
        let explored = explore(&asked, nobody).map_err(Reason::Parameterised)?;
        let doubt = explored.doubt();
        let Answer::Found(runs) = explored.answer else {
            return Err(doubt.unwrap_or_else(|| panic!("a run is not found again; {BUG}")));
        };
        let rules = semantics::Machine::new(program, self.model).map_err(Reason::Parameterised)?;
        let mut run = RunBuilder::new(&rules);
        let steps = runs.first().map_or(&[][..], |run| &run.steps);
        for taken in explored.threads.moves(steps) {
            run.make(taken);
        }
        Ok(run.finish())
    }

    /// What is seen in an outcome.
    pub fn see(&self, program: &Program, outcome: &Outcome, observable: Observable) -> Value {
        match observable {
            Observable::Cell(_) | Observable::Across(..) => {
                let memory = program.memory();
                let held = |address: Value| {
                    let initial = || memory.cell(address).map_or(0, |cell| cell.initial);
                    outcome.changed_memory.get(&address).copied().unwrap_or_else(initial)
                };
                observable.in_memory(memory, held).unwrap_or_default()
            }
            Observable::Register { template, copy, register } => {
                let is_it = |thread: &Thread| (thread.template, thread.copy) == (template, copy);
                let found = self.threads.enumerate().find(|(_, thread)| is_it(thread));
                found.map_or(0, |(thread, _)| outcome.registers[thread][register])
            }
        }
    }

    /// Of the outcomes that the program's question considers: those that satisfy its proposition, and
    /// those that do not. Nothing if it asks nothing.
    pub fn divided<'a>(
        &'a self,
        program: &Program,
    ) -> Option<(Vec<&'a Outcome>, Vec<&'a Outcome>)> {
        let question = program.question();
        let (_, proposition) = question.condition.as_ref()?;
        let considered = self.found.iter().filter(|outcome| {
            let seen = |observable| self.see(program, outcome, observable);
            question.filter.as_ref().is_none_or(|filter| filter.holds(&seen))
        });
        Some(considered.partition(|outcome| {
            proposition.holds(&|observable| self.see(program, outcome, observable))
        }))
    }
}

/// The registers that some instruction writes, thread by thread: the others are as they were.
pub fn written_registers(
    program: &Program,
) -> Result<IndexVec<ThreadId, Vec<RegisterId>>, Parameterised> {
    let of = |thread: &Thread| {
        let template = program.template(thread.template);
        let edges = template.edges().iter();
        let mut all: Vec<RegisterId> =
            edges.filter_map(|edge| edge.instruction.written_register()).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    Ok(program.threads()?.iter().map(of).collect())
}

impl Comparison {
    /// The outcomes that TSO has and SC has not, unless not all of SC's are known.
    pub fn only_under_tso(&self) -> Result<Vec<&Outcome>, &Reason> {
        self.sc.complete.as_ref()?;
        let is_new = |outcome: &&Outcome| self.sc.found.binary_search(outcome).is_err();
        Ok(self.tso.found.iter().filter(is_new).collect())
    }
}
