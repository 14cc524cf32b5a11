//! Runs under TSO that end as none does under SC: in a final state or with an error that SC does not
//! have; and what goes wrong under TSO only.
//!
//! A run that a search finds may delay more stores than it needs to. Before it is shown each store is
//! made to reach memory as early as the run still leads to the same state: then what is left waiting is
//! what makes the difference.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use explore::Progress;
use program::{IndexVec, Observable, Parameterised, Program, Value};
use semantics::{Action, Control, Machine, Model, Move, Trace, replay};

use crate::duality::{Looking, Reached, Targets, any_length};
use crate::execution::{Ending, Execution, RunBuilder};
use crate::outcomes::{Error, Outcome, Outcomes, compare, look};
use crate::proof::Basis;
use crate::reach::Query;
use crate::under_tso::reach_under_tso;
use crate::verdict::{Options, Reason, Statistics, Verdict, Watch};

/// A run under TSO to a state or an error that SC does not have.
#[derive(Clone, Debug)]
pub struct TsoOnlyRun {
    /// The run.
    pub execution: Execution,
    /// Its trace, if all stores reach memory.
    pub trace: Option<Trace>,
}

/// What is seen of a final state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// All registers that the author of the program named, and all of memory.
    Everything,
    /// The memory that the program's question observes: the variables that outlive its threads.
    Observed,
}

