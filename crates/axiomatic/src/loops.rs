//! Loops: where a run may come back to, and when going round changes nothing.
//!
//! Threads with loops have infinitely many runs. Two things keep them finite. A round that writes
//! nothing and leads back to the same state is a *stutter*: it is left out. And a run that comes to one
//! label more often than a bound ends there, as [`crate::run::Ending::Bound`].
//!
//! *Leaving stutters out leaves out no final state.* Take an execution with such a round, and take the
//! round's events away: reads, fences, exclusive stores that failed. What the thread does afterwards is
//! the same, since every register that it still looks at has the same value. The axioms of all models
//! here forbid something only because of pairs of events that are related, and among the events that are
//! left no pair is related that was not before: none of program order, `rf`, `co` and `fr`; and of
//! dependencies none either, because a round counts as a stutter only if what registers depended on when
//! it began is still among what they depend on when it ends. So the execution without the round is allowed
//! too. The same goes for a round that does what the round before it did, event by event: without the first
//! of the two, the second one takes its place. A loop that waits for a value thereby becomes one read that sees it,
//! and a loop of an exclusive load and an exclusive store its last round.
//!
//! *A round may write what is there already*, as that of a test-and-set lock does which finds the lock taken: an
//! update that reads `v` from a write `s` and writes `v` as `w` is *silent*. Without its round, whoever reads from `w`
//! reads from `s`: nothing lies between the two in `co`, so the value, the final memory, coherence, atomicity and `fr`
//! stay as they are, and only the pairs of `s` with those readers are new in `rf`. A reader in another thread was
//! ordered after `s` before: `s` comes before the update's read (`rfe`), that before `w`, and `w` before
//! the reader (`rfe`); so a new pair of `rfe` adds nothing to one order of memory, and what a model makes of `s` and a
//! reader that share a thread (dependencies through memory) is made of pairs that are ordered already. A reader in the update's own
//! thread was ordered after `s` if reads like that of the update are ordered before all that follows: under SC, TSO
//! and PSO all reads are, elsewhere those that acquire ([`SilentUpdates`]). If `s` is of that
//! thread too, what its address and value depend on was ordered before the update's read, which reads it, and so before the
//! reader; not so what merely picks the value on Arm, so what the thread wrote there last must be another value or
//! come from no pick. Power, `ARMv7` and IMM have no one order of memory, RC11 speaks of
//! data races, and of a model in a file nothing is known: there such rounds are followed.

use std::ops::Range;

use program::{IndexVec, Instruction, LabelId, RegisterId, Template};

use crate::axioms::SilentUpdates;
use crate::event::Origin;
use crate::flow::Flow;
use crate::model::orders::acquires;
use crate::run::{LocalEvent, Partial};
use crate::task::Task;

/// What is known about the loops of a template.
pub(crate) struct Loops {
    /// The labels that every loop goes through at least one of.
    heads: IndexVec<LabelId, bool>,
    /// The registers that may be looked at before they are assigned to; in the end all are that have a
    /// name.
    live: IndexVec<LabelId, IndexVec<RegisterId, bool>>,
    /// Whether an exclusive store may come before an exclusive load.
    reserves: IndexVec<LabelId, bool>,
}

/// How a run that comes to a label has been there before.
pub(crate) enum Arrival {
    /// Never, or in another state, but not too often.
    Anew,
    /// In the same state, and has written nothing since.
    Stutter,
    /// As often as it may.
    Bound,
}

impl Loops {
    pub(crate) fn new(template: &Template) -> Self {
        Self { heads: heads(template), live: live(template), reserves: uses_reservation(template) }
    }

    /// Whether a loop may go through this label.
    pub(crate) fn is_head(&self, label: LabelId) -> bool {
        self.heads[label]
    }

    /// How often, and how, a run has been at the label it comes to; and whether that is still open. If so, it
    /// is told how it would be if nothing were a stutter.
    pub(crate) fn arrive(&self, partial: &Partial, task: &Task<'_>) -> (Arrival, bool) {
        let here = |visit: &&Visit| visit.label == partial.label;
        let all =
            std::iter::successors(partial.visited.as_deref(), |visit| visit.before.as_deref());
        let visits: Vec<&Visit> = all.filter(here).collect();
        let changes = match visits.as_slice() {
            [] => Truth::False,
            _ if !task.leaves_stutters_out => Truth::False,
            [_] => self.nothing_happened(&visits, partial, task.silent_updates),
            [last, before, ..] => {
                let again = self.is_repetition(before, last, partial, task.silent_updates);
                again.or(self.nothing_happened(&visits, partial, task.silent_updates))
            }
        };
        let is_full = visits.len() >= task.unroll;
        let otherwise = if is_full { Arrival::Bound } else { Arrival::Anew };
        match changes {
            Truth::True => (Arrival::Stutter, false),
            Truth::False => (otherwise, false),
            Truth::Open => (otherwise, true),
        }
    }

