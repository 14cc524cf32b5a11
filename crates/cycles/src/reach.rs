//! Which classes come after which: one pass over the graph for each class of threads, not one for each event.
//!
//! For each step the set of classes that may follow is a union over what comes next, with paths that go up
//! and then down as in [`crate::order`]; the least solution is found by going over the steps, those that
//! others lead to first, until nothing changes.

use events::ClassId;
use program::index::Idx;

use crate::bits::Bits;
use crate::classes::Class;
use crate::machine::{Does, Machine, StepId};
use crate::order::{Nothing, Ways, ways};

/// A step, and whether a function was entered and not yet left.
type Node = usize;

fn node(step: StepId, is_down: bool) -> Node {
    step.index() * 2 + usize::from(is_down)
}

/// For each class of a thread, the classes of the same thread that may come after one of its events.
pub(crate) struct After<'m, 'g> {
    machine: &'m Machine<'g>,
    ways: Ways,
}

impl<'m, 'g> After<'m, 'g> {
    pub(crate) fn new(machine: &'m Machine<'g>) -> Self {
        Self { machine, ways: ways(machine, &Nothing) }
    }

    /// What follows the events of the classes of a thread, which have these numbers; each set has numbers
    /// counted from the first of them.
    pub(crate) fn of(&self, thread: ClassId, classes: &[Class]) -> Vec<Bits> {
        let machine = self.machine;
        let mut class_of: Vec<Option<usize>> = vec![None; machine.steps.len()];
        for (number, class) in classes.iter().enumerate() {
            for event in &class.events {
                class_of[machine.events[*event].step.index()] = Some(number);
            }
        }
        let starts = classes.iter().flat_map(|class| &class.events);
        let order = self.order(thread, starts.map(|event| machine.events[*event].step));
        let mut sets: Vec<Option<Bits>> = vec![None; machine.steps.len() * 2];
        let mut changed = true;
        while changed {
            changed = false;
            for at in &order {
                let mut set = Bits::new(classes.len());
                if let Some(class) = class_of[at / 2] {
                    set.insert(class);
                }
                for next in self.next(thread, *at) {
                    if let Some(more) = &sets[next] {
                        set.add(more);
                    }
                }
                if sets[*at].as_ref() != Some(&set) {
                    sets[*at] = Some(set);
                    changed = true;
                }
            }
        }
        let of_class = |class: &Class| {
            let mut all = Bits::new(classes.len());
            for event in &class.events {
                for next in self.next(thread, node(machine.events[*event].step, false)) {
                    if let Some(more) = &sets[next] {
                        all.add(more);
                    }
                }
            }
            all
        };
        classes.iter().map(of_class).collect()
    }

    /// What comes next.
    fn next(&self, thread: ClassId, at: Node) -> Vec<Node> {
        let machine = self.machine;
        let (step, is_down) = (&machine.steps[StepId::new(at / 2)], at % 2 == 1);
        let successors = |step: StepId, is_down: bool| {
            machine.steps[step].successors.iter().map(move |next| node(*next, is_down))
        };
        match &step.does {
            Does::Nothing | Does::Event(_) | Does::Fence(_) => {
                step.successors.iter().map(|next| node(*next, is_down)).collect()
            }
            Does::Call(callees) => {
                let mut all: Vec<Node> =
                    callees.iter().map(|callee| node(machine.entries[*callee], true)).collect();
                let is_skipped =
                    callees.is_empty() || callees.iter().any(|callee| self.ways[*callee].is_some());
                if is_skipped {
                    all.extend(successors(StepId::new(at / 2), is_down));
                }
                all
            }
            Does::Return if is_down => Vec::new(),
            Does::Return => machine.callers[step.function]
                .iter()
                .filter(|caller| machine.executed[thread][machine.steps[**caller].function])
                .flat_map(|caller| successors(*caller, false))
                .collect(),
        }
    }

    /// All that can be reached from some steps, what others lead to first.
    fn order(&self, thread: ClassId, starts: impl Iterator<Item = StepId>) -> Vec<Node> {
        let mut seen = vec![false; self.machine.steps.len() * 2];
        let mut order = Vec::new();
        for start in starts {
            let start = node(start, false);
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let mut path = vec![(start, self.next(thread, start))];
            while let Some((at, left)) = path.last_mut() {
                match left.pop() {
                    None => {
                        order.push(*at);
                        path.pop();
                    }
                    Some(next) => {
                        if !std::mem::replace(&mut seen[next], true) {
                            path.push((next, self.next(thread, next)));
                        }
                    }
                }
            }
        }
        order
    }
}
