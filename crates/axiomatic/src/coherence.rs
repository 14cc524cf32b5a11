//! The ways to choose `rf` and `co` at one address.
//!
//! The axioms *sc per location* and *atomicity* ([`Execution::is_coherent`],
//! [`Execution::is_atomic`]), which every model here has, speak of one address at a time. So they
//! are decided here, address by address, before the choices are combined.
//!
//! Given `co`, let the *position* of a write be its place in it, and that of a read the position of
//! the write it reads from. An execution is coherent exactly if along the accesses of each thread
//! positions never go down, and go up at every write: a pair of `po-loc` that goes down, or stays
//! at a write, closes a cycle with `rf`, `co` or `fr`; otherwise writes in the order of `co`, each
//! followed by its readers, order all of it.

use crate::execution::Execution;
use crate::limits::{Budget, NoAnswer};

/// A choice of `rf` and `co` at one address.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The writes in the order of `co`, the initial one first.
    pub(crate) order: Vec<usize>,
    /// Each read with the write it reads from.
    pub(crate) sources: Vec<(usize, usize)>,
}

/// What there is to choose at one address.
struct Address<'a, 'b> {
    execution: &'a Execution,
    /// The accesses of each thread, in program order.
    threads: Vec<Vec<usize>>,
    found: Vec<Choice>,
    most: u64,
    budget: &'a mut Budget<'b>,
}

/// All coherent and atomic choices at the address of an initial write, at most so many.
pub(crate) fn choices(
    execution: &Execution,
    initial: usize,
    most: u64,
    budget: &mut Budget<'_>,
) -> Result<Vec<Choice>, NoAnswer> {
    let address = execution.events[initial].address();
    let mut threads: Vec<Vec<usize>> = Vec::new();
    for (number, event) in execution.events.iter().enumerate() {
        if number == initial || event.address() != address {
            continue;
        }
        match threads.last_mut() {
            Some(last) if execution.events[last[0]].thread == event.thread => last.push(number),
            Some(_) | None => threads.push(vec![number]),
        }
    }
    let mut chosen = Address { execution, threads, found: Vec::new(), most, budget };
    let mut order = vec![initial];
    let mut passed = vec![0; chosen.threads.len()];
    chosen.orders(&mut order, &mut passed)?;
    Ok(chosen.found)
}

impl Address<'_, '_> {
    /// Extends an order of writes in every way that respects program order. The accesses of each
    /// thread up to `passed` are not writes, or are in the order.
    fn orders(&mut self, order: &mut Vec<usize>, passed: &mut [usize]) -> Result<(), NoAnswer> {
        self.budget.step()?;
        let mut complete = true;
        for thread in 0..self.threads.len() {
            let accesses = &self.threads[thread];
            let is_write = |number: &&usize| self.execution.writes.contains(**number);
            let rest = accesses[passed[thread]..].iter().find(is_write).copied();
            let Some(write) = rest else { continue };
            complete = false;
            let before = passed[thread];
            passed[thread] =
                accesses.iter().position(|access| *access == write).map_or(before, |at| at + 1);
            order.push(write);
            self.orders(order, passed)?;
            order.pop();
            passed[thread] = before;
        }
        if complete {
            self.sources(order)?;
        }
        Ok(())
    }

    /// Chooses a source for each read, given the order of the writes.
    fn sources(&mut self, order: &[usize]) -> Result<(), NoAnswer> {
        let accesses: Vec<usize> = self.threads.iter().flatten().copied().collect();
        // The position of each access so far, and the read sources chosen.
        let mut positions: Vec<usize> = Vec::with_capacity(accesses.len());
        self.extend_sources(order, &accesses, &mut positions)
    }

    fn extend_sources(
        &mut self,
        order: &[usize],
        accesses: &[usize],
        positions: &mut Vec<usize>,
    ) -> Result<(), NoAnswer> {
        self.budget.step()?;
        let at = positions.len();
        let Some(access) = accesses.get(at).copied() else {
            let choice = self.choice(order, accesses, positions);
            if self.is_atomic(&choice) {
                if self.found.len() as u64 >= self.most {
                    return Err(NoAnswer::TooManyExecutions);
                }
                self.found.push(choice);
            }
            return Ok(());
        };
        let events = &self.execution.events;
        let earlier =
            at.checked_sub(1).filter(|at| events[accesses[*at]].thread == events[access].thread);
        let reached = earlier.map_or(0, |at| positions[at]);
        match events[access].read() {
            None => {
                let position = order.iter().position(|write| *write == access);
                match position {
                    Some(position) if position > reached => {
                        positions.push(position);
                        self.extend_sources(order, accesses, positions)?;
                        positions.pop();
                    }
                    Some(_) | None => {}
                }
            }
            Some(read) => {
                for position in reached..order.len() {
                    if self.execution.events[order[position]].written() == Some(read) {
                        positions.push(position);
                        self.extend_sources(order, accesses, positions)?;
                        positions.pop();
                    }
                }
            }
        }
        Ok(())
    }

    fn choice(&self, order: &[usize], accesses: &[usize], positions: &[usize]) -> Choice {
        let reads = accesses
            .iter()
            .zip(positions)
            .filter(|(access, _)| self.execution.reads.contains(**access));
        let sources = reads.map(|(read, position)| (*read, order[*position])).collect();
        Choice { order: order.to_vec(), sources }
    }

    /// Whether no other thread writes between the source of an atomic read and its write.
    fn is_atomic(&self, choice: &Choice) -> bool {
        let events = &self.execution.events;
        choice.sources.iter().all(|(read, source)| {
            self.execution.rmw.successors(*read).iter().all(|write| {
                let after_source = choice.order.iter().skip_while(|w| *w != source).skip(1);
                let mut between = after_source.take_while(|w| **w != write);
                between.all(|w| events[*w].thread == events[*read].thread)
            })
        })
    }
}