    /// Whether what happened since one of these visits can be left out.
    fn nothing_happened(&self, visits: &[&Visit], now: &Partial, silent: SilentUpdates) -> Truth {
        let is_stutter = |earlier: &&Visit| {
            changes_nothing(now, earlier.events..now.events.len(), silent)
                .and(|| self.is_same(now, earlier, |flow| flow))
        };
        visits.iter().map(is_stutter).fold(Truth::False, Truth::or)
    }

    /// Whether the last round did what the one before it did, so that either can be left out.
    fn is_repetition(
        &self,
        before: &Visit,
        last: &Visit,
        now: &Partial,
        silent: SilentUpdates,
    ) -> Truth {
        let (first, second) = (before.events..last.events, last.events..now.events.len());
        let length = first.len();
        let moved = |flow: Flow| flow.moved(first.start, length);
        let same = |(one, other): (&LocalEvent, &LocalEvent)| {
            let depends = other.address.contains(moved(one.address))
                && other.data.contains(moved(one.data))
                && other.control.contains(moved(one.control));
            if one.known && other.known {
                Truth::from(depends && one.event == other.event)
            } else {
                let addresses = one.event.address() == other.event.address();
                if depends && addresses { Truth::Open } else { Truth::False }
            }
        };
        let rounds = || now.events[first.clone()].iter().zip(&now.events[second.clone()]);
        Truth::from(second.len() == length)
            .and(|| changes_nothing(now, first.clone(), silent))
            .and(|| rounds().map(same).fold(Truth::True, |all, one| all.and(|| one)))
            .and(|| self.is_same(now, last, moved))
    }

    /// Whether the thread goes on as it did after a visit, and depends on at least as much.
    fn is_same(&self, now: &Partial, earlier: &Visit, moved: impl Fn(Flow) -> Flow) -> Truth {
        let same = |register: RegisterId| {
            let (old, new) = (&earlier.registers, &now.registers);
            if old.known[register] && new.known[register] {
                let depends = new.flows[register].contains(moved(old.flows[register]));
                Truth::from(depends && old.values[register] == new.values[register])
            } else {
                Truth::Open
            }
        };
        let live = self.live[now.label].enumerate().filter(|(_, is_live)| **is_live);
        let no_reservation = earlier.reservation.is_none() && now.reservation.is_none();
        Truth::from(
            (no_reservation || !self.reserves[now.label])
                && now.control.contains(moved(earlier.control)),
        )
        .and(|| {
            let all = live.map(|(register, _)| same(register));
            all.fold(Truth::True, |all, one| all.and(|| one))
        })
    }
}

/// Whether something is so, where values may still be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    False,
    Open,
    True,
}

impl From<bool> for Truth {
    fn from(truth: bool) -> Self {
        if truth { Self::True } else { Self::False }
    }
}

impl Truth {
    fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::False => Self::False,
            Self::True => other(),
            Self::Open => {
                if other() == Self::False {
                    Self::False
                } else {
                    Self::Open
                }
            }
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::True, _) | (_, Self::True) => Self::True,
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            (Self::False, Self::False) => Self::False,
        }
    }
}

/// Whether what a run has written in some of its events was there already.
fn changes_nothing(run: &Partial, events: Range<usize>, silent: SilentUpdates) -> Truth {
    let writes = events.clone().filter(|number| is_write(run, *number));
    let all = writes.map(|write| is_silent(run, events.start, write, silent));
    all.fold(Truth::True, |all, one| all.and(|| one))
}

/// The first event of the round with which a run comes to the head of a loop, if that writes nothing.
pub(crate) fn idle_from(run: &Partial) -> Option<usize> {
    let visits = std::iter::successors(run.visited.as_deref(), |visit| visit.before.as_deref());
    let first = visits.into_iter().find(|visit| visit.label == run.label)?.events;
    let writes = |number: usize| is_write(run, number);
    (!(first..run.events.len()).any(writes)).then_some(first)
}

fn is_write(run: &Partial, number: usize) -> bool {
    run.events[number].event.written().is_some()
}

