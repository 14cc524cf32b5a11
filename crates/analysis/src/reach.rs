//! Reachability under SC: faults, deadlocks, conditions.
//!
//! The search runs over [`crate::sc`]; what it finds is replayed by `semantics` and looked at once
//! more there, so a violation rests on the trusted rules alone.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use automata::{Answer, View};
use explore::Progress;
use program::index::Idx;
use program::{
    Instruction, LabelId, Observable, Parameterised, Program, Proposition, Quantifier, Question,
    Span, StateProposition, Template, TemplateId, Thread, ThreadId, Value, Watched,
};
use semantics::{Computation, Control, Machine, Model, Move, NotEnabled, State, replay};
use web_time::Instant;

use crate::execution::{self, BUG, Ending, Execution, RunBuilder, Waiting};
use crate::failing::labels_that_can_fail;
use crate::sc::{LiveUntil, Look, Refuted, Sc, StateCondition, StateView};
use crate::verdict::{Options, Reason, Statistics, Verdict};

/// Nondeterministic assignments with more values than this are not tried out.
const MOST_CHOICES: u128 = 1 << 16;

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// False assertions and other faults.
    pub faults: bool,
    /// States in which nobody can get any further although a thread is in an `await` or waits for
    /// the memory lock.
    pub deadlocks: bool,
    /// Final states that the program's own `never` or `always` rules out.
    pub question: bool,
    /// States that satisfy this.
    pub goal: Option<StateProposition>,
}

/// The answer: the states looked for cannot be reached (holds), or one can.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict, with a run to what was found.
    pub verdict: Verdict<Execution>,
    /// What the search did.
    pub statistics: Statistics,
}

