//! Program order: what a thread may execute after an event, past which fences.
//!
//! A path goes up and then down: from the event it may return to callers and go on there, and it may
//! enter functions, which it then leaves only to where it came from. A function on the way that is
//! entered and left again is skipped if there is a way through it. So exactly the paths with matching
//! calls and returns are found, without inlining (interprocedural reachability by summaries: Reps,
//! Horwitz, Sagiv, POPL 1995).
//!
//! An event that depends on a read depends on its *last* execution. So paths on which the first event is
//! executed again are kept apart: there the dependency does not order the two that are looked at.

use std::ops::ControlFlow;

use events::{ClassId, FunctionId, PlaceId};
use program::index::Idx;
use program::{FenceKind, IndexVec};

use crate::architecture::{Direction, Strength};
use crate::bits::Bits;
use crate::machine::{Does, EventId, Machine, NodeRef, StepId};

/// What stops a path: a fence that is there, or one that is put in.
pub(crate) trait Stops {
    /// Whether a fence of this kind stops it.
    fn fence(&self, kind: FenceKind) -> bool;
    /// Whether something that was put at a place stops it.
    fn place(&self, place: PlaceId) -> bool;
    /// Whether an event stops it: it is met, and nothing after it.
    fn event(&self, event: EventId) -> bool;
}

/// Nothing stops a path.
pub(crate) struct Nothing;

impl Stops for Nothing {
    fn fence(&self, _: FenceKind) -> bool {
        false
    }

    fn place(&self, _: PlaceId) -> bool {
        false
    }

    fn event(&self, _: EventId) -> bool {
        false
    }
}

/// What a path passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// The places for fences.
    pub places: Vec<PlaceId>,
    /// The events, in the order in which they are passed.
    pub events: Vec<EventId>,
    /// The fences that were taken away, and what they are.
    pub gone: Vec<(NodeRef, FenceKind)>,
}

impl Passed {
    /// This path, then an event, if there is one, and then another path.
    pub(crate) fn then(&self, event: Option<EventId>, mut rest: Self) -> Self {
        rest.places.extend(&self.places);
        rest.places.sort();
        rest.places.dedup();
        let events = self.events.iter().copied().chain(event).chain(rest.events);
        rest.gone.extend(&self.gone);
        Self { events: events.collect(), places: rest.places, gone: rest.gone }
    }
}

/// For each function that has a way through it that nothing stops, what is on that way.
pub(crate) type Ways = IndexVec<FunctionId, Option<Passed>>;

/// Finds ways through functions.
pub(crate) fn ways(machine: &Machine<'_>, stops: &impl Stops) -> Ways {
    let mut ways: Ways = machine.entries.iter().map(|_| None).collect();
    if machine.callers.iter().all(Vec::is_empty) {
        return ways;
    }
    let mut open: Vec<FunctionId> = machine.entries.indices().collect();
    let mut is_open: IndexVec<FunctionId, bool> = machine.entries.iter().map(|_| true).collect();
    // The step before each that was visited; the first is before itself.
    let mut before: IndexVec<StepId, Option<StepId>> = machine.steps.iter().map(|_| None).collect();
    while let Some(function) = open.pop() {
        is_open[function] = false;
        if ways[function].is_some() {
            continue;
        }
        ways[function] = way(machine, stops, function, &ways, &mut before);
        if ways[function].is_some() {
            for caller in &machine.callers[function] {
                let caller = machine.steps[*caller].function;
                if !std::mem::replace(&mut is_open[caller], true) {
                    open.push(caller);
                }
            }
        }
    }
    ways
}

/// A way through one function, if there is one with what is known of others.
fn way(
    machine: &Machine<'_>,
    stops: &impl Stops,
    function: FunctionId,
    ways: &Ways,
    before: &mut IndexVec<StepId, Option<StepId>>,
) -> Option<Passed> {
    let first = machine.entries[function];
    before[first] = Some(first);
    let mut steps = vec![first];
    let mut found = None;
    let mut next = 0;
    while let Some(at) = steps.get(next).copied() {
        next += 1;
        let step = &machine.steps[at];
        let goes_on = match &step.does {
            Does::Return => {
                found = Some(at);
                break;
            }
            Does::Fence(kind) => !stops.fence(*kind),
            Does::Call(callees) => is_skipped(callees, ways),
            Does::Event(event) => !stops.event(*event),
            Does::Nothing => true,
        };
        if goes_on && !step.place.is_some_and(|place| stops.place(place)) {
            for successor in &step.successors {
                if before[*successor].is_none() {
                    before[*successor] = Some(at);
                    steps.push(*successor);
                }
            }
        }
    }
    let mut back = Backwards::default();
    let mut at = found;
    while let Some(step) = at.filter(|step| *step != first) {
        at = before[step];
        if let Some(passed) = at {
            back.leave(machine, passed, ways);
        }
    }
    for step in steps {
        before[step] = None;
    }
    found.map(|_| back.passed())
}

