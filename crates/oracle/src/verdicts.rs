//! The verdicts, straight from the definitions: sets of TSO and of SC computations are compared.
//!
//! Every SC computation is a TSO computation in which each store reaches memory at once, so the
//! SC set is always part of the TSO set and equality means that nothing more is in the latter.

use std::ops::ControlFlow;

use program::Program;

use crate::code::{Code, instantiate};
use crate::explore::{Longer, explore_states, explore_traces};
use crate::interner::{FastSet, Key};
use crate::limits::{Exceeded, Limits};
use crate::machine::Machine;
use crate::outcomes::{errors_of, faults_of};
use crate::race::is_race_free;
use crate::state::MemoryModel;
use crate::trace::Traces;

/// What can be asked of a program, and be enforced by fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// TSO and SC traces agree on program order, the one order of all stores, and source (Owens,
    /// ECOOP'10, as ESOP'15 §2 describes it).
    TriangularRaceFree,
    /// TSO and SC traces agree on program order, store order per address, and source (ESOP'13 §3).
    Robust,
    /// TSO and SC runs agree on program order with values and the one order of all stores (ESOP'15
    /// §6).
    Persistent,
    /// The same plain configurations are reachable: labels, registers, faults and memory, all
    /// buffers being empty.
    SameStates,
    /// Runs end in the same ways: the same final states are reachable, plain configurations in which all
    /// threads have ended, and the same errors.
    SameEnds,
}

impl Criterion {
    /// All criteria.
    pub const ALL: [Self; 5] = [
        Self::TriangularRaceFree,
        Self::Robust,
        Self::Persistent,
        Self::SameStates,
        Self::SameEnds,
    ];
}

/// All verdicts about one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "eight questions with the answers yes and no")]
pub struct Verdicts {
    /// There is no data race ([`crate::has_data_race`]).
    pub data_race_free: bool,
    /// [`Criterion::TriangularRaceFree`].
    pub triangular_race_free: bool,
    /// [`Criterion::Robust`].
    pub robust: bool,
    /// [`Criterion::Persistent`].
    pub persistent: bool,
    /// [`Criterion::SameStates`].
    pub same_states: bool,
    /// [`Criterion::SameEnds`].
    pub same_ends: bool,
    /// A fault is reachable under SC.
    pub sc_fault: bool,
    /// A fault is reachable under TSO.
    pub tso_fault: bool,
    /// How many nodes (states with traces) there were under SC and under TSO.
    pub nodes: (usize, usize),
}

impl Verdicts {
    /// Whether the program satisfies a criterion.
    pub const fn holds(&self, criterion: Criterion) -> bool {
        match criterion {
            Criterion::TriangularRaceFree => self.triangular_race_free,
            Criterion::Robust => self.robust,
            Criterion::Persistent => self.persistent,
            Criterion::SameStates => self.same_states,
            Criterion::SameEnds => self.same_ends,
        }
    }
}

/// All verdicts about a program.
pub fn verdicts(program: &Program, limits: &Limits) -> Result<Verdicts, Exceeded> {
    let code = instantiate(program)?;
    let machine = &mut Machine::new(&code, limits);
    let traces = &mut Traces::new(code.threads.len());
    let mut sc: [FastSet<Key>; 5] = std::array::from_fn(|_| FastSet::default());
    let sc_nodes = explore_traces(
        machine,
        traces,
        MemoryModel::Sc,
        (limits, Longer::Exceeds),
        &mut |machine, traces, state, trace| {
            for (criterion, set) in Criterion::ALL.into_iter().zip(&mut sc) {
                set.extend(compared(criterion, machine, traces, state, trace));
            }
            ControlFlow::Continue(())
        },
    )?;
    let mut same = [true; 5];
    let tso_nodes = explore_traces(
        machine,
        traces,
        MemoryModel::Tso,
        (limits, Longer::Exceeds),
        &mut |machine, traces, state, trace| {
            for ((criterion, set), same) in Criterion::ALL.into_iter().zip(&sc).zip(&mut same) {
                *same = *same
                    && compared(criterion, machine, traces, state, trace)
                        .is_none_or(|key| set.contains(&key));
            }
            ControlFlow::Continue(())
        },
    )?;
    let [triangular_race_free, robust, persistent, same_states, same_ends] = same;
    let same_ends = same_ends && same_errors(machine, limits)?;
    Ok(Verdicts {
        data_race_free: is_race_free(machine, limits)?,
        triangular_race_free,
        robust,
        persistent,
        same_states,
        same_ends,
        sc_fault: !faults_of(machine, MemoryModel::Sc, limits)?.is_empty(),
        tso_fault: !faults_of(machine, MemoryModel::Tso, limits)?.is_empty(),
        nodes: (sc_nodes, tso_nodes),
    })
}

