//! Which pairs of accesses lie on a cycle that a reference model forbids, in an execution that a machine allows.
//!
//! A static analysis finds pairs that a machine may reorder to the effect that an execution is not one of the
//! reference, as far as one can tell without values. Here executions are built, so values count: a pair is
//! *confirmed* by an execution that the machine allows and the reference forbids, in which the pair lies on a
//! cycle of the order that the reference asks for; and it is refuted if no execution does that.
//!
//! *The cycle.* Compared with SC it is a critical one: from the second access of the pair through other threads
//! alone back to the first (`po ∪ rf ∪ co ∪ fr`; Shasha and Snir, TOPLAS 1988). An execution that is not SC has one,
//! since a shortest cycle visits no thread twice, and not all pairs on it are kept in order by the machine, or
//! it would forbid the execution. Compared with TSO, which must keep the pair in order, a cycle may visit a thread twice:
//! once from a write to a write, and once from a read to a read (`cycles::reference`). So a way back from a pair of
//! writes may pass reads of its thread, and the other way round.
//!
//! *Updates.* Nothing comes between what an update reads and what it writes. So if `fr` leads from its read to a write,
//! `co` leads from its own write there; and if `co` leads to its write, it leads to what the read reads from, or begins
//! there. Hence cycles need neither leave a thread at the read of an update that writes, nor enter one by `co` at its
//! write, and ways that do are not counted: what releases orders the write, what acquires the read, and nothing
//! else is asked of them.
//!
//! *Dependencies* of a source text are there only as far as a compiler leaves them ([`Respected`]).
//!
//! *The reference is asked about the program as it is written*, and not as it is compiled for the machine: an update
//! that became a loop of exclusives is one locked access again, and fences are those of the text. Of a repaired program
//! these are the fences that it had before: one that was added to stop the machine waits on x86 as well, and a reference
//! with it would forbid what the program showed there all along ([`Looking::added`]).
//!
//! *Rounds of loops that change nothing are left out* (`crate::loops`), as they are where cycles are looked for.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use program::{
    EdgeId, FenceKind, IndexVec, Instruction, Order, Program, Target, TemplateId, Thread, ThreadId,
};

use crate::axiom::{Axiom, Violation};
use crate::axioms::{AccessesAcross, Axioms, Flag, Judgement, SilentUpdates};
use crate::enumerate::outcomes_while;
use crate::event::{Effect, Event, Origin};
use crate::execution::{Dependencies, Execution};
use crate::limits::{Bound, Limits, NoAnswer};
use crate::model::Model;
use crate::relation::{EventSet, Relation};

/// Whether an access reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Does {
    /// It reads.
    Reads,
    /// It writes.
    Writes,
}

/// Two accesses of a thread, in program order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The threads that may do it.
    pub threads: Vec<ThreadId>,
    /// The instruction that comes first, and what it does.
    pub first: (EdgeId, Does),
    /// The one that may overtake it.
    pub second: (EdgeId, Does),
}

/// What a program is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Sequential consistency.
    WithSc,
    /// Total store order.
    WithTso,
}

/// Which dependencies order accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Respected {
    /// All, as the machine does.
    All,
    /// Those that end in a write, and no write is made before it is known that it will be. A load whose address comes
    /// from another one may be made first: compilers guess pointers, and take branches away.
    IntoWrites,
}

/// Which executions are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looking<'a> {
    /// Those of this machine.
    pub machine: Model,
    /// That this does not have.
    pub compared: Compared,
    /// With these dependencies.
    pub respected: Respected,
    /// The fences that only the machine has: they were added to the program that it is compared with.
    pub added: &'a BTreeSet<(TemplateId, EdgeId)>,
}

/// No fence was added.
pub const NOTHING_ADDED: &BTreeSet<(TemplateId, EdgeId)> = &BTreeSet::new();

/// What was found.
#[derive(Debug)]
pub struct Reordered {
    /// An execution that the machine allows and the reference forbids, if one was found.
    pub weak: Option<Execution>,
    /// For each pair one in which it lies on a cycle, if one was found.
    pub pairs: Vec<Option<Execution>>,
    /// What kept executions from being followed further. Without that, what was not found does not exist.
    pub bound: Option<Bound>,
    /// How often the machine's model was asked.
    pub candidates: u64,
}

