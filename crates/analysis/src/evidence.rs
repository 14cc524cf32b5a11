//! What shows that a criterion is violated: made from the steps that a search found, replayed, and
//! checked point by point before anybody sees it.

use program::index::Idx;
use program::{Parameterised, Program, ThreadId};
use semantics::{Computation, Control, Machine, Model, Move, Same, Trace, replay};

use crate::criterion::Criterion;
use crate::execution::{BUG, Ending, Execution, RunBuilder};
use crate::overtaking::{Clash, Pattern, pattern};
use crate::patterns::{can_pivot, look};
use crate::race::{Access, race};
use crate::robustness::Witness;
use crate::sc::{Name, Sc, Unpacked};
use crate::tso_only::TsoOnlyRun;
use crate::verdict::Options;

/// What shows that a criterion is violated.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// Two accesses race after this SC run.
    Race(Box<Race>),
    /// A write overtakes a store.
    Overtaking(Box<Overtaking>),
    /// A cycle of happens-before.
    Cycle(Box<Witness>),
    /// A state that SC does not have.
    TsoOnly(Box<TsoOnlyRun>),
}

impl Evidence {
    /// The run that shows it.
    pub const fn execution(&self) -> &Execution {
        match self {
            Self::Race(race) => &race.execution,
            Self::Overtaking(overtaking) => &overtaking.execution,
            Self::Cycle(witness) => &witness.execution,
            Self::TsoOnly(run) => &run.execution,
        }
    }
}

/// A data race.
#[derive(Clone, Debug)]
pub struct Race {
    /// An SC run to the state in which both accesses are about to be made.
    pub execution: Execution,
    /// The accesses.
    pub accesses: [Access; 2],
    /// The trace of the run.
    pub trace: Trace,
}

/// A TSO run π₁·e₁·π₃·e·e₂·u₂·u₁ that no SC run corresponds to (ESOP'15, §7).
#[derive(Clone, Debug)]
pub struct Overtaking {
    /// The run.
    pub execution: Execution,
    /// The thread whose store is overtaken.
    pub pivot: ThreadId,
    /// The thread that overtakes it.
    pub fringe: ThreadId,
    /// The steps that issue the pivot's store (e₁), make its load (e), write what was loaded (e₂ and
    /// u₂: the last step of the fringe's write), and let the store reach memory (u₁).
    pub issue_step: usize,
    /// See `issue_step`.
    pub load_step: usize,
    /// See `issue_step`.
    pub write_step: usize,
    /// See `issue_step`.
    pub store_step: usize,
    /// The trace of the run.
    pub trace: Trace,
}

/// The evidence in the state that these steps lead to, checked.
pub(crate) fn evidence(
    program: &Program,
    options: &Options,
    criterion: Criterion,
    steps: &[(usize, Name)],
) -> Result<Evidence, Parameterised> {
    let sc = Sc::new(program, look(options, None))?;
    let state = sc.after(steps).unwrap_or_else(|| lost());
    let moves = steps.iter().map(|(thread, (edge, choice))| Move::Execute {
        thread: ThreadId::new(*thread),
        edge: *edge,
        choice: *choice,
    });
    let clash = match criterion {
        Criterion::Trf => Clash::SameCell,
        Criterion::Persistence => Clash::OtherValue,
        Criterion::Drf | Criterion::Robustness | Criterion::States => {
            return race_after(program, options, steps, race);
        }
    };
    let found = pattern(&sc, &state, clash, |thread, local| can_pivot(&sc, thread, local));
    let found = found.unwrap_or_else(|| lost());
    Ok(Evidence::Overtaking(Box::new(overtaking(program, clash, moves, &found)?)))
}

/// The race in the state that these steps lead to, as somebody sees it there, checked.
pub(crate) fn race_after(
    program: &Program,
    options: &Options,
    steps: &[(usize, Name)],
    seen: impl Fn(&Sc<'_>, &Unpacked) -> Option<[Access; 2]>,
) -> Result<Evidence, Parameterised> {
    let sc = Sc::new(program, look(options, None))?;
    let state = sc.after(steps).unwrap_or_else(|| lost());
    let accesses = seen(&sc, &state).unwrap_or_else(|| lost());
    let machine = Machine::new(program, Model::Sc)?;
    let mut run = RunBuilder::new(&machine);
    for (thread, (edge, choice)) in steps {
        let thread = ThreadId::new(*thread);
        run.make_at_once(Move::Execute { thread, edge: *edge, choice: *choice });
    }
    let (computation, last) = run.finish();
    for access in &accesses {
        check_access(&machine, &last, access);
    }
    let trace = trace(program, &computation);
    let execution = Execution::replayed(program, computation, last, Ending::Goal);
    Ok(Evidence::Race(Box::new(Race { execution, accesses, trace })))
}

pub(crate) fn lost() -> ! {
    panic!("a violation is not where it was found; {BUG}")
}

/// An access of a race is the next one of its thread, and of the address that it says.
fn check_access(machine: &Machine<'_>, state: &semantics::State, access: &Access) {
    let Control::At(label) = state.thread(access.thread).control() else {
        panic!("a thread that races has stopped; {BUG}");
    };
    let template = machine.template(access.thread);
    let edge = template.edge(access.edge);
    let address = edge.instruction.memory_access().map(|(address, _)| {
        address.evaluate(machine.program().memory(), state.thread(access.thread).registers())
    });
    let is_next = edge.from == label && address == Some(Ok(access.address));
    assert!(is_next, "an access that races is not the next one of its thread; {BUG}");
}

/// The TSO run of a pattern, replayed and checked not to be one of SC.
fn overtaking(
    program: &Program,
    clash: Clash,
    prefix: impl Iterator<Item = Move>,
    found: &Pattern,
) -> Result<Overtaking, Parameterised> {
    let machine = Machine::new(program, Model::Tso)?;
    let mut run = RunBuilder::new(&machine);
    prefix.for_each(|taken| run.make_at_once(taken));
    let issue_step = run.len();
    let execute = |thread, (edge, choice): Name| Move::Execute { thread, edge, choice };
    for name in &found.walk {
        run.make(execute(found.pivot, *name));
    }
    let load_step = run.len() - 1;
    for name in &found.write {
        run.make_at_once(execute(found.fringe, *name));
    }
    let write_step = run.len() - 1;
    run.make(Move::Commit { thread: found.pivot });
    let store_step = run.len() - 1;
    let (computation, last) = run.finish();
    let trace = trace(program, &computation);
    let same = match clash {
        Clash::SameCell => Same::Source,
        Clash::OtherValue => Same::Value,
    };
    let initial = |address| program.memory().cell(address).map_or(0, |cell| cell.initial);
    let is_sc = trace.is_realisable_under_sc(same, initial);
    assert!(!is_sc, "an SC run does what a violation does; {BUG}");
    let execution = Execution::replayed(program, computation, last, Ending::Goal);
    let (pivot, fringe) = (found.pivot, found.fringe);
    Ok(Overtaking {
        execution,
        pivot,
        fringe,
        issue_step,
        load_step,
        write_step,
        store_step,
        trace,
    })
}

/// The trace of a computation that must be a run.
fn trace(program: &Program, computation: &Computation) -> Trace {
    let run = replay(program, computation)
        .unwrap_or_else(|rejection| panic!("a run cannot be replayed: {rejection}; {BUG}"));
    Trace::of(&run).unwrap_or_else(|_| panic!("a run leaves stores in a buffer; {BUG}"))
}
