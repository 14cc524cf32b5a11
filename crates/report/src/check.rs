//! What every format says of a violation: which accesses make it.

use analysis::abstraction::DecidedBy;
use analysis::evidence::{Overtaking, Race};
use analysis::parameterised::Instance;
use analysis::portfolio::Remark;
use analysis::robustness::Witness;
use analysis::{Basis, Checked, Criterion, Ending, Evidence, Execution, Verdict};
use program::index::Idx;
use program::{Observable, Program, Span, Thread, ThreadId, Value};
use semantics::{Action, Edge, Machine, Model, Move, NodeId, Relation, Step};

use crate::history_text;
use crate::pointers;

/// An access that plays a part in a violation.
pub(crate) struct Part {
    /// The name of the thread.
    pub(crate) thread: String,
    /// Where the instruction is.
    pub(crate) span: Span,
    /// The name of the cell.
    pub(crate) cell: String,
    /// What was loaded or stored.
    pub(crate) value: Value,
}

/// The accesses of a violation in which a load overtakes a store.
pub(crate) struct Delay {
    /// The store that waits.
    pub(crate) store: Part,
    /// The load that does not wait for it.
    pub(crate) load: Part,
    /// The write of another thread that comes between.
    pub(crate) write: Option<WriteBetween>,
}

/// A write between a load and the store that it overtakes.
pub(crate) struct WriteBetween {
    pub(crate) part: Part,
    /// The step that executes it.
    pub(crate) executed: usize,
    /// The step in which it reaches memory.
    pub(crate) arrives: usize,
}

impl Delay {
    pub(crate) fn of_cycle(machine: &Machine<'_>, witness: &Witness) -> Self {
        let steps = &witness.execution.computation.steps;
        Self {
            store: part(machine, &steps[witness.issue_step]),
            load: part(machine, &steps[witness.load_step]),
            write: None,
        }
    }

    pub(crate) fn of_overtaking(machine: &Machine<'_>, overtaking: &Overtaking) -> Self {
        let steps = &overtaking.execution.computation.steps;
        let loaded = touched(&steps[overtaking.load_step]).map(|(address, _)| address);
        let accesses = |at: &usize| {
            let step = &steps[*at];
            let own = step.taken.thread() == overtaking.fringe;
            own && touched(step).map(|(address, _)| address) == loaded && writes(step)
        };
        let mut range = overtaking.load_step + 1..=overtaking.write_step;
        let arrival = range.rfind(accesses).unwrap_or(overtaking.write_step);
        // A store that waited for a moment stands in the text where it was issued.
        let executed = (overtaking.load_step + 1..=arrival)
            .rfind(|at| accesses(at) && matches!(steps[*at].taken, Move::Execute { .. }))
            .unwrap_or(arrival);
        Self {
            store: part(machine, &steps[overtaking.issue_step]),
            load: part(machine, &steps[overtaking.load_step]),
            write: Some(WriteBetween {
                part: part(machine, &steps[executed]),
                executed,
                arrives: arrival,
            }),
        }
    }
}

fn writes(step: &Step) -> bool {
    step.actions.iter().any(|action| match action {
        Action::Issue { .. } | Action::Store { .. } => true,
        Action::Locked { written, .. } => written.is_some(),
        Action::Local
        | Action::Load { .. }
        | Action::Fence(_)
        | Action::Lock
        | Action::Unlock
        | Action::Fault(_) => false,
    })
}

/// The address that a step touches, with the value read or written there.
fn touched(step: &Step) -> Option<(Value, Value)> {
    step.actions.iter().find_map(|action| match action {
        Action::Issue { address, value }
        | Action::Store { address, value }
        | Action::Load { address, value } => Some((*address, *value)),
        Action::Locked { address, read, written } => Some((*address, written.or(*read)?)),
        Action::Local | Action::Fence(_) | Action::Lock | Action::Unlock | Action::Fault(_) => None,
    })
}

/// The address that an action is about.
pub(crate) const fn address(action: &Action) -> Option<Value> {
    match action {
        Action::Issue { address, .. }
        | Action::Store { address, .. }
        | Action::Load { address, .. }
        | Action::Locked { address, .. } => Some(*address),
        Action::Local | Action::Fence(_) | Action::Lock | Action::Unlock | Action::Fault(_) => None,
    }
}

/// What a step does, as part of a violation.
pub(crate) fn part(machine: &Machine<'_>, step: &Step) -> Part {
    let thread = step.taken.thread();
    let span = match step.taken {
        Move::Execute { edge, .. } => machine.template(thread).edge(edge).span,
        Move::Commit { .. } => Span::NONE,
    };
    let (address, value) = touched(step).expect("a part of a violation touches memory");
    let cell = machine.program().memory().cell_name(address);
    Part { thread: machine.threads()[thread].name.clone(), span, cell, value }
}

