//! How runs of a program end under SC or TSO, by exploring all of its states: in which final states,
//! and with which errors.
//!
//! Buffers are first-in-first-out and unbounded. A program whose buffers stay short has finitely
//! many states, and then the answer is exact; where a buffer can grow for ever, or a limit is
//! reached, the outcomes found so far are some of them. A run to each is found by a machine of this
//! crate (`machine`) and accepted by `semantics`.

pub(crate) mod machine;
pub(crate) mod search;
pub(crate) mod states;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use explore::Progress;
use program::{
    EdgeId, IndexVec, Observable, Parameterised, Program, RegisterId, Thread, ThreadId, Value,
};
use semantics::{Computation, Control, Model, State};

use crate::execution::{BUG, Ending, Execution, Growing};
use crate::reach::too_many_choices;
use crate::verdict::{Options, Reason, Statistics};
use crate::whole::Whole;
use machine::{Machine, Purpose};
use search::{Ended, Parents, Search, moves_to};

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
    /// For each outcome the number of its state,
    ends: Vec<u32>,
    /// for each error that of the first state that shows it,
    failed: Vec<u32>,
    /// and how each state was found.
    parents: Parents,
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

/// The outcomes of a program under a model. Of the options only the limits matter.
pub fn outcomes(
    program: &Program,
    model: Model,
    options: &Options,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcomes, Parameterised> {
    let machine = Machine::new(program, model, Purpose::Ends)?;
    let threads = machine.threads.clone();
    let mut search = Search::new(&machine);
    let too_many = too_many_choices(program);
    let ended = if too_many.is_some() {
        None
    } else {
        search.run(&options.limits, &mut |_, _, _| false, watch)
    };
    let stopped = match ended {
        Some(Ended::Limit(limit)) => Some(Reason::Limit(limit)),
        Some(Ended::Grows(thread)) => {
            Some(Reason::BufferGrows { thread: threads[thread].name.clone() })
        }
        // Nothing in particular is looked for.
        Some(Ended::Found(_)) | None => too_many.or_else(|| search.stopped.clone()),
    };
    let complete = Whole::by_exploration(stopped);
    // Threads that are at different ends, or hold the lock or not, may look the same.
    let mut all: BTreeMap<Outcome, u32> = BTreeMap::new();
    for end in &search.ends {
        let view = search.view(*end);
        let outcome = Outcome {
            registers: view.locals.iter().map(|local| local.registers.clone()).collect(),
            changed_memory: view.memory.clone(),
        };
        all.entry(outcome).or_insert(*end);
    }
    let (found, ends) = all.into_iter().unzip();
    let Search { parents, statistics, errors, .. } = search;
    let (errors, failed) =
        errors.into_iter().map(|((thread, edge), at)| (Error { thread, edge }, at)).unzip();
    Ok(Outcomes { model, threads, found, errors, complete, statistics, ends, failed, parents })
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
    /// A run that ends in an outcome, one of the shortest in which local steps are made at once.
    pub fn run(&self, program: &Program, outcome: &Outcome) -> Option<Execution> {
        let at = self.found.binary_search(outcome).ok()?;
        let (computation, last) = self.run_to(program, self.ends[at])?;
        let same = last.threads().iter().map(semantics::ThreadState::registers);
        assert!(
            same.eq(outcome.registers.iter())
                && *last.changed_memory() == outcome.changed_memory
                && last.buffers_are_empty(),
            "a run ends elsewhere; {BUG}"
        );
        Some(Execution::replayed(program, computation, last, Ending::Terminated))
    }

    /// A run that ends with an error.
    pub fn failing_run(&self, program: &Program, error: Error) -> Option<Execution> {
        let at = self.errors.binary_search(&error).ok()?;
        let (computation, last) = self.run_to(program, self.failed[at])?;
        let Error { thread, edge } = error;
        let ending = match last.thread(thread).control() {
            Control::Stopped { edge: at, fault } if at == edge && !fault.is_limit() => {
                Ending::Fault { thread, edge, fault }
            }
            Control::Stopped { .. } | Control::At(_) => panic!("a run has no such error; {BUG}"),
        };
        Some(Execution::replayed(program, computation, last, ending))
    }

    fn run_to(&self, program: &Program, state: u32) -> Option<(Computation, State)> {
        let machine = Machine::new(program, self.model, Purpose::Ends).ok()?;
        let rules = semantics::Machine::new(program, self.model).ok()?;
        let mut run = Growing::new(&rules);
        for taken in moves_to(&machine, &self.parents, state) {
            run.make(taken);
        }
        Some(run.finish())
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
