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
//! it would forbid the execution. Compared with TSO a cycle may visit a thread twice, and any way back counts, as long
//! as TSO keeps the pair in order.
//!
//! *The reference is asked about the program as it is written*, and not as it is compiled for the machine: an update
//! that became a loop of exclusives is one locked access again, and fences are those of the text.
//!
//! *Rounds of loops that change nothing are left out* (`crate::loops`), as they are where cycles are looked for.

use std::ops::ControlFlow;

use program::{EdgeId, FenceKind, IndexVec, Instruction, Order, Program, Target, Thread, ThreadId};

use crate::axiom::{Axiom, Violation};
use crate::axioms::{AccessesAcross, Axioms, Flag, Judgement, SilentUpdates};
use crate::enumerate::outcomes_while;
use crate::event::{Effect, Event, Origin};
use crate::execution::Execution;
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
    machine: Model,
    compared: Compared,
    pairs: &[Pair],
    limits: &Limits,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Reordered, NoAnswer> {
    let threads = program.threads().map_err(NoAnswer::Parameterised)?;
    let judge = Judge { program, threads, machine, compared, pairs };
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
    machine: Model,
    compared: Compared,
    pairs: &'a [Pair],
}

impl Judge<'_> {
    fn reference(&self) -> Model {
        match self.compared {
            Compared::WithSc => Model::Sc,
            Compared::WithTso => Model::Tso,
        }
    }

    /// The execution as the program is written.
    fn as_written(&self, execution: &Execution) -> Execution {
        let mut written = execution.clone();
        for event in &mut written.events {
            if let (Some(thread), Some(edge)) = (event.thread, event.edge) {
                let template = self.program.template(self.threads[thread].template);
                *event = of_instruction(*event, &template.edge(edge).instruction);
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
        let on_cycle = |pair: &Pair| self.is_on_cycle(&written, &order, pair);
        let pairs = self.pairs.iter().enumerate().filter(|(_, pair)| on_cycle(pair));
        let numbers = pairs.map(|(number, _)| flag(number.to_string()));
        [flag(WEAK.to_owned())].into_iter().chain(numbers).collect()
    }

    fn is_on_cycle(&self, execution: &Execution, order: &Relation, pair: &Pair) -> bool {
        pair.threads.iter().any(|thread| {
            let own = execution.events_with(|event| event.thread == Some(*thread));
            let doing = |(edge, does): (EdgeId, Does)| -> EventSet {
                let direction = match does {
                    Does::Reads => execution.reads,
                    Does::Writes => execution.writes,
                };
                own & direction & execution.events_with(|event| event.edge == Some(edge))
            };
            let (firsts, seconds) = (doing(pair.first), doing(pair.second));
            firsts.iter().any(|first| {
                let later = execution.po.successors(first) & seconds;
                later.iter().any(|second| match self.compared {
                    Compared::WithSc => {
                        let ends = EventSet::only(first) | EventSet::only(second);
                        let through = !own | ends;
                        leads_back(&order.starting_in(through).ending_in(through), second, first)
                    }
                    Compared::WithTso => {
                        order.contains(first, second) && leads_back(order, second, first)
                    }
                })
            })
        })
    }
}

/// Whether steps lead from an event to another, not by way of the pair itself.
fn leads_back(order: &Relation, from: usize, to: usize) -> bool {
    let mut seen = EventSet::only(from);
    loop {
        let next = seen.iter().fold(seen, |all, event| all | order.successors(event));
        if next.contains(to) {
            return true;
        }
        if next == seen {
            return false;
        }
        seen = next;
    }
}

/// An event as the instruction says that it belongs to.
fn of_instruction(event: Event, instruction: &Instruction) -> Event {
    let with = |order: Order, origin: Origin| match event.effect {
        // What compilers put beside an access is no fence of the text.
        Effect::Fence(_) => Event { effect: Effect::Fence(FenceKind::Control), ..event },
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
        self.machine.name()
    }

    fn judge(&self, execution: &Execution) -> Result<Judgement, NoAnswer> {
        if !self.machine.judge(execution)?.is_allowed() {
            return Ok(Judgement::Forbidden);
        }
        Ok(Judgement::Allowed(self.flags(execution)))
    }

    fn why_not(&self, execution: &Execution) -> Option<Violation> {
        self.machine.why_not(execution)
    }

    fn target(&self) -> Option<Target> {
        self.machine.target()
    }

    fn accesses_across(&self) -> AccessesAcross {
        self.machine.accesses_across()
    }

    fn keeps_reads_of_one_address(&self) -> bool {
        self.machine.keeps_reads_of_one_address()
    }

    fn waits_for_addresses(&self) -> bool {
        self.machine.waits_for_addresses()
    }

    fn is_monotone(&self) -> bool {
        self.machine.is_monotone()
    }

    fn lets_threads_go_on(&self) -> bool {
        self.machine.lets_threads_go_on()
    }

    fn judges_parts_alone(&self) -> bool {
        false
    }

    fn silent_updates(&self) -> SilentUpdates {
        SilentUpdates::Stay
    }

    fn raises_flags(&self) -> bool {
        true
    }
}
