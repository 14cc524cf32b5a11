//! Reachable states: plain configurations, final states, faults, and the program's own question.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use program::{
    EdgeId, Fault, IndexVec, LabelId, Observable, Program, Quantifier, RegisterId, ThreadId, Value,
    index::Idx,
};

use crate::code::instantiate;
use crate::explore::explore_states;
use crate::limits::{Exceeded, Limits};
use crate::machine::{Machine, State};
use crate::state::{Action, MemoryModel};

/// A plain configuration: a state with empty buffers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Configuration {
    /// The threads.
    pub threads: IndexVec<ThreadId, ThreadConfiguration>,
    /// The cells that do not hold their initial value.
    pub cells: BTreeMap<Value, Value>,
}

/// What a plain configuration says of one thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThreadConfiguration {
    /// Where it is.
    pub label: LabelId,
    /// Its registers.
    pub registers: IndexVec<RegisterId, Value>,
    /// What stopped it, if anything did.
    pub fault: Option<Fault>,
}

/// The plain configurations that are reachable.
pub fn plain_configurations(
    program: &Program,
    model: MemoryModel,
    limits: &Limits,
) -> Result<BTreeSet<Configuration>, Exceeded> {
    configurations(program, model, limits, false)
}

/// The reachable plain configurations in which every thread has ended, none by a fault.
pub fn final_states(
    program: &Program,
    model: MemoryModel,
    limits: &Limits,
) -> Result<BTreeSet<Configuration>, Exceeded> {
    configurations(program, model, limits, true)
}

fn configurations(
    program: &Program,
    model: MemoryModel,
    limits: &Limits,
    only_final: bool,
) -> Result<BTreeSet<Configuration>, Exceeded> {
    let code = instantiate(program)?;
    let mut found = BTreeSet::new();
    let mut visit = |machine: &mut Machine<'_>, state: &State| {
        if machine.is_plain(state) && (!only_final || machine.is_final(state)) {
            let view = |thread| {
                let thread = machine.thread(state, thread);
                ThreadConfiguration {
                    label: thread.label,
                    registers: thread.registers.clone(),
                    fault: thread.fault,
                }
            };
            found.insert(Configuration {
                threads: code.threads.indices().map(view).collect(),
                cells: machine.cells(state).iter().copied().collect(),
            });
        }
        Ok(ControlFlow::Continue(()))
    };
    let machine = &mut Machine::new(&code, limits);
    explore_states(machine, model, limits, &mut visit, &mut |_, _, _| {})?;
    Ok(found)
}

/// The faults that are reachable, each with the thread it stops.
pub fn reachable_faults(
    program: &Program,
    model: MemoryModel,
    limits: &Limits,
) -> Result<BTreeSet<(ThreadId, Fault)>, Exceeded> {
    let code = instantiate(program)?;
    faults_of(&mut Machine::new(&code, limits), model, limits)
}

pub(crate) fn faults_of(
    machine: &mut Machine<'_>,
    model: MemoryModel,
    limits: &Limits,
) -> Result<BTreeSet<(ThreadId, Fault)>, Exceeded> {
    let mut found = BTreeSet::new();
    let mut visit = |machine: &mut Machine<'_>, state: &State| {
        for thread in machine.code.threads.indices() {
            found.extend(machine.thread(state, thread).fault.map(|fault| (thread, fault)));
        }
        Ok(ControlFlow::Continue(()))
    };
    explore_states(machine, model, limits, &mut visit, &mut |_, _, _| {})?;
    Ok(found)
}

/// The errors that are reachable: the thread that each stops, and the instruction that fails.
pub fn reachable_errors(
    program: &Program,
    model: MemoryModel,
    limits: &Limits,
) -> Result<BTreeSet<(ThreadId, EdgeId)>, Exceeded> {
    let code = instantiate(program)?;
    errors_of(&mut Machine::new(&code, limits), model, limits)
}

pub(crate) fn errors_of(
    machine: &mut Machine<'_>,
    model: MemoryModel,
    limits: &Limits,
) -> Result<BTreeSet<(ThreadId, EdgeId)>, Exceeded> {
    let mut found = BTreeSet::new();
    let mut visit = |_: &mut Machine<'_>, _: &State| Ok(ControlFlow::Continue(()));
    let mut step = |machine: &Machine<'_>, action: &Action, next: &State| {
        let fails = machine.thread(next, action.thread).fault.is_some();
        found.extend(action.edge.filter(|_| fails).map(|edge| (action.thread, edge)));
    };
    explore_states(machine, model, limits, &mut visit, &mut step)?;
    Ok(found)
}

impl Configuration {
    /// The value of something that can be seen in it.
    pub fn see(&self, program: &Program, observable: Observable) -> Value {
        match observable {
            Observable::Cell(_) | Observable::Across(..) => {
                let memory = program.memory();
                let held = |address| {
                    let initial = || memory.cell(address).expect("an existing cell").initial;
                    self.cells.get(&address).copied().unwrap_or_else(initial)
                };
                observable.in_memory(memory, held).expect("this is in memory")
            }
            Observable::Register { template, copy, register } => {
                let threads = program.threads().expect("only programs with counts run");
                let thread = threads
                    .iter()
                    .position(|thread| thread.template == template && thread.copy == copy)
                    .expect("questions are about existing threads");
                self.threads[ThreadId::new(thread)].registers[register]
            }
        }
    }
}

/// The answer to a program's question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether as many final states satisfy the proposition as the question asks for.
    pub holds: bool,
    /// How many of the final states considered satisfy the proposition.
    pub positive: usize,
    /// How many do not.
    pub negative: usize,
}

/// The answer to the program's question, if it asks one.
pub fn answer(
    program: &Program,
    model: MemoryModel,
    limits: &Limits,
) -> Result<Option<Answer>, Exceeded> {
    let question = program.question();
    let Some((quantifier, proposition)) = &question.condition else { return Ok(None) };
    let (mut positive, mut negative) = (0, 0);
    for state in final_states(program, model, limits)? {
        let seen = |observable| state.see(program, observable);
        if question.filter.as_ref().is_none_or(|filter| filter.holds(&seen)) {
            if proposition.holds(&seen) {
                positive += 1;
            } else {
                negative += 1;
            }
        }
    }
    let holds = match quantifier {
        Quantifier::Exists => positive > 0,
        Quantifier::Never => positive == 0,
        Quantifier::Always => negative == 0,
    };
    Ok(Some(Answer { holds, positive, negative }))
}