/// What shows a violation, in one sentence.
pub(crate) fn headline(program: &Program, evidence: &Evidence) -> String {
    let execution = evidence.execution();
    let machine = machine(program, execution);
    match evidence {
        Evidence::Race(race) => raced(&machine, race),
        Evidence::Overtaking(overtaking) => {
            let Delay { store, load, write } = Delay::of_overtaking(&machine, overtaking);
            let (thread, loaded) = (load.thread, load.cell);
            let by = write.map_or_else(String::new, |write| write.part.thread);
            let cell = store.cell;
            format!(
                "{thread}'s load of {loaded} overtakes its store to {cell}, and {by} writes {loaded} between"
            )
        }
        Evidence::TsoOnly(elsewhere) => went_elsewhere(&machine, &elsewhere.execution),
        Evidence::Cycle(witness) => {
            let Delay { store, load, .. } = Delay::of_cycle(&machine, witness);
            format!("{}'s load of {} overtakes its store to {}", load.thread, load.cell, store.cell)
        }
    }
}

/// Where a run under TSO ends that SC does not get to.
fn went_elsewhere(machine: &Machine<'_>, execution: &Execution) -> String {
    match &execution.ending {
        Ending::Fault { thread, edge, fault } | Ending::Limit { thread, edge, fault } => {
            let why = pointers::why(machine, *thread, *edge, *fault);
            let only = match execution.computation.model {
                Model::Sc => "",
                Model::Tso => ", which SC does not have",
            };
            format!("{}: {why}{only}", machine.threads()[*thread].name)
        }
        Ending::Deadlock(_) => "a deadlock can be reached".to_owned(),
        Ending::History(history) => format!(
            "a {} is possible under {}",
            history_text::noun(history.asked),
            match execution.computation.model {
                Model::Sc => "SC",
                Model::Tso => "TSO",
            }
        ),
        Ending::Terminated | Ending::Goal | Ending::StepLimit => {
            format!("TSO ends with {}", final_values(machine, execution))
        }
    }
}

/// What a final state looks like: what the program's question mentions, or else all that was written.
pub(crate) fn final_values(machine: &Machine<'_>, execution: &Execution) -> String {
    let program = machine.program();
    let mentioned = analysis::final_state(program, execution).map(|state| state.seen);
    let mut values = Vec::new();
    let mut seen: Vec<(Observable, Value)> = mentioned.unwrap_or_default();
    if seen.is_empty() {
        let memory = execution.last.changed_memory().iter();
        let memory = memory.filter(|(address, _)| !program.memory().is_generated(**address));
        seen.extend(memory.map(|(address, value)| (Observable::Cell(*address), *value)));
        for (thread, state) in execution.last.threads().enumerate() {
            let Thread { template, copy, .. } = machine.threads()[thread];
            for (register, value) in state.registers().enumerate() {
                if !machine.template(thread).registers()[register].generated {
                    seen.push((Observable::Register { template, copy, register }, *value));
                }
            }
        }
    }
    for (observable, value) in seen {
        let name = match observable {
            Observable::Cell(address) => program.memory().cell_name(address),
            Observable::Across(address, int) => program.memory().name_across(address, int),
            Observable::Register { template, copy, register } => {
                let template = program.template(template);
                format!("{}.{}", template.copy_name(copy), template.registers()[register].name)
            }
        };
        values.push((name.contains('%'), format!("{name} = {value}")));
    }
    // What has no name in the text is told where nothing has one.
    let some_named = values.iter().any(|(is_unnamed, _)| !is_unnamed);
    let told = values.into_iter().filter(|(is_unnamed, _)| !(some_named && *is_unnamed));
    told.map(|(_, told)| told).collect::<Vec<_>>().join(", ")
}

fn raced(machine: &Machine<'_>, race: &Race) -> String {
    let name = |thread: ThreadId| &machine.threads()[thread].name;
    let [one, other] = &race.accesses;
    let cell = machine.program().memory().cell_name(one.address);
    let does = |writes| if writes { "writes" } else { "reads" };
    let (first, second) = if one.writes { (one, other) } else { (other, one) };
    format!(
        "{} {} {cell} while {} {} it",
        name(first.thread),
        does(first.writes),
        name(second.thread),
        does(second.writes)
    )
}

/// A machine on which a run that was accepted can be looked at.
pub(crate) fn machine<'p>(program: &'p Program, execution: &Execution) -> Machine<'p> {
    Machine::new(program, execution.computation.model)
        .expect("a run of a program with a definite number of threads")
}

/// The program that the evidence for a criterion is about.
pub(crate) fn shown_in<'a>(program: &'a Program, checked: &'a Checked) -> &'a Program {
    checked.instance.as_ref().map_or(program, |instance| &instance.program)
}