/// Looks for executions in which pairs of accesses are reordered, as long as somebody wants to go on.
pub fn reordered(
    program: &Program,
    looking: Looking<'_>,
    pairs: &[Pair],
    limits: &Limits,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Reordered, NoAnswer> {
    let threads = program.threads().map_err(NoAnswer::Parameterised)?;
    let judge = Judge { program, threads, looking, pairs };
    let found = outcomes_while(program, &judge, limits, go_on)?;
    let mut flags = found.flags;
    let mut take = |name: &str| flags.remove(name).map(|raised| raised.execution);
    let weak = take(WEAK);
    let of_pairs = (0..pairs.len()).map(|number| take(&number.to_string())).collect();
    Ok(Reordered { weak, pairs: of_pairs, bound: found.bound, candidates: found.candidates })
}

/// The flag of every execution that the reference forbids; those of pairs are numbers.
const WEAK: &str = "weak";

/// The machine's axioms, which tell of each execution what the reference says.
struct Judge<'a> {
    program: &'a Program,
    threads: IndexVec<ThreadId, Thread>,
    looking: Looking<'a>,
    pairs: &'a [Pair],
}

impl Judge<'_> {
    fn reference(&self) -> Model {
        match self.looking.compared {
            Compared::WithSc => Model::Sc,
            Compared::WithTso => Model::Tso,
        }
    }

    /// The execution as the program is written.
    fn as_written(&self, execution: &Execution) -> Execution {
        let mut written = execution.clone();
        for event in &mut written.events {
            if let (Some(thread), Some(edge)) = (event.thread, event.edge) {
                let template = self.threads[thread].template;
                if self.looking.added.contains(&(template, edge)) {
                    *event = without_effect(*event);
                } else {
                    let instruction = &self.program.template(template).edge(edge).instruction;
                    *event = of_instruction(*event, instruction);
                }
            }
        }
        written
    }

    fn flags(&self, execution: &Execution) -> Vec<Flag> {
        let written = self.as_written(execution);
        let axioms = self.reference().axioms(&written);
        if axioms.iter().all(Axiom::holds) {
            return Vec::new();
        }
        let flag = |name: String| Flag { name, undefined: false, pairs: Vec::new() };
        let order = axioms.iter().filter_map(Axiom::order).reduce(|all, one| all | one);
        let Some(order) = order else { return Vec::new() };
        let order = by_whole_updates(&written, &order);
        // What is kept by way of another access of the thread is kept: a write before a locked access before a read.
        let is_within = |(from, to): &(usize, usize)| {
            written.events[*from].thread == written.events[*to].thread
        };
        let within = order.pairs().filter(is_within);
        let kept = Relation::from_pairs(written.events.len(), within).transitive();
        let on_cycle = |pair: &Pair| self.is_on_cycle(&written, (&order, &kept), pair);
        let pairs = self.pairs.iter().enumerate().filter(|(_, pair)| on_cycle(pair));
        let numbers = pairs.map(|(number, _)| flag(number.to_string()));
        [flag(WEAK.to_owned())].into_iter().chain(numbers).collect()
    }

    fn is_on_cycle(
        &self,
        execution: &Execution,
        (order, kept): (&Relation, &Relation),
        pair: &Pair,
    ) -> bool {
        pair.threads.iter().any(|thread| {
            let own = execution.events_with(|event| event.thread == Some(*thread));
            let of = |does: Does| match does {
                Does::Reads => execution.reads,
                Does::Writes => execution.writes,
            };
            let doing = |(edge, does): (EdgeId, Does)| -> EventSet {
                own & of(does) & execution.events_with(|event| event.edge == Some(edge))
            };
            let again = match (self.looking.compared, pair.first.1, pair.second.1) {
                (Compared::WithTso, Does::Writes, Does::Writes) => own & of(Does::Reads),
                (Compared::WithTso, Does::Reads, Does::Reads) => own & of(Does::Writes),
                (Compared::WithTso, Does::Reads, Does::Writes)
                | (Compared::WithTso, Does::Writes, Does::Reads)
                | (Compared::WithSc, _, _) => EventSet::EMPTY,
            };
            let (firsts, seconds) = (doing(pair.first), doing(pair.second));
            firsts.iter().any(|first| {
                let later = execution.po.successors(first) & kept.successors(first) & seconds;
                later.iter().any(|second| leads_back(order, (second, first), own, again))
            })
        })
    }

    /// The execution with the dependencies that order something.
    fn as_compiled(&self, execution: &Execution) -> Option<Execution> {
        match self.looking.respected {
            Respected::All => None,
            Respected::IntoWrites => {
                let mut compiled = execution.clone();
                compiled.computed = into_writes(execution, &execution.computed);
                compiled.syntactic = into_writes(execution, &execution.syntactic);
                Some(compiled)
            }
        }
    }
}

/// The dependencies that end in a write. What comes after an access waits for its address, if it is a write; and the
/// branch and the fence that an acquire is compiled to are no dependency of the text.
fn into_writes(execution: &Execution, all: &Dependencies) -> Dependencies {
    let writes = execution.writes;
    let is_own = |(read, fence): &(usize, usize)| {
        let events = &execution.events;
        matches!(events[*fence].effect, Effect::Fence(_))
            && events[*read].edge == events[*fence].edge
    };
    let own = Relation::from_pairs(execution.events.len(), all.ctrl.pairs().filter(is_own));
    let behind = all.addr.then(&execution.po).ending_in(writes);
    Dependencies {
        addr: all.addr.ending_in(writes),
        data: all.data.clone(),
        ctrl: all.ctrl.ending_in(writes) | behind | own,
    }
}