/// Whether what the query looks for can be reached under SC.
pub fn reach(
    program: &Program,
    query: &Query,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Report, Parameterised> {
    let machine = Machine::new(program, Model::Sc)?;
    let mut statistics = Statistics::default();
    if let Some(reason) = too_many_choices(program) {
        return Ok(Report { verdict: Verdict::Undecided(reason), statistics });
    }
    let started = Instant::now();
    let automata_options = options.of_automata(options.reductions, query.deadlocks);
    // Another engine makes no use of it.
    let may_own = options.reductions.partial_order && automata_options.engine.is_none();
    let mut refuted = Refuted::default();
    let (sc, answer) = loop {
        let look = Look {
            ownership: refuted.ownership().filter(|_| may_own),
            forgets: may_own && refuted.forgets(),
            ..look(program, query, options.reductions.dead_registers)
        };
        let sc = Sc::new(program, look)?;
        let (answer, did) = sc.search(&automata_options, &mut watch);
        statistics.add(&did, started.elapsed(), options.searched_by(&did));
        let noted = match &answer {
            Answer::Exhausted(noted) => noted.as_slice(),
            Answer::Found(_)
            | Answer::Stopped(_)
            | Answer::TooWide { .. }
            | Answer::Unsuitable { .. } => &[],
        };
        if !refuted.learn(noted.iter().map(|(_, local)| local)) {
            break (sc, answer);
        }
    };
    let verdict = match answer {
        // Beyond a limit nothing was explored.
        Answer::Exhausted(noted) => {
            let stopped = noted.first().map(|(class, local)| sc.stopped_by(*class, local));
            Verdict::of_exploration(stopped, statistics.engine)
        }
        Answer::Found(found) => {
            let mut run = RunBuilder::new(&machine);
            for (thread, (edge, choice)) in found.into_iter().take(1).flat_map(|run| run.steps) {
                run.make(Move::Execute { thread: ThreadId::new(thread), edge, choice });
            }
            let (computation, last) = run.finish();
            let ending = ending(&machine, &last, query)
                .unwrap_or_else(|| panic!("what was found is not what was looked for; {BUG}"));
            Verdict::Violated(Execution::replayed(program, computation, last, ending))
        }
        Answer::Stopped(limit) => Verdict::Undecided(Reason::Limit(limit)),
        Answer::TooWide { bits } => Verdict::Undecided(Reason::TooWide { bits }),
        Answer::Unsuitable { why } => Verdict::Undecided(options.unsuitable(why)),
    };
    Ok(Report { verdict, statistics })
}

/// A shortest run to an error under SC, if the search gets to one. Programs in which nothing can fail are
/// not searched.
pub fn first_error(
    program: &Program,
    options: &Options,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Option<Execution>, Parameterised> {
    let mut templates = program.templates().iter();
    let can_fail =
        |template: &Template| labels_that_can_fail(program.memory(), template)[template.initial()];
    if !templates.any(can_fail) {
        return Ok(None);
    }
    let query = Query { faults: true, ..Query::default() };
    Ok(match reach(program, &query, options, watch)?.verdict {
        Verdict::Violated(execution) => Some(execution),
        Verdict::Holds(_) | Verdict::Undecided(_) => None,
    })
}

/// What an answer under SC says about TSO.
///
/// A run under SC is one under TSO in which every store reaches memory at once, and ends in a state
/// with empty buffers; so what is reached under SC is reached under TSO. The converse holds for a
/// program that has the same plain states (empty buffers) under both, which a criterion may imply
/// ([`crate::Criterion::States`]); this function knows of none.
///
/// The exception is a deadlock in which a thread waits for the memory lock to store something: under TSO it
/// issues the store and goes on. So a deadlock counts only if it is one under TSO, too.
///
/// Final states and the states that goals are asked of are plain. Faults and deadlocks need not be,
/// but then there is a plain one: empty the buffers, or, if a thread that never goes on holds the memory
/// lock, leave out what each thread did from its first store on that cannot reach memory. Nobody else
/// has seen that, the fault or the waiting thread with the lock is still there, and the thread is now kept
/// from its store by the lock; unless it could go another way there, so where a locked section may never be left
/// ([`crate::kept_locks`]) deadlocks are looked for under TSO itself.
pub fn known_under_tso(program: &Program, under_sc: Verdict<Execution>) -> Verdict<Execution> {
    let is_one = |execution: &Execution| match execution.ending {
        Ending::Deadlock(_) => {
            let machine = Machine::new(program, Model::Tso).expect("a run has definite threads");
            deadlock(&machine, &execution.last).is_some()
        }
        Ending::Fault { .. }
        | Ending::Goal
        | Ending::Terminated
        | Ending::Limit { .. }
        | Ending::StepLimit
        | Ending::History(_) => true,
    };
    match under_sc {
        Verdict::Violated(execution) if is_one(&execution) => Verdict::Violated(execution),
        Verdict::Holds(_) | Verdict::Violated(_) => Verdict::Undecided(Reason::OnlyUnderSc),
        Verdict::Undecided(reason) => Verdict::Undecided(reason),
    }
}

/// A computation found by somebody else, if the semantics accepts it and it ends in a state that
/// the query looks for.
pub fn accept(
    program: &Program,
    query: &Query,
    computation: &Computation,
) -> Result<Option<Execution>, Parameterised> {
    let machine = Machine::new(program, computation.model)?;
    let last = replay(program, computation).ok().map(|run| run.last().clone());
    Ok(last.and_then(|last| {
        let ending = ending(&machine, &last, query)?;
        Some(Execution::replayed(program, computation.clone(), last, ending))
    }))
}

/// Why the SC states of a program are not searched: a nondeterministic assignment that cannot be tried out,
/// or an access across several cells, which threads of [`crate::sc`] do not make.
pub(crate) fn not_searched(program: &Program) -> Option<Reason> {
    let across = || program.access_across().map(|at| Reason::AccessAcross { at });
    too_many_choices(program).or_else(across)
}

/// A nondeterministic assignment that cannot be tried out.
pub(crate) fn too_many_choices(program: &Program) -> Option<Reason> {
    let mut edges = program.templates().iter().flat_map(program::Template::edges);
    let too_many = |span: Span, low: Value, high: Value| {
        let values = high.abs_diff(low) + 1;
        (values > MOST_CHOICES).then_some(Reason::TooManyChoices { at: span, values })
    };
    edges.find_map(|edge| match edge.instruction {
        Instruction::Choose { low, high, .. } => too_many(edge.span, low, high),
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => None,
    })
}

/// What a search under SC has to look at.
fn look<'p>(program: &'p Program, query: &Query, forget: bool) -> Look<'p> {
    let mut look = watched(program, query, forget);
    let wanted = Wanted::of(program, query);
    let is_of_ends = wanted.is_of_ends();
    if wanted.is_anything() {
        let holds = Box::new(move |sc: &Sc<'p>, view: &View<'_, Sc<'p>>| wanted.is_met(sc, view));
        look.condition = Some(StateCondition { holds, is_symmetric: false, is_of_ends });
    }
    look
}

/// What a search has to look at, but for the condition itself.
pub(crate) fn watched<'p>(program: &'p Program, query: &Query, forget: bool) -> Look<'p> {
    let mut look =
        Look { faults: query.faults, forget_dead_registers: forget, ..Look::at_nothing() };
    let wanted = Wanted::of(program, query);
    if let Some(goal) = &wanted.goal {
        goal.visit(&mut |watched| match watched {
            Watched::Label { template, label, .. } => {
                // Not to be there any more is seen, and not to be there yet.
                let edges = program.template(template).edges().iter();
                let before = edges.filter(|edge| edge.to == label).map(|edge| edge.from);
                look.visible_labels.extend(before.chain([label]).map(|one| (template, one)));
            }
            Watched::Value(seen @ (Observable::Cell(_) | Observable::Across(..))) => {
                look.visible_cells.extend(seen.cells(program.memory()));
            }
            Watched::Value(Observable::Register { template, register, .. }) => {
                look.registers.push((template, register, LiveUntil::Always));
                // Any step of the thread can change it.
                let labels = program.template(template).labels().indices();
                look.visible_labels.extend(labels.map(|label| (template, label)));
            }
        });
    }
    if let Some(question) = wanted.question {
        for observable in question.observables() {
            if let Observable::Register { template, register, .. } = observable {
                look.registers.push((template, register, LiveUntil::AtTheEnd));
            }
        }
    }
    look
}

