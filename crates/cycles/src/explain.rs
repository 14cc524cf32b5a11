//! A critical cycle for a delay, to be shown: the walk through the threads that the reordering makes.

use std::ops::ControlFlow;

use crate::architecture::Direction;
use crate::critical::KINDS;
use crate::delays::{Analysis, Delay};
use crate::enumerate::{Cycle, Visit};
use crate::machine::EventId;
use crate::order::{Nothing, Walker, Ways, ways};
use crate::search::{Search, Targets};

/// How many steps are taken to find a cycle.
const MOST_STEPS: u64 = 1_000_000;

/// Finds cycles, one delay after the other.
pub struct Explainer<'a, 'g> {
    analysis: &'a Analysis<'g>,
    search: Search<'a>,
    walker: Walker<'a, 'g>,
    ways: Ways,
}

impl<'a, 'g> Explainer<'a, 'g> {
    /// For the delays of a graph.
    pub fn new(analysis: &'a Analysis<'g>) -> Self {
        let machine = &analysis.machine;
        Self {
            analysis,
            search: Search::new(&analysis.classes, machine),
            walker: Walker::new(machine),
            ways: ways(machine, &Nothing),
        }
    }

    /// A cycle through a delay with as few threads as possible; nothing for two reads of one address,
    /// which one write of another thread is enough to tell apart.
    pub fn cycle(&mut self, delay: &Delay) -> Option<Cycle> {
        let of_event = &self.analysis.classes.of_event[delay.thread];
        let (first, second) = (*of_event.get(&delay.first)?, *of_event.get(&delay.second)?);
        let mut shortest: Option<Vec<usize>> = None;
        for out in KINDS {
            let mut targets = Targets::only(first, self.analysis.classes.all.len());
            let confirmed = self.search.confirm(second, out, &mut targets, MOST_STEPS);
            let Some(found) = confirmed.found.first() else { continue };
            let mut classes = Vec::new();
            let mut at = Some(found.before);
            while let Some(number) = at {
                classes.push(confirmed.entered[number].class);
                at = confirmed.entered[number].before;
            }
            classes.reverse();
            if shortest.as_ref().is_none_or(|shortest| classes.len() < shortest.len()) {
                shortest = Some(classes);
            }
        }
        let start = Visit { thread: delay.thread, first: delay.first, second: delay.second };
        self.visits(start, &shortest?, first)
    }

    /// Accesses for the classes that a cycle enters.
    fn visits(&mut self, start: Visit, entered: &[usize], home: usize) -> Option<Cycle> {
        let mut cycle = vec![start];
        for (number, class) in entered.iter().enumerate() {
            let next = entered.get(number + 1).copied().unwrap_or(home);
            cycle.push(self.visit(*class, next)?);
        }
        Some(cycle)
    }

    /// Accesses with which a thread that is entered at a class goes on to another thread's class.
    fn visit(&mut self, class: usize, next: usize) -> Option<Visit> {
        let classes = &self.analysis.classes;
        let data = &classes.all[class];
        let thread = data.thread;
        let is_alone = data.direction == Direction::Write
            && classes.all[next].direction == Direction::Read
            && classes.communicates(class).contains(next);
        for first in &data.events {
            let start = self.analysis.machine.events[*first].step;
            let mut met = None;
            self.walker.walk(thread, start, &Nothing, &self.ways, |reached| {
                let leads_on = |second: &EventId| {
                    classes.of_event[thread].get(second).is_some_and(|number| {
                        classes.communicates(*number).contains(next)
                            && classes.is_after(class, *number)
                    }) && !self.analysis.machine.surely_same(*first, *second)
                };
                met = reached.event.filter(leads_on);
                if met.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if let Some(second) = met {
                return Some(Visit { thread, first: *first, second });
            }
        }
        let first = *data.events.first()?;
        is_alone.then_some(Visit { thread, first, second: first })
    }
}
