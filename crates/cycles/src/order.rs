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
use crate::machine::{Does, EventId, Machine, StepId};

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

/// For each function that has a way through it that nothing stops, the places on that way.
pub(crate) type Ways = IndexVec<FunctionId, Option<Vec<PlaceId>>>;

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
) -> Option<Vec<PlaceId>> {
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
    let mut places = Vec::new();
    let mut at = found;
    while let Some(step) = at.filter(|step| *step != first) {
        at = before[step];
        if let Some(passed) = at {
            places.extend(passed_at(machine, passed, ways));
        }
    }
    for step in steps {
        before[step] = None;
    }
    found.map(|_| places)
}

/// The places that who leaves a step has passed there: those of a called function, and its own.
fn passed_at(machine: &Machine<'_>, step: StepId, ways: &Ways) -> Vec<PlaceId> {
    let data = &machine.steps[step];
    let mut places: Vec<PlaceId> = data.place.into_iter().collect();
    if let Does::Call(callees) = &data.does {
        let way = callees.iter().find_map(|callee| ways[*callee].as_ref());
        places.extend(way.into_iter().flatten());
    }
    places
}

pub(crate) fn is_skipped(callees: &[FunctionId], ways: &Ways) -> bool {
    callees.is_empty() || callees.iter().any(|callee| ways[*callee].is_some())
}

/// What was found of an event after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    /// The event.
    pub(crate) event: EventId,
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
    parents: Vec<usize>,
    now: u32,
    queue: Vec<usize>,
}

/// No state comes before this one.
const START: usize = usize::MAX;

impl<'m, 'g> Walker<'m, 'g> {
    pub(crate) fn new(machine: &'m Machine<'g>) -> Self {
        let states = machine.steps.len() * 8;
        let (visited, parents) = (vec![0; states], vec![START; states]);
        Self { machine, visited, parents, now: 0, queue: Vec::new() }
    }

    fn push(&mut self, state: State, parent: usize) {
        let number = state.number();
        if self.visited[number] != self.now {
            self.visited[number] = self.now;
            self.parents[number] = parent;
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
    ) -> Vec<Reached> {
        let mut found = Vec::new();
        self.walk(class, start, stops, ways, |reached| {
            found.push(reached);
            ControlFlow::Continue(())
        });
        found
    }

    /// Meets the events that a thread of a class may execute after an event, the nearest first, until one
    /// is enough.
    pub(crate) fn walk(
        &mut self,
        class: ClassId,
        start: EventId,
        stops: &impl Stops,
        ways: &Ways,
        mut meet: impl FnMut(Reached) -> ControlFlow<()>,
    ) {
        let machine = self.machine;
        self.now += 1;
        self.queue.clear();
        let first = machine.events[start].step;
        let begin = State { step: first, is_down: false, again: false, is_back: false };
        self.leave(begin, START, stops);
        let mut at = 0;
        while let Some(number) = self.queue.get(at).copied() {
            at += 1;
            let state = State::of_number(number);
            let step = &machine.steps[state.step];
            match &step.does {
                Does::Nothing => self.leave(state, number, stops),
                Does::Event(event) => {
                    let met = Reached { event: *event, again: state.again, state: number };
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
                        self.push(State { step, is_down: true, ..state }, number);
                    }
                    if is_skipped(callees, ways) {
                        self.leave(state, number, stops);
                    }
                }
                Does::Return if state.is_down => {}
                Does::Return => {
                    for caller in &machine.callers[step.function] {
                        if machine.executed[class][machine.steps[*caller].function] {
                            self.push(State { step: *caller, is_back: true, ..state }, number);
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
            self.push(State { step: *next, is_back: false, ..state }, parent);
        }
    }

    /// The places that the path to an event of the last search passes.
    pub(crate) fn places(&self, start: EventId, reached: Reached, ways: &Ways) -> Vec<PlaceId> {
        let mut places = Vec::new();
        let mut child = State::of_number(reached.state).step;
        let mut at = self.parents[reached.state];
        loop {
            let (step, is_back) = match at {
                START => (self.machine.events[start].step, false),
                number => {
                    let state = State::of_number(number);
                    (state.step, state.is_back)
                }
            };
            let data = &self.machine.steps[step];
            // Who enters a function or returns from one does not pass what follows the call.
            if data.successors.contains(&child) {
                if is_back {
                    places.extend(data.place);
                } else {
                    places.extend(passed_at(self.machine, step, ways));
                }
            }
            if at == START {
                break;
            }
            child = step;
            at = self.parents[at];
        }
        places.sort();
        places.dedup();
        places
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