/// Whether a write is that of an update which can be left out with all that happened from an event on.
fn is_silent(run: &Partial, from: usize, write: usize, silent: SilentUpdates) -> Truth {
    let pair = run.pairs.iter().find(|(read, written)| *written == write && *read >= from);
    let Some((read, _)) = pair else { return Truth::False };
    let (before, after) = (&run.events[*read], &run.events[write]);
    let goes = match silent {
        SilentUpdates::Stay => false,
        SilentUpdates::GoIfAcquiring => acquires(before.event.order) && keeps_result(before),
        SilentUpdates::Go => true,
    };
    let address = before.event.address();
    let is_alone = |number: usize, local: &LocalEvent| local.access == number;
    let is_at = |number: &usize| run.events[*number].event.address() == address;
    let written_between = (*read + 1..write).any(|number| is_write(run, number) && is_at(&number));
    let is_one_cell = is_alone(*read, before)
        && is_alone(write, after)
        && run.events.get(write + 1).is_none_or(|next| is_alone(write + 1, next));
    if !goes || !is_one_cell || written_between {
        return Truth::False;
    }
    // What its thread wrote there last, other than such updates.
    let is_own = |number: &usize| {
        let is_pair = run.pairs.iter().any(|(_, written)| written == number);
        is_write(run, *number) && is_at(number) && !(*number >= from && is_pair)
    };
    let own = (0..*read).rev().find(is_own).map(|number| &run.events[number]);
    let Some((_, new)) = after.event.written() else { return Truth::False };
    let Some((_, old)) = before.event.read() else { return Truth::False };
    let is_no_pick = own.map_or(Truth::True, |own| match own.event.written() {
        _ if own.data.picked == own.data.plain && own.address.picked == own.address.plain => {
            Truth::True
        }
        Some((_, value)) if own.known && after.known => Truth::from(value != new),
        Some(_) | None => Truth::Open,
    });
    if before.known && after.known {
        Truth::from(old == new).and(|| is_no_pick)
    } else {
        Truth::Open.and(|| is_no_pick)
    }
}

/// Whether the read of an update is an instruction's that has a result; the others do not acquire on Arm.
const fn keeps_result(local: &LocalEvent) -> bool {
    match local.event.origin {
        Origin::Update { keeps_result } => keeps_result,
        Origin::Exclusive | Origin::Ordinary | Origin::Initial => true,
    }
}

/// What a run was like when it came to the head of a loop.
#[derive(Debug)]
pub(crate) struct Visit {
    label: LabelId,
    events: usize,
    registers: crate::flow::Registers,
    control: Flow,
    reservation: Option<(usize, program::Footprint)>,
    before: Option<std::rc::Rc<Self>>,
}

impl Visit {
    /// The visit that a run pays now.
    pub(crate) fn of(partial: &Partial) -> Self {
        Self {
            label: partial.label,
            events: partial.events.len(),
            registers: partial.registers.clone(),
            control: partial.control,
            reservation: partial.reservation,
            before: partial.visited.clone(),
        }
    }
}

/// The labels that some edge leads back to, in a walk through the template.
pub(crate) fn heads(template: &Template) -> IndexVec<LabelId, bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Never,
        /// On the path from the initial label to the one looked at.
        OnPath,
        Done,
    }
    let mut heads: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    let mut seen: IndexVec<LabelId, Seen> = template.labels().iter().map(|_| Seen::Never).collect();
    // Each label on the path with the edges that are still to be followed.
    let mut path = vec![(template.initial(), template.outgoing(template.initial()))];
    seen[template.initial()] = Seen::OnPath;
    while let Some((label, edges)) = path.last_mut() {
        let Some(edge) = edges.next() else {
            seen[*label] = Seen::Done;
            path.pop();
            continue;
        };
        let to = template.edge(edge).to;
        match seen[to] {
            Seen::OnPath => heads[to] = true,
            Seen::Done => {}
            Seen::Never => {
                seen[to] = Seen::OnPath;
                path.push((to, template.outgoing(to)));
            }
        }
    }
    heads
}

/// The live registers at each label.
fn live(template: &Template) -> IndexVec<LabelId, IndexVec<RegisterId, bool>> {
    let at_first = |label| -> IndexVec<RegisterId, bool> {
        let is_end = template.outgoing(label).len() == 0;
        template.registers().iter().map(|register| is_end && !register.generated).collect()
    };
    let mut live: IndexVec<LabelId, _> = template.labels().indices().map(at_first).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for edge in template.edges().iter().rev() {
            let mut before = live[edge.to].clone();
            if let Some(written) = edge.instruction.written_register() {
                before[written] = false;
            }
            for operand in edge.instruction.operands() {
                for register in operand.registers() {
                    before[register] = true;
                }
            }
            for (register, is_live) in before.enumerate() {
                if *is_live && !live[edge.from][register] {
                    live[edge.from][register] = true;
                    changed = true;
                }
            }
        }
    }
    live
}

/// Where a reservation that was made before matters.
fn uses_reservation(template: &Template) -> IndexVec<LabelId, bool> {
    let mut uses: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for edge in template.edges().iter().rev() {
            let before = match &edge.instruction {
                Instruction::StoreExclusive { .. } => true,
                Instruction::Load { access, .. } if access.exclusive => false,
                Instruction::Skip
                | Instruction::Assign { .. }
                | Instruction::Choose { .. }
                | Instruction::Assume(_)
                | Instruction::Assert(_)
                | Instruction::Load { .. }
                | Instruction::Store { .. }
                | Instruction::Update { .. }
                | Instruction::Fence(_)
                | Instruction::Lock
                | Instruction::Unlock => uses[edge.to],
            };
            if before && !uses[edge.from] {
                uses[edge.from] = true;
                changed = true;
            }
        }
    }
    uses
}