/// What a query wants to know of states with empty buffers.
pub(crate) struct Wanted<'p> {
    goal: Option<StateProposition>,
    /// The program's question, if its answer can be no.
    question: Option<&'p Question>,
}

impl<'p> Wanted<'p> {
    pub(crate) fn of(program: &'p Program, query: &Query) -> Self {
        let asks = |(quantifier, _): &(Quantifier, Proposition)| *quantifier != Quantifier::Exists;
        let question = query.question.then(|| program.question());
        Self {
            goal: query.goal.clone(),
            question: question.filter(|one| one.condition.as_ref().is_some_and(asks)),
        }
    }

    pub(crate) const fn is_anything(&self) -> bool {
        self.goal.is_some() || self.question.is_some()
    }

    /// Whether only states matter in which all threads have ended.
    pub(crate) const fn is_of_ends(&self) -> bool {
        self.goal.is_none() && self.question.is_some()
    }

    /// Whether a state is what is looked for.
    pub(crate) fn is_met(&self, sc: &Sc<'_>, state: &impl StateView) -> bool {
        let seen = |observable| see(sc, state, observable);
        let at = |template, copy, label| {
            let thread = thread(sc, template, copy);
            thread.is_some_and(|thread| state.local(thread).control == Control::At(label))
        };
        self.goal.as_ref().is_some_and(|goal| goal.holds(&at, &seen))
            || self
                .question
                .is_some_and(|question| has_ended(sc, state) && is_ruled_out(question, &seen))
    }
}

pub(crate) fn is_ruled_out(question: &Question, seen: &impl Fn(Observable) -> Value) -> bool {
    question.filter.as_ref().is_none_or(|filter| filter.holds(seen))
        && match &question.condition {
            Some((Quantifier::Never, proposition)) => proposition.holds(seen),
            Some((Quantifier::Always, proposition)) => !proposition.holds(seen),
            Some((Quantifier::Exists, _)) | None => false,
        }
}

fn has_ended(sc: &Sc<'_>, state: &impl StateView) -> bool {
    sc.threads().enumerate().all(|(id, thread)| match state.local(id).control {
        Control::At(label) => sc.program().template(thread.template).outgoing(label).len() == 0,
        Control::Stopped { .. } => false,
    })
}

/// The thread that is a copy of a template.
pub(crate) fn thread(sc: &Sc<'_>, template: TemplateId, copy: u32) -> Option<ThreadId> {
    let is_it = |thread: &Thread| (thread.template, thread.copy) == (template, copy);
    sc.threads().enumerate().find(|(_, thread)| is_it(thread)).map(|(id, _)| id)
}

fn see(sc: &Sc<'_>, state: &impl StateView, observable: Observable) -> Value {
    match observable {
        Observable::Cell(_) | Observable::Across(..) => {
            let held = |address| sc.held(state, address);
            observable.in_memory(sc.program().memory(), held).unwrap_or_default()
        }
        Observable::Register { template, copy, register } => {
            let found = thread(sc, template, copy);
            found.map_or(0, |thread| state.local(thread).registers[register])
        }
    }
}

