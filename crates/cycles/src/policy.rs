//! Older ways to place fences, to be compared with (CAV'14 §2 and §3).
//!
//! - *every access*: a full fence after each access that another thread may run beside.
//! - *heap*: a full fence after each access to static or heap data, shared or not; on x86, where only what
//!   follows a write can overtake, after writes.
//! - *pensieve*: Sura et al. (`PPoPP` 2005), after Fang, Lee and Midkiff (ICS 2003): a full fence after each
//!   access that begins a pair which the architecture does not keep in order and both of whose accesses
//!   conflict with another thread's. That over-approximates the delay set of Shasha and Snir by leaving out
//!   the question whether the pair lies on a cycle.
//! - *Visual Studio*: every read acquires and every write releases, as for `volatile` variables there. **It
//!   does not make a program SC**: store buffering remains.
//!
//! Fences that are there already count: where every path from an access passes one that is strong enough
//! before the next access, none is put in.

use std::collections::{BTreeMap, BTreeSet};

use events::PlaceId;
use program::FenceKind;
use program::index::Idx;

use crate::architecture::{Arch, Direction, Strength};
use crate::bits::Bits;
use crate::delays::{Analysis, Put};
use crate::machine::{Does, EventId, StepId};
use crate::order::Kinds;
use crate::reach::{Beyond, Reach};
use crate::unordered::events_after;

/// A way to place fences without looking for cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// After every shared access.
    EveryAccess,
    /// After every access to static and heap data.
    Heap,
    /// After every access that begins a pair of conflicting accesses.
    Pensieve,
    /// Reads acquire, writes release.
    VisualStudio,
}

impl Policy {
    /// All policies, those with most fences first.
    pub const ALL: [Self; 4] = [Self::Heap, Self::EveryAccess, Self::Pensieve, Self::VisualStudio];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EveryAccess => "every-access",
            Self::Heap => "heap",
            Self::Pensieve => "pensieve",
            Self::VisualStudio => "visual-studio",
        }
    }

    /// Whether a program is SC after it.
    pub const fn makes_sc(self) -> bool {
        match self {
            Self::EveryAccess | Self::Heap | Self::Pensieve => true,
            Self::VisualStudio => false,
        }
    }
}

/// The fences that a policy puts in.
#[derive(Clone, Debug, Default)]
pub struct ByPolicy {
    /// The fences.
    pub fences: BTreeSet<(PlaceId, FenceKind)>,
    /// The accesses after which there is no place for the fence that they should get.
    pub without_place: usize,
}

/// Places fences by a policy.
pub fn by_policy(analysis: &Analysis<'_>, policy: Policy) -> ByPolicy {
    let machine = &analysis.machine;
    let mut result = ByPolicy::default();
    let put = analysis.nothing_put();
    let shared: BTreeSet<EventId> =
        machine.graph.threads.indices().flat_map(|thread| machine.events_of(thread)).collect();
    match policy {
        Policy::EveryAccess => {
            for event in &shared {
                after(analysis, *event, FenceKind::Full, &mut result);
            }
        }
        Policy::Heap => {
            for (event, data) in machine.events.enumerate() {
                let counts = data.direction == Direction::Write || machine.arch != Arch::X86;
                if counts && machine.reachable[data.step] {
                    after(analysis, event, FenceKind::Full, &mut result);
                }
            }
        }
        Policy::Pensieve => {
            for event in pensieve(analysis, &put) {
                after(analysis, event, FenceKind::Full, &mut result);
            }
        }
        Policy::VisualStudio => {
            for event in &shared {
                let (acquire, release) = match machine.arch {
                    Arch::X86 => (None, None),
                    Arch::Pso => (None, Some(FenceKind::StoreStore)),
                    Arch::Rmo | Arch::RiscV => (Some(FenceKind::Acquire), Some(FenceKind::Release)),
                    Arch::Power => (Some(FenceKind::Lightweight), Some(FenceKind::Lightweight)),
                    Arch::ArmV7 => (Some(FenceKind::Full), Some(FenceKind::Full)),
                    Arch::AArch64 | Arch::AArch64Lse => {
                        (Some(FenceKind::Acquire), Some(FenceKind::Full))
                    }
                };
                match machine.events[*event].direction {
                    Direction::Read => {
                        if let Some(kind) = acquire {
                            after(analysis, *event, kind, &mut result);
                        }
                    }
                    Direction::Write => {
                        if let Some(kind) = release {
                            before(analysis, *event, kind, &mut result);
                        }
                    }
                }
            }
        }
    }
    result
}