/// What a path passes, the last first.
#[derive(Default)]
struct Backwards {
    places: Vec<PlaceId>,
    events: Vec<EventId>,
    gone: Vec<(NodeRef, FenceKind)>,
}

impl Backwards {
    /// What who leaves a step has passed there: what is in a called function, and its own.
    fn leave(&mut self, machine: &Machine<'_>, step: StepId, ways: &Ways) {
        let data = &machine.steps[step];
        self.places.extend(data.place);
        match &data.does {
            Does::Event(event) => self.events.push(*event),
            Does::Call(callees) => {
                if let Some(way) = callees.iter().find_map(|callee| ways[*callee].as_ref()) {
                    self.places.extend(&way.places);
                    self.events.extend(way.events.iter().rev());
                    self.gone.extend(&way.gone);
                }
            }
            Does::Nothing => self.gone.extend(data.gone),
            Does::Fence(_) | Does::Return => {}
        }
    }

    fn passed(self) -> Passed {
        let Self { mut places, mut events, gone } = self;
        places.sort();
        places.dedup();
        events.reverse();
        Passed { places, events, gone }
    }
}

pub(crate) fn is_skipped(callees: &[FunctionId], ways: &Ways) -> bool {
    callees.is_empty() || callees.iter().any(|callee| ways[*callee].is_some())
}

/// What was found of an event after another, or of a fence that is there only for comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    /// Its step.
    pub(crate) step: StepId,
    /// The event.
    pub(crate) event: Option<EventId>,
    /// Whether the first event is executed again on the way.
    pub(crate) again: bool,
    /// The state of the search, for the path.
    state: usize,
}

/// A state of the search: a step, and how it was reached.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    step: StepId,
    /// Whether a function was entered and not yet left.
    is_down: bool,
    /// Whether the first event was executed again.
    again: bool,
    /// Whether a call has come back.
    is_back: bool,
}

impl State {
    fn number(self) -> usize {
        let flag = usize::from;
        self.step.index() * 8 + flag(self.is_back) * 4 + flag(self.is_down) * 2 + flag(self.again)
    }

    fn of_number(number: usize) -> Self {
        Self {
            step: StepId::new(number / 8),
            is_back: number & 4 != 0,
            is_down: number & 2 != 0,
            again: number & 1 != 0,
        }
    }
}

/// A search that keeps its memory from one start to the next.
pub(crate) struct Walker<'m, 'g> {
    machine: &'m Machine<'g>,
    /// When each state was last visited.
    visited: Vec<u32>,
    /// The state before each.
    parents: Vec<usize>,
    /// Whether each is the beginning of a function that was called from there.
    is_called: Vec<bool>,
    now: u32,
    queue: Vec<usize>,
}

/// No state comes before this one.
const START: usize = usize::MAX;

impl<'m, 'g> Walker<'m, 'g> {
    pub(crate) fn new(machine: &'m Machine<'g>) -> Self {
        let states = machine.steps.len() * 8;
        let (visited, parents) = (vec![0; states], vec![START; states]);
        let is_called = vec![false; states];
        Self { machine, visited, parents, is_called, now: 0, queue: Vec::new() }
    }

    fn push(&mut self, state: State, parent: usize, is_called: bool) {
        let number = state.number();
        if self.visited[number] != self.now {
            self.visited[number] = self.now;
            self.parents[number] = parent;
            self.is_called[number] = is_called;
            self.queue.push(number);
        }
    }

    /// All events that a thread of a class may execute after an event, the nearest first.
    pub(crate) fn after(
        &mut self,
        class: ClassId,
        start: EventId,
        stops: &impl Stops,
        ways: &Ways,
    ) -> Vec<EventId> {
        let mut found = Vec::new();
        self.walk(class, self.machine.events[start].step, stops, ways, |reached| {
            found.extend(reached.event);
            ControlFlow::Continue(())
        });
        found
    }

