//! What comes after what, for all steps at once: no search for each event and each thread.
//!
//! A path goes up and then down, as in [`crate::order`]. What can be reached without going up does not
//! depend on the thread: for each step it is the union of what its successors, and the functions that it
//! calls, reach, and steps on a cycle reach the same. So components are found (Tarjan, SIAM Journal on
//! Computing 1972), each after those that it leads to, and have one set each. What comes after a function
//! returns depends on the thread only by who calls it there: one set for each thread and function.
//!
//! Sets are of *columns*: whoever asks says which column a step has, its event or the class of its event.

use events::{ClassId, FunctionId};
use program::IndexVec;
use program::index::Idx;

use crate::bits::Bits;
use crate::machine::{Does, Machine, StepId};
use crate::order::{Stops, Ways, is_skipped};

/// What can be reached past some fences.
pub(crate) struct Reach<'m, 'g> {
    machine: &'m Machine<'g>,
    /// The different sets of what can be reached without going up.
    sets: Vec<Bits>,
    /// For each step, which of them can be reached from before it.
    set_of: Vec<u32>,
    /// For each step, whether the function may return from there.
    returns: Vec<bool>,
    /// For each step, whether it can be left at all.
    is_left: Vec<bool>,
    /// Functions, callers before those that they call, but for recursion; those that call each other
    /// together.
    order: Vec<Vec<FunctionId>>,
    columns: usize,
}

/// For each function, what comes after it returns, in one class of threads.
pub(crate) type Beyond = IndexVec<FunctionId, Bits>;

impl<'m, 'g> Reach<'m, 'g> {
    pub(crate) fn new(
        machine: &'m Machine<'g>,
        stops: &impl Stops,
        ways: &Ways,
        columns: usize,
        column: &impl Fn(StepId) -> Option<usize>,
    ) -> Self {
        let steps = machine.steps.len();
        let mut is_left = Vec::with_capacity(steps);
        // Where a step leads in its own function.
        let mut beside: Vec<&[StepId]> = Vec::with_capacity(steps);
        for step in &machine.steps {
            let is_stopped = step.place.is_some_and(|place| stops.place(place));
            is_left.push(!is_stopped);
            let goes_on = match &step.does {
                Does::Nothing => true,
                Does::Event(event) => !stops.event(*event),
                Does::Fence(kind) => !stops.fence(*kind),
                Does::Call(callees) => is_skipped(callees, ways),
                Does::Return => false,
            };
            beside.push(if goes_on && !is_stopped { &step.successors } else { &[] });
        }
        let returns = returning(machine, &beside);
        let next = |step: usize, at: usize| -> Option<usize> {
            let beside = beside[step];
            if let Some(next) = beside.get(at) {
                return Some(next.index());
            }
            match &machine.steps[StepId::new(step)].does {
                Does::Call(callees) => {
                    callees.get(at - beside.len()).map(|callee| machine.entries[*callee].index())
                }
                Does::Nothing | Does::Event(_) | Does::Fence(_) | Does::Return => None,
            }
        };
        let mut sets: Vec<Bits> = vec![Bits::new(columns)];
        let mut set_of = vec![u32::MAX; steps];
        for component in components(steps, next) {
            let mut below: Vec<u32> = Vec::new();
            for step in &component {
                below.extend((0..).map_while(|at| next(*step, at)).map(|next| set_of[next]));
            }
            below.sort_unstable();
            below.dedup();
            below.retain(|set| *set != 0 && *set != u32::MAX);
            let own: Vec<usize> =
                component.iter().filter_map(|step| column(StepId::new(*step))).collect();
            let is_known = |set: u32| own.iter().all(|one| sets[set as usize].contains(*one));
            let set = match below[..] {
                [] if own.is_empty() => 0,
                [one] if is_known(one) => one,
                _ => {
                    let mut all = Bits::new(columns);
                    for set in &below {
                        all.add(&sets[*set as usize]);
                    }
                    for one in &own {
                        all.insert(*one);
                    }
                    sets.push(all);
                    u32::try_from(sets.len() - 1).expect("fewer than 2^32 steps")
                }
            };
            for step in component {
                set_of[step] = set;
            }
        }
        let order = callers_first(machine);
        Self { machine, sets, set_of, returns, is_left, order, columns }
    }