/// An instance of a program with any number of threads, in words.
pub(crate) fn instance(instance: &Instance) -> String {
    let copies: Vec<String> = instance
        .counts
        .iter()
        .map(|(name, count)| {
            let noun = if *count == 1 { "copy" } else { "copies" };
            format!("{count} {noun} of `{name}`")
        })
        .collect();
    let smallest = if instance.is_smallest {
        "the smallest instance"
    } else {
        "a limit was reached for smaller instances"
    };
    format!("with {} ({smallest})", copies.join(" and "))
}

/// What a criterion says where it holds.
pub(crate) const fn meaning(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Drf => "under SC no thread accesses what another one is about to write",
        Criterion::Trf => "no load overtakes a store while another thread writes what is loaded",
        Criterion::Robustness => "every TSO execution has the trace of an SC execution",
        Criterion::Persistence => {
            "every TSO execution has the program orders and the store order of an SC execution"
        }
        Criterion::States => {
            "TSO ends in the final states and with the errors of SC, and no others"
        }
    }
}

/// What was established on the way to an answer, in a sentence.
pub(crate) fn remark(checked: &Checked) -> Option<String> {
    let Some(remark) = checked.remark else {
        return match &checked.verdict {
            Verdict::Holds(proof) if *proof.basis() == Basis::ControlFlow => {
                let why = "proved from the control flow alone: no load can execute while an earlier store is still buffered";
                Some(why.to_owned())
            }
            Verdict::Holds(proof) if *proof.basis() == Basis::NoCriticalCycle => {
                let why = "no critical cycle has a store that a later load may overtake, whatever values \
                           are (static)";
                Some(why.to_owned())
            }
            Verdict::Holds(proof) if *proof.basis() == Basis::AnyLength => {
                Some("shown for store buffers of any length".to_owned())
            }
            Verdict::Holds(_) | Verdict::Violated(_) | Verdict::Undecided(_) => None,
        };
    };
    Some(match remark {
        Remark::Abstraction { decided_by, excluded, threads } => match decided_by {
            DecidedBy::Abstraction { depth: None } => {
                "shown by abstraction: each thread alone, whatever the others do".to_owned()
            }
            DecidedBy::Abstraction { depth: Some(depth) } => format!(
                "shown by abstraction, with other threads exact for at most {depth} accesses"
            ),
            DecidedBy::Program => "decided by exploring the program itself".to_owned(),
            DecidedBy::Nobody => {
                format!("the abstraction excludes it for {excluded} of {threads} threads")
            }
        },
        Remark::AnyNumber { places, transitions, markings: 0 } => format!(
            "copies are counted: a net with {places} places and {transitions} transitions, in which no \
             pairs of places lead there"
        ),
        Remark::AnyNumber { places, transitions, markings } => format!(
            "copies are counted: a net with {places} places and {transitions} transitions, searched backwards \
             with {markings} minimal markings"
        ),
        Remark::SpinFindsNone => "Spin finds no violation in the instrumented program".to_owned(),
        Remark::SpinFindsOne => {
            "Spin finds a violation in the instrumented program; the run is Fencewright's"
                .to_owned()
        }
    })
}

/// A verdict in a line, with the model that it is about.
pub(crate) fn verdict(criterion: Criterion, word: &str, why: &str) -> String {
    let model = match criterion.model() {
        Model::Sc => "SC",
        Model::Tso => "TSO",
    };
    format!("{criterion} {word} under {model}: {why}")
}

/// The first node of the trace that a step makes: nodes are the actions but for stores that reach
/// memory.
pub(crate) fn node_of_step(steps: &[Step], step: usize) -> NodeId {
    let actions = steps[..step].iter().flat_map(|step| &step.actions);
    NodeId::new(actions.filter(|action| !matches!(action, Action::Store { .. })).count())
}

/// The orders that no SC execution has together, as a cycle: store before load in program order, load
/// before the write since it did not see it, write before the store in store order.
pub(crate) fn contradiction(machine: &Machine<'_>, overtaking: &Overtaking) -> Vec<Edge> {
    let steps = &overtaking.execution.computation.steps;
    let Some(write) = Delay::of_overtaking(machine, overtaking).write else { return Vec::new() };
    let [store, load, write] = [overtaking.issue_step, overtaking.load_step, write.executed]
        .map(|step| node_of_step(steps, step));
    vec![
        Edge { from: store, to: load, relation: Relation::ProgramOrder },
        Edge { from: load, to: write, relation: Relation::Conflict },
        Edge { from: write, to: store, relation: Relation::StoreOrder },
    ]
}

/// A cycle with neighbouring steps of program order drawn together.
pub(crate) fn drawn_together(cycle: &[Edge]) -> Vec<Edge> {
    let mut drawn: Vec<Edge> = Vec::new();
    for edge in cycle {
        match drawn.last_mut() {
            Some(last)
                if last.relation == Relation::ProgramOrder
                    && edge.relation == Relation::ProgramOrder =>
            {
                last.to = edge.to;
            }
            Some(_) | None => drawn.push(*edge),
        }
    }
    drawn
}
