//! Threads that share no memory with others: a program falls into parts that know nothing of each other.
//!
//! Two threads belong to one part if they may access a common address, or if they are alike
//! ([`crate::symmetry`]). An execution of the program is then one of each part side by side: `rf`, `co`, `fr` and
//! everything within threads lie within parts. The axioms of all built-in models forbid an execution because of a
//! cycle, a path or a pair of such relations, which lies within one part; so an execution is allowed exactly if that of every
//! part is ([`Axioms::judges_parts_alone`](crate::Axioms::judges_parts_alone)). The final states of the program are therefore all combinations
//! of those of its parts; an error or a bound of one part is one of the program, for the other threads need not
//! have begun; and the work is the sum of that for the parts, and not the product.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use events::{Addresses, accessed};
use program::index::Idx;
use program::{Parameterised, Program, ThreadId, Value};

use crate::event::Event;
use crate::execution::{Dependencies, Execution};
use crate::limits::{Budget, NoAnswer};
use crate::outcome::FinalState;
use crate::relation::{EventSet, Relation};
use crate::symmetry::Alike;

/// The threads of each part, in order; threads that access nothing are parts of their own.
pub(crate) fn parts(program: &Program, alike: &Alike) -> Result<Vec<Vec<usize>>, Parameterised> {
    let accessed = accessed(program)?;
    let memory = program.memory();
    let mut joined: Vec<usize> = (0..accessed.len()).collect();
    let mut first: BTreeMap<Value, usize> = BTreeMap::new();
    for (thread, edges) in accessed.iter().enumerate() {
        for addresses in edges.iter().flatten() {
            let cells: Vec<Value> = match addresses {
                Addresses::Cells(cells) => cells.iter().copied().collect(),
                Addresses::Within(location) => {
                    let location = memory.location(*location);
                    let index = 0..Value::from(location.cells());
                    index.filter_map(|index| location.address(index).ok()).collect()
                }
                Addresses::Any => return Ok(vec![(0..accessed.len()).collect()]),
            };
            for cell in cells {
                let with = *first.entry(cell).or_insert(thread);
                join(&mut joined, thread, with);
            }
        }
    }
    for (thread, like) in alike.pairs() {
        join(&mut joined, thread.index(), like.index());
    }
    if joined.is_empty() {
        return Ok(vec![Vec::new()]);
    }
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for thread in 0..joined.len() {
        parts.entry(root(&joined, thread)).or_default().push(thread);
    }
    Ok(parts.into_values().collect())
}

fn root(joined: &[usize], mut thread: usize) -> usize {
    while joined[thread] != thread {
        thread = joined[thread];
    }
    thread
}

fn join(joined: &mut [usize], one: usize, other: usize) {
    let (one, other) = (root(joined, one), root(joined, other));
    joined[one.max(other)] = one.min(other);
}

/// The final states of several parts together; and whether some execution has more events than a set can hold.
pub(crate) fn together(
    parts: &[(Vec<usize>, BTreeMap<FinalState, Execution>)],
    budget: &mut Budget<'_>,
) -> Result<(BTreeMap<FinalState, Execution>, bool), NoAnswer> {
    let Some(((_, first), others)) = parts.split_first() else {
        return Ok((BTreeMap::new(), false));
    };
    let (mut all, mut too_long) = (first.clone(), false);
    for (threads, states) in others {
        let mut more = BTreeMap::new();
        for (state, execution) in &all {
            for (of_part, its) in states {
                if (budget.go_on)() == ControlFlow::Break(()) {
                    return Err(NoAnswer::Stopped);
                }
                if execution.events.len() + its.events.len() > EventSet::MAX_EVENTS {
                    too_long = true;
                    continue;
                }
                let mut both = state.clone();
                for thread in threads.iter().copied().map(ThreadId::new) {
                    both.registers[thread].clone_from(&of_part.registers[thread]);
                }
                both.cells.extend(&of_part.cells);
                more.insert(both, execution.beside(its));
            }
        }
        all = more;
    }
    Ok((all, too_long))
}

impl Execution {
    /// This execution and another one that has nothing to do with it.
    fn beside(&self, other: &Self) -> Self {
        let both = |of: fn(&Self) -> &Relation| of(self).beside(of(other));
        let dependencies = |of: fn(&Self) -> &Dependencies| {
            let (one, other) = (of(self), of(other));
            Dependencies {
                addr: one.addr.beside(&other.addr),
                data: one.data.beside(&other.data),
                ctrl: one.ctrl.beside(&other.ctrl),
            }
        };
        let set = |of: fn(&Self) -> EventSet| of(self) | of(other).shifted(self.events.len());
        let events: Vec<Event> = self.events.iter().chain(&other.events).copied().collect();
        // Initial writes come first, then the threads in their order.
        let mut order: Vec<usize> = (0..events.len()).collect();
        order.sort_by_key(|event| events[*event].thread);
        let mut numbers = vec![0; order.len()];
        for (number, event) in order.iter().enumerate() {
            numbers[*event] = number;
        }
        let beside = Self {
            events,
            po: both(|it| &it.po),
            computed: dependencies(|it| &it.computed),
            syntactic: dependencies(|it| &it.syntactic),
            success: dependencies(|it| &it.success),
            rmw: both(|it| &it.rmw),
            fetch: both(|it| &it.fetch),
            rf: both(|it| &it.rf),
            co: both(|it| &it.co),
            fr: both(|it| &it.fr),
            open: set(|it| it.open),
            reads: set(|it| it.reads),
            writes: set(|it| it.writes),
            same_thread: both(|it| &it.same_thread),
            same_address: both(|it| &it.same_address),
            same_access: both(|it| &it.same_access),
        };
        beside.renumbered(&order, &numbers)
    }
}