    /// Adds what comes after a step, without going up; whether the function may return.
    fn leave(&self, step: StepId, to: &mut Bits) -> bool {
        if !self.is_left[step.index()] {
            return false;
        }
        let mut returns = false;
        for next in &self.machine.steps[step].successors {
            to.add(&self.sets[self.set_of[next.index()] as usize]);
            returns |= self.returns[next.index()];
        }
        returns
    }

    /// What comes after functions return, in a class of threads.
    pub(crate) fn beyond(&self, thread: ClassId) -> Beyond {
        let machine = self.machine;
        let executed = &machine.executed[thread];
        let mut beyond: Beyond = machine.entries.iter().map(|_| Bits::new(self.columns)).collect();
        // Whether a caller may return itself after the call.
        let mut up: Vec<Vec<FunctionId>> = vec![Vec::new(); machine.entries.len()];
        for function in machine.entries.indices().filter(|function| executed[*function]) {
            for caller in &machine.callers[function] {
                let from = machine.steps[*caller].function;
                if executed[from] && self.leave(*caller, &mut beyond[function]) {
                    up[function.index()].push(from);
                }
            }
            up[function.index()].sort_unstable();
            up[function.index()].dedup();
        }
        for together in &self.order {
            let mut changed = true;
            while changed {
                changed = false;
                for function in together {
                    for from in &up[function.index()] {
                        if from != function {
                            let more = std::mem::replace(&mut beyond[*from], Bits::new(0));
                            changed |= beyond[*function].add_all(&more);
                            beyond[*from] = more;
                        }
                    }
                }
                changed &= together.len() > 1;
            }
        }
        beyond
    }

    /// Adds what comes after a step in a class of threads, of which it is known what comes after functions.
    pub(crate) fn after(&self, step: StepId, beyond: &Beyond, to: &mut Bits) {
        if self.leave(step, to) {
            to.add(&beyond[self.machine.steps[step].function]);
        }
    }
}

/// The steps from which a function may return.
fn returning(machine: &Machine<'_>, beside: &[&[StepId]]) -> Vec<bool> {
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); beside.len()];
    let mut open = Vec::new();
    for (number, (next, step)) in (0_u32..).zip(beside.iter().zip(&machine.steps)) {
        for next in *next {
            before[next.index()].push(number);
        }
        if matches!(step.does, Does::Return) {
            open.push(number);
        }
    }
    let mut returns = vec![false; beside.len()];
    while let Some(step) = open.pop() {
        if !std::mem::replace(&mut returns[step as usize], true) {
            open.extend(&before[step as usize]);
        }
    }
    returns
}

/// Functions by who calls whom, callers first.
fn callers_first(machine: &Machine<'_>) -> Vec<Vec<FunctionId>> {
    let mut callees: Vec<Vec<usize>> = vec![Vec::new(); machine.entries.len()];
    for (function, callers) in machine.callers.enumerate() {
        for caller in callers {
            callees[machine.steps[*caller].function.index()].push(function.index());
        }
    }
    let mut all = components(callees.len(), |function, at| callees[function].get(at).copied());
    all.reverse();
    all.into_iter().map(|together| together.into_iter().map(FunctionId::new).collect()).collect()
}

/// The strongly connected components of a graph, each after all that it leads to.
pub(crate) fn components(
    nodes: usize,
    next: impl Fn(usize, usize) -> Option<usize>,
) -> Vec<Vec<usize>> {
    const NEW: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    let mut numbers = vec![NEW; nodes];
    let mut lows = vec![0_u32; nodes];
    let mut stack = Vec::new();
    let mut found = Vec::new();
    let mut count = 0;
    let mut walk: Vec<(usize, usize)> = Vec::new();
    for start in 0..nodes {
        if numbers[start] != NEW {
            continue;
        }
        walk.push((start, 0));
        while let Some((node, at)) = walk.pop() {
            if at == 0 {
                numbers[node] = count;
                lows[node] = count;
                count += 1;
                stack.push(node);
            }
            if let Some(to) = next(node, at) {
                walk.push((node, at + 1));
                match numbers[to] {
                    NEW => walk.push((to, 0)),
                    DONE => {}
                    number => lows[node] = lows[node].min(number),
                }
                continue;
            }
            if let Some((above, _)) = walk.last() {
                lows[*above] = lows[*above].min(lows[node]);
            }
            if lows[node] == numbers[node] {
                let from = stack.iter().rposition(|one| *one == node).unwrap_or(0);
                let component = stack.split_off(from);
                for one in &component {
                    numbers[*one] = DONE;
                }
                found.push(component);
            }
        }
    }
    found
}