/// What a state shows, if it is one that the query looks for.
pub(crate) fn ending(machine: &Machine<'_>, state: &State, query: &Query) -> Option<Ending> {
    for (thread, one) in state.threads().enumerate() {
        match one.control() {
            Control::Stopped { edge, fault } if query.faults && !fault.is_limit() => {
                return Some(Ending::Fault { thread, edge, fault });
            }
            Control::Stopped { .. } | Control::At(_) => {}
        }
    }
    let seen = |observable| execution::see(machine, state, observable);
    let at = |template, copy, label| {
        let mut threads = machine.threads().enumerate();
        threads.any(|(id, thread)| {
            (thread.template, thread.copy) == (template, copy)
                && state.thread(id).control() == Control::At(label)
        })
    };
    if query.goal.as_ref().is_some_and(|goal| goal.holds(&at, &seen)) {
        return Some(Ending::Goal);
    }
    let mut threads = machine.threads().indices();
    if query.question
        && threads.all(|thread| machine.has_ended(state, thread))
        && is_ruled_out(machine.program().question(), &seen)
    {
        return Some(Ending::Terminated);
    }
    query.deadlocks.then(|| deadlock(machine, state)).flatten().map(Ending::Deadlock)
}

/// Who waits for what, if nobody can get any further although somebody waits. What a thread that reached
/// a limit of the tool would still do is not known, so it may well be what the others wait for. Nobody waits
/// who goes with the process.
pub(crate) fn deadlock(machine: &Machine<'_>, state: &State) -> Option<Vec<Waiting>> {
    let end = machine.program().end_of_process();
    if end.and_then(|end| machine.in_memory(state, end)).is_some_and(|ended| ended != 0) {
        return None;
    }
    let mut waiting = Vec::new();
    let mut is_deadlock = false;
    for thread in machine.threads().indices() {
        let label = match state.thread(thread).control() {
            Control::At(label) => label,
            Control::Stopped { fault, .. } if fault.is_limit() => return None,
            Control::Stopped { .. } => continue,
        };
        if machine.has_ended(state, thread) {
            continue;
        }
        if !never_gets_further(machine, state, thread) {
            return None;
        }
        let blocked = machine.blocked(state, thread);
        is_deadlock |= waits(machine, state, thread)
            || is_kept_out(&blocked)
            || waits_for_its_buffer(machine, state, thread);
        waiting.push(Waiting { thread, label, blocked });
    }
    is_deadlock.then_some(waiting)
}

/// Whether a thread is in an `await`, or wants the memory lock.
fn waits(machine: &Machine<'_>, state: &State, thread: ThreadId) -> bool {
    let Control::At(label) = state.thread(thread).control() else { return false };
    let template = machine.template(thread);
    template.labels()[label].waiting
        || takes_the_lock(template, label) && state.lock_holder() != Some(thread)
}

/// Whether a locked section begins at a label.
pub(crate) fn takes_the_lock(template: &Template, label: LabelId) -> bool {
    template.outgoing(label).any(|edge| template.edge(edge).instruction == Instruction::Lock)
}

/// Whether only the memory lock, which another thread holds, keeps a thread from some step.
fn is_kept_out(blocked: &[(Move, NotEnabled)]) -> bool {
    blocked.iter().any(|(taken, why)| {
        matches!((taken, why), (Move::Execute { .. }, NotEnabled::MemoryLocked { .. }))
    })
}

/// Whether a thread cannot go on before its buffer is empty. If it never gets further, the memory lock
/// keeps its stores from memory.
fn waits_for_its_buffer(machine: &Machine<'_>, state: &State, thread: ThreadId) -> bool {
    let Control::At(label) = state.thread(thread).control() else { return false };
    let template = machine.template(thread);
    !state.thread(thread).buffer().is_empty()
        && template.outgoing(label).any(|edge| template.edge(edge).instruction.drains_buffer())
}

/// Whether a thread that moves alone stays where it waits for ever and changes nothing, its buffer included.
fn never_gets_further(machine: &Machine<'_>, state: &State, thread: ThreadId) -> bool {
    let mut seen = BTreeSet::from([state.clone()]);
    let mut open = vec![state.clone()];
    while let Some(here) = open.pop() {
        for taken in machine.moves(&here).filter(|taken| taken.thread() == thread) {
            let (next, _) = machine.apply(&here, taken).expect("offered moves are enabled");
            let stays = waits(machine, &here, thread)
                && waits(machine, &next, thread)
                && next.changed_memory() == state.changed_memory()
                && next.thread(thread).buffer() == state.thread(thread).buffer()
                && next.lock_holder() == state.lock_holder();
            if !stays {
                return false;
            }
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    true
}