/// Whether a program satisfies one criterion. The criteria about states are decided without traces,
/// so also for programs with loops.
pub fn holds(program: &Program, criterion: Criterion, limits: &Limits) -> Result<bool, Exceeded> {
    code_satisfies(&instantiate(program)?, criterion, limits)
}

/// Whether a program breaks a criterion about traces and a computation of at most
/// [`Limits::max_length`] actions shows it: one of TSO whose trace no SC computation has. All
/// computations with the same trace for triangular-race freedom and robustness have the same length, so
/// longer ones have no say. What persistence compares leaves out actions, so it is not asked here; and
/// neither are the criteria about states, which [`holds`] decides.
pub fn breaks_within(
    program: &Program,
    criterion: Criterion,
    limits: &Limits,
) -> Result<bool, Exceeded> {
    assert!(
        matches!(criterion, Criterion::TriangularRaceFree | Criterion::Robust),
        "only where equal traces are equally long"
    );
    Ok(!same_traces(&instantiate(program)?, criterion, (limits, Longer::IsLeftOut))?)
}

pub(crate) fn code_satisfies(
    code: &Code,
    criterion: Criterion,
    limits: &Limits,
) -> Result<bool, Exceeded> {
    match criterion {
        Criterion::TriangularRaceFree | Criterion::Robust | Criterion::Persistent => {
            same_traces(code, criterion, (limits, Longer::Exceeds))
        }
        Criterion::SameStates => same_states(code, criterion, limits),
        Criterion::SameEnds => Ok(same_errors(&mut Machine::new(code, limits), limits)?
            && same_states(code, criterion, limits)?),
    }
}

fn same_traces(
    code: &Code,
    criterion: Criterion,
    how_far: (&Limits, Longer),
) -> Result<bool, Exceeded> {
    let machine = &mut Machine::new(code, how_far.0);
    let traces = &mut Traces::new(code.threads.len());
    let mut sc: FastSet<Key> = FastSet::default();
    let mut same = true;
    explore_traces(
        machine,
        traces,
        MemoryModel::Sc,
        how_far,
        &mut |machine, traces, state, trace| {
            sc.extend(compared(criterion, machine, traces, state, trace));
            ControlFlow::Continue(())
        },
    )?;
    explore_traces(
        machine,
        traces,
        MemoryModel::Tso,
        how_far,
        &mut |machine, traces, state, trace| {
            same = compared(criterion, machine, traces, state, trace)
                .is_none_or(|key| sc.contains(&key));
            if same { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    )?;
    Ok(same)
}

fn same_states(code: &Code, criterion: Criterion, limits: &Limits) -> Result<bool, Exceeded> {
    let machine = &mut Machine::new(code, limits);
    let only_final = criterion == Criterion::SameEnds;
    let counts = |machine: &Machine<'_>, state: &Key| {
        if only_final { machine.is_final(state) } else { machine.is_plain(state) }
    };
    let mut sc: FastSet<Key> = FastSet::default();
    let mut same = true;
    let mut collect = |machine: &mut Machine<'_>, state: &Key| {
        if counts(machine, state) {
            sc.insert(machine.configuration(state));
        }
        Ok(ControlFlow::Continue(()))
    };
    explore_states(machine, MemoryModel::Sc, limits, &mut collect, &mut |_, _, _| {})?;
    let mut compare = |machine: &mut Machine<'_>, state: &Key| {
        same = !counts(machine, state) || sc.contains(&machine.configuration(state));
        Ok(if same { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    };
    explore_states(machine, MemoryModel::Tso, limits, &mut compare, &mut |_, _, _| {})?;
    Ok(same)
}

/// Whether TSO has the errors of SC and no others.
fn same_errors(machine: &mut Machine<'_>, limits: &Limits) -> Result<bool, Exceeded> {
    let sc = errors_of(machine, MemoryModel::Sc, limits)?;
    let tso = errors_of(machine, MemoryModel::Tso, limits)?;
    Ok(tso.is_subset(&sc))
}

/// What a criterion compares of a computation that ends with empty buffers, if anything.
fn compared(
    criterion: Criterion,
    machine: &Machine<'_>,
    traces: &Traces,
    state: &Key,
    trace: &Key,
) -> Option<Key> {
    match criterion {
        Criterion::TriangularRaceFree => Some(trace.clone()),
        Criterion::Robust => Some(traces.for_robustness(trace)),
        Criterion::Persistent => Some(traces.for_persistence(trace)),
        Criterion::SameStates => Some(machine.configuration(state)),
        Criterion::SameEnds => machine.is_final(state).then(|| machine.configuration(state)),
    }
}