    /// Meets the events that a thread of a class may execute after a step, the nearest first, until one
    /// is enough; and the fences that are there only for comparison.
    pub(crate) fn walk(
        &mut self,
        class: ClassId,
        first: StepId,
        stops: &impl Stops,
        ways: &Ways,
        mut meet: impl FnMut(Reached) -> ControlFlow<()>,
    ) {
        let machine = self.machine;
        self.now += 1;
        self.queue.clear();
        let begin = State { step: first, is_down: false, again: false, is_back: false };
        self.leave(begin, START, stops);
        let mut at = 0;
        while let Some(number) = self.queue.get(at).copied() {
            at += 1;
            let state = State::of_number(number);
            let step = &machine.steps[state.step];
            match &step.does {
                Does::Nothing => {
                    let (step, again) = (state.step, state.again);
                    let met = Reached { step, event: None, again, state: number };
                    if machine.steps[step].waits && meet(met).is_break() {
                        return;
                    }
                    self.leave(state, number, stops);
                }
                Does::Event(event) => {
                    let (step, again) = (state.step, state.again);
                    let met = Reached { step, event: Some(*event), again, state: number };
                    if meet(met).is_break() {
                        return;
                    }
                    let again = state.again || state.step == first;
                    if !stops.event(*event) {
                        self.leave(State { again, ..state }, number, stops);
                    }
                }
                Does::Fence(kind) => {
                    if !stops.fence(*kind) {
                        self.leave(state, number, stops);
                    }
                }
                Does::Call(_) if state.is_back => self.leave(state, number, stops),
                Does::Call(callees) => {
                    for callee in callees {
                        let step = machine.entries[*callee];
                        self.push(State { step, is_down: true, ..state }, number, true);
                    }
                    if is_skipped(callees, ways) {
                        self.leave(state, number, stops);
                    }
                }
                Does::Return if state.is_down => {}
                Does::Return => {
                    for caller in &machine.callers[step.function] {
                        if machine.executed[class][machine.steps[*caller].function] {
                            let back = State { step: *caller, is_back: true, ..state };
                            self.push(back, number, false);
                        }
                    }
                }
            }
        }
    }

    fn leave(&mut self, state: State, parent: usize, stops: &impl Stops) {
        let data = &self.machine.steps[state.step];
        if data.place.is_some_and(|place| stops.place(place)) {
            return;
        }
        for next in &data.successors {
            self.push(State { step: *next, is_back: false, ..state }, parent, false);
        }
    }

    /// What the path from a step to an event of the last search passes.
    pub(crate) fn passed(&self, start: StepId, reached: Reached, ways: &Ways) -> Passed {
        let mut back = Backwards::default();
        let mut child = reached.state;
        let mut at = self.parents[reached.state];
        loop {
            let (step, is_back) = match at {
                START => (start, false),
                number => {
                    let state = State::of_number(number);
                    (state.step, state.is_back)
                }
            };
            let data = &self.machine.steps[step];
            // Who enters a function or returns from one does not pass what follows the call.
            let next = State::of_number(child).step;
            if !self.is_called[child] && data.successors.contains(&next) {
                if is_back {
                    back.places.extend(data.place);
                } else {
                    back.leave(self.machine, step, ways);
                }
            }
            if at == START {
                break;
            }
            child = at;
            at = self.parents[at];
        }
        let mut passed = back.passed();
        // It begins after its first event.
        if matches!(self.machine.steps[start].does, Does::Event(_)) {
            passed.events.remove(0);
        }
        passed
    }
}

/// The kinds of fences that stop a path, where they are and where they were put.
pub(crate) struct Until<'a> {
    pub(crate) kinds: Kinds,
    /// For each place, the kinds of fences that were put there.
    pub(crate) put: &'a IndexVec<PlaceId, Vec<FenceKind>>,
    /// Events that stop it too.
    pub(crate) events: Option<&'a Bits>,
}

/// A set of kinds of fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kinds(u16);

impl Kinds {
    /// The kinds that order an event and later ones of a direction at least so strongly.
    pub(crate) fn between(
        machine: &Machine<'_>,
        first: EventId,
        second: Direction,
        strength: Strength,
    ) -> Self {
        let orders = |kind: &FenceKind| machine.by_fence(*kind, first, second) >= strength;
        Self(
            FenceKind::ALL.iter().filter(|kind| orders(kind)).fold(0, |all, kind| all | bit(*kind)),
        )
    }
}

const fn bit(kind: FenceKind) -> u16 {
    1 << kind as u16
}

impl Stops for Until<'_> {
    fn fence(&self, kind: FenceKind) -> bool {
        self.kinds.0 & bit(kind) != 0
    }

    fn place(&self, place: PlaceId) -> bool {
        self.put[place].iter().any(|kind| self.fence(*kind))
    }

    fn event(&self, event: EventId) -> bool {
        self.events.is_some_and(|events| events.contains(event.index()))
    }
}