/// The order without the ways around updates: from the read of one that writes to other threads, and from writes
/// of other threads to its write. Whether there is a cycle does not depend on them.
fn by_whole_updates(execution: &Execution, order: &Relation) -> Relation {
    let (mut reads, mut writes) = (EventSet::EMPTY, EventSet::EMPTY);
    for (read, write) in execution.rmw.pairs() {
        reads = reads | EventSet::only(read);
        writes = writes | EventSet::only(write);
    }
    let external = |(from, to): &(usize, usize)| {
        execution.events[*from].thread != execution.events[*to].thread
    };
    let is_around = |(from, to): &(usize, usize)| {
        reads.contains(*from) || (execution.writes.contains(*from) && writes.contains(*to))
    };
    let kept = order.pairs().filter(|pair| !(external(pair) && is_around(pair)));
    let whole = Relation::from_pairs(execution.events.len(), kept);
    // Where one access has several cells, its updates are not one event each.
    if whole.is_acyclic() { order.clone() } else { whole }
}

/// Whether steps lead from an event to another: out of their thread, through others and what of it may be visited again,
/// and back.
fn leads_back(
    order: &Relation,
    (from, to): (usize, usize),
    own: EventSet,
    again: EventSet,
) -> bool {
    let through = (!own | again) & !(EventSet::only(from) | EventSet::only(to));
    let mut seen = order.successors(from) & !own;
    loop {
        let next = seen.iter().fold(seen, |all, event| all | (order.successors(event) & through));
        if next == seen {
            return (seen & !own).iter().any(|event| order.contains(event, to));
        }
        seen = next;
    }
}

/// A fence that orders nothing.
const fn without_effect(event: Event) -> Event {
    Event { effect: Effect::Fence(FenceKind::Control), ..event }
}

/// An event as the instruction says that it belongs to.
fn of_instruction(event: Event, instruction: &Instruction) -> Event {
    let with = |order: Order, origin: Origin| match event.effect {
        // What compilers put beside an access is no fence of the text.
        Effect::Fence(_) => without_effect(event),
        Effect::Read { .. } | Effect::Write { .. } | Effect::FailedExclusive => {
            Event { order, origin, ..event }
        }
    };
    match instruction {
        Instruction::Load { access, .. } => {
            with(access.order, if access.exclusive { Origin::Exclusive } else { Origin::Ordinary })
        }
        Instruction::Store { access, .. } => with(access.order, Origin::Ordinary),
        Instruction::StoreExclusive { access, .. } => with(access.order, Origin::Exclusive),
        Instruction::Update { access, result, .. } => {
            with(access.order, Origin::Update { keeps_result: result.is_some() })
        }
        Instruction::Fence(kind) => Event { effect: Effect::Fence(*kind), ..event },
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Lock
        | Instruction::Unlock => event,
    }
}

impl Axioms for Judge<'_> {
    fn name(&self) -> &str {
        self.looking.machine.name()
    }

    fn judge(&self, execution: &Execution) -> Result<Judgement, NoAnswer> {
        let compiled = self.as_compiled(execution);
        if !self.looking.machine.judge(compiled.as_ref().unwrap_or(execution))?.is_allowed() {
            return Ok(Judgement::Forbidden);
        }
        Ok(Judgement::Allowed(self.flags(execution)))
    }

    fn why_not(&self, execution: &Execution) -> Option<Violation> {
        self.looking.machine.why_not(self.as_compiled(execution).as_ref().unwrap_or(execution))
    }

    fn target(&self) -> Option<Target> {
        self.looking.machine.target()
    }

    fn accesses_across(&self) -> AccessesAcross {
        self.looking.machine.accesses_across()
    }

    fn keeps_reads_of_one_address(&self) -> bool {
        self.looking.machine.keeps_reads_of_one_address()
    }

    fn waits_for_addresses(&self) -> bool {
        self.looking.machine.waits_for_addresses()
    }

    fn is_monotone(&self) -> bool {
        self.looking.machine.is_monotone()
    }

    fn lets_threads_go_on(&self) -> bool {
        self.looking.machine.lets_threads_go_on()
    }

    fn judges_parts_alone(&self) -> bool {
        false
    }

    fn silent_updates(&self) -> SilentUpdates {
        SilentUpdates::Stay
    }

    fn flags_depend_on_coherence(&self) -> bool {
        true
    }

    fn raises_flags(&self) -> bool {
        true
    }
}