/// Up to `most` runs that end as only TSO does, each in another way; with errors that only TSO has if they
/// count.
pub(crate) fn new_ends(
    program: &Program,
    (seen, with_errors): (Seen, bool),
    (options, most): (&Options, usize),
    watch: &mut impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(Verdict<Vec<TsoOnlyRun>>, Statistics), Parameterised> {
    let comparison = compare(program, options, &mut *watch)?;
    let mut statistics = comparison.sc.statistics;
    statistics.include(&comparison.tso.statistics);
    let observed = observed_cells(program);
    let visible = |outcomes: &Outcomes, outcome: &Outcome| match seen {
        Seen::Everything => visible(program, outcomes, outcome),
        Seen::Observed => left_in(&observed, outcome),
    };
    let known = comparison.sc.found.iter().map(|outcome| visible(&comparison.sc, outcome));
    let known: BTreeSet<Outcome> = known.collect();
    let mut new: BTreeMap<Outcome, &Outcome> = BTreeMap::new();
    for outcome in &comparison.tso.found {
        let shown = visible(&comparison.tso, outcome);
        if !known.contains(&shown) {
            new.entry(shown).or_insert(outcome);
        }
    }
    let is_new = |error: &&Error| with_errors && comparison.sc.errors.binary_search(error).is_err();
    let errors: Vec<Error> = comparison.tso.errors.iter().filter(is_new).copied().collect();
    let verdict = match (comparison.sc.complete.clone(), &comparison.tso.complete) {
        // What is missing there may be what is new here.
        (Err(reason), _) => Verdict::Undecided(reason),
        (Ok(_), Err(Reason::BufferGrows { thread })) if new.is_empty() && errors.is_empty() => {
            let grows = Reason::BufferGrows { thread: thread.clone() };
            let is_end_new =
                |outcome: &Outcome| !known.contains(&visible(&comparison.tso, outcome));
            let is_error_new = |error: Error| is_new(&&error);
            let (verdict, did) =
                ends_of_any_length(program, (&is_end_new, &is_error_new), options, watch)?;
            statistics.include(&did);
            verdict.unwrap_or(Verdict::Undecided(grows))
        }
        (Ok(_), complete) if new.is_empty() && errors.is_empty() => {
            Verdict::of_whole(Basis::EXPLORED, complete.clone())
        }
        (Ok(_), _) => {
            let new = new.into_values();
            match comparison.tso.runs(program, errors.into_iter(), new, most) {
                Ok(runs) => {
                    Verdict::Violated(runs.iter().map(|run| elsewhere(program, run)).collect())
                }
                Err(reason) => Verdict::Undecided(reason),
            }
        }
    };
    Ok((verdict, statistics))
}

/// Which final states, and which errors, SC does not have.
type NewEnds<'a> = (&'a dyn Fn(&Outcome) -> bool, &'a dyn Fn(Error) -> bool);

/// What is known of ends that only TSO has, if anything is, and what was done for it.
type Ends = (Option<Verdict<Vec<TsoOnlyRun>>>, Statistics);

/// Whether TSO ends as SC does not, whatever the length of buffers; nothing if that cannot be asked.
fn ends_of_any_length(
    program: &Program,
    (is_end_new, is_error_new): NewEnds<'_>,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Ends, Parameterised> {
    let ends = |looking: &Looking<'_, '_, '_>| looking.ends(is_end_new, is_error_new);
    let targets = Targets { of: &ends, deadlocks: false };
    let look = look(program, options, true);
    let nobody = &mut |_: &mut Watch<'_>| Ok(None);
    let (verdict, statistics) = any_length(program, look, &targets, options, (watch, nobody))?;
    let shown = |(computation, last): Reached| {
        let mut stopped =
            last.threads().enumerate().filter_map(|(thread, one)| match one.control() {
                Control::Stopped { edge, fault } if is_error_new(Error { thread, edge }) => {
                    Some(Ending::Fault { thread, edge, fault })
                }
                Control::Stopped { .. } | Control::At(_) => None,
            });
        let ending = stopped.next().unwrap_or(Ending::Terminated);
        drop(stopped);
        vec![elsewhere(program, &Execution::replayed(program, computation, last, ending))]
    };
    Ok((verdict.map(|verdict| verdict.map(shown)), statistics))
}

/// What can be seen of an outcome: not what a front end made up to hold parts of expressions.
fn visible(program: &Program, outcomes: &Outcomes, outcome: &Outcome) -> Outcome {
    let mut seen = outcome.clone();
    let memory = program.memory();
    seen.changed_memory.retain(|address, _| !memory.is_generated(*address));
    for (thread, values) in outcomes.threads.iter().zip(seen.registers.iter_mut()) {
        let registers = program.template(thread.template).registers();
        for (register, value) in registers.iter().zip(values.iter_mut()) {
            if register.generated {
                *value = 0;
            }
        }
    }
    seen
}

/// The addresses that the program's question observes.
fn observed_cells(program: &Program) -> BTreeSet<Value> {
    let addresses = program.question().observed.iter().map(|observable| match observable {
        Observable::Cell(address) => *address..*address + 1,
        Observable::Across(from, int) => *from..*from + Value::from(int.bits() / 8),
        Observable::Register { .. } => 0..0,
    });
    addresses.flatten().collect()
}

/// What an outcome leaves in some cells.
fn left_in(cells: &BTreeSet<Value>, outcome: &Outcome) -> Outcome {
    let changed = outcome.changed_memory.iter().filter(|(address, _)| cells.contains(address));
    let changed_memory = changed.map(|(address, value)| (*address, *value)).collect();
    Outcome { registers: IndexVec::new(), changed_memory }
}

/// What goes wrong.
pub enum SafetyViolation {
    /// Already under SC: no fence helps.
    UnderSc(Execution),
    /// Under TSO only.
    UnderTso(TsoOnlyRun),
}

/// Whether assertions and what the program asks of its states hold under TSO, and if not, whether they do
/// under SC.
pub fn check_safety(
    program: &Program,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(Verdict<SafetyViolation>, Statistics), Parameterised> {
    let goal = program.question().forbidden.clone();
    let query = Query { faults: true, question: true, goal, ..Query::default() };
    let (report, statistics) = reach_under_tso(program, &query, options, &mut watch)?;
    let wrong = |run: Execution| match run.computation.model {
        Model::Sc => SafetyViolation::UnderSc(run),
        Model::Tso => SafetyViolation::UnderTso(elsewhere(program, &run)),
    };
    Ok((report.verdict.map(wrong), statistics))
}

/// A run to where one under TSO ends, in which as few stores wait as one by one they can; a run under SC as
/// it is.
pub(crate) fn with_fewest_delays(program: &Program, run: &Execution) -> TsoOnlyRun {
    match run.computation.model {
        Model::Tso => elsewhere(program, run),
        Model::Sc => {
            let trace = replay(program, &run.computation).ok();
            let trace = trace.and_then(|run| Trace::of(&run).ok());
            TsoOnlyRun { execution: run.clone(), trace }
        }
    }
}

fn elsewhere(program: &Program, run: &Execution) -> TsoOnlyRun {
    let execution = with_few_delays(program, run);
    let trace = replay(program, &execution.computation).ok().and_then(|run| Trace::of(&run).ok());
    TsoOnlyRun { execution, trace }
}

/// How many moves are tried at most to make a run delay less.
const MOST_TRIES: usize = 50_000;

/// A run to the same state in which stores reach memory as early as one by one they can.
fn with_few_delays(program: &Program, execution: &Execution) -> Execution {
    let machine = Machine::new(program, Model::Tso).expect("a run has definite threads");
    let mut moves: Vec<Move> = execution.computation.steps.iter().map(|step| step.taken).collect();
    let leads_there = |moves: &[Move]| {
        let mut state = machine.initial();
        for taken in moves {
            match machine.apply(&state, *taken) {
                Ok((next, _)) => state = next,
                Err(_) => return false,
            }
        }
        state == execution.last
    };
    let mut tries = 0;
    for commit in 0..moves.len() {
        let Move::Commit { thread } = moves[commit] else { continue };
        let earliest = earliest(&machine, &moves[..commit], thread);
        for place in earliest..commit {
            tries += moves.len();
            if tries > MOST_TRIES {
                break;
            }
            let mut earlier = moves.clone();
            earlier.remove(commit);
            earlier.insert(place, Move::Commit { thread });
            if leads_there(&earlier) {
                moves = earlier;
                break;
            }
        }
    }
    let mut run = RunBuilder::new(&machine);
    for taken in moves {
        run.make(taken);
    }
    let (computation, last) = run.finish();
    Execution::replayed(program, computation, last, execution.ending.clone())
}

/// The first place where the oldest store of a thread that waits after these moves can reach memory:
/// behind its issue, and behind the commit before it.
fn earliest(machine: &Machine<'_>, moves: &[Move], thread: program::ThreadId) -> usize {
    let mut state = machine.initial();
    let mut issued = Vec::new();
    let mut committed = 0;
    let mut last_commit = 0;
    for (at, taken) in moves.iter().enumerate() {
        let Ok((next, actions)) = machine.apply(&state, *taken) else { break };
        if taken.thread() == thread {
            match taken {
                Move::Commit { .. } => {
                    committed += 1;
                    last_commit = at + 1;
                }
                Move::Execute { .. } => {
                    if actions.iter().any(|action| matches!(action, Action::Issue { .. })) {
                        issued.push(at + 1);
                    }
                }
            }
        }
        state = next;
    }
    issued.get(committed).copied().unwrap_or(moves.len()).max(last_commit)
}