/// The accesses that begin a pair of accesses which conflict with other threads and are not in order.
fn pensieve(analysis: &Analysis<'_>, put: &Put) -> BTreeSet<EventId> {
    let machine = &analysis.machine;
    let mut reach: BTreeMap<Kinds, Reach<'_, '_>> = BTreeMap::new();
    let mut first_of = BTreeSet::new();
    let mut after = Bits::new(machine.events.len());
    for thread in machine.graph.threads.indices() {
        let mut beyond: BTreeMap<Kinds, Beyond> = BTreeMap::new();
        let of_event = &analysis.classes.of_event[thread];
        let conflicting = |event: &EventId| {
            let class = *of_event.get(event)?;
            (!analysis.classes.communicates(class).is_empty()).then_some(class)
        };
        for first in machine.events_of(thread) {
            let Some(class) = conflicting(&first) else { continue };
            for direction in [Direction::Read, Direction::Write] {
                let kinds = Kinds::between(machine, first, direction, Strength::Full);
                let reach = reach.entry(kinds).or_insert_with(|| events_after(machine, kinds, put));
                let beyond = beyond.entry(kinds).or_insert_with(|| reach.beyond(thread));
                after.clear();
                reach.after(machine.events[first].step, beyond, &mut after);
                let is_delayed = |event: EventId| {
                    machine.events[event].direction == direction
                        && machine.by_orders(first, event) < Strength::Full
                        && conflicting(&event).is_some_and(|second| {
                            !machine.surely_same(first, event)
                                || analysis.may_read_backwards(class, second)
                        })
                };
                if after.iter().any(|event| is_delayed(EventId::new(event))) {
                    first_of.insert(first);
                }
            }
        }
    }
    first_of
}

/// Puts a fence at the nearest places after an event, unless there is one.
fn after(analysis: &Analysis<'_>, event: EventId, kind: FenceKind, result: &mut ByPolicy) {
    let machine = &analysis.machine;
    let first = machine.events[event].step;
    let mut open = vec![first];
    let mut seen = BTreeSet::new();
    while let Some(step) = open.pop() {
        if !seen.insert(step) {
            continue;
        }
        let data = &machine.steps[step];
        match &data.does {
            Does::Fence(FenceKind::Full) => continue,
            Does::Event(other) if step != first => {
                let is_part = machine.events[*other].node == machine.events[event].node;
                if !is_part {
                    result.without_place += 1;
                    continue;
                }
            }
            Does::Fence(_) | Does::Nothing | Does::Event(_) | Does::Call(_) | Does::Return => {}
        }
        match data.place {
            Some(place) => {
                result.fences.insert((place, kind));
            }
            None => open.extend(&data.successors),
        }
    }
}

/// Puts a fence at the nearest places before an event.
fn before(analysis: &Analysis<'_>, event: EventId, kind: FenceKind, result: &mut ByPolicy) {
    let machine = &analysis.machine;
    let first = machine.events[event].step;
    let into = |step: StepId| {
        machine.steps.enumerate().filter(move |(_, data)| data.successors.contains(&step))
    };
    let mut open = vec![first];
    let mut seen = BTreeSet::new();
    while let Some(step) = open.pop() {
        if !seen.insert(step) {
            continue;
        }
        for (id, data) in into(step) {
            match (&data.does, data.place) {
                (Does::Fence(FenceKind::Full), _) => {}
                (_, Some(place)) => {
                    result.fences.insert((place, kind));
                }
                (Does::Event(other), None)
                    if machine.events[*other].node != machine.events[event].node =>
                {
                    result.without_place += 1;
                }
                (_, None) => open.push(id),
            }
        }
    }
}
