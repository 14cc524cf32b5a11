//! Who reads from whom and in which order writes happen, as far as it is decided, and what follows.
//!
//! The axioms *sc per location* and *atomicity* ([`Execution::is_coherent`],
//! [`Execution::is_atomic`]), which every model here has, speak of one address at a time. They are
//! built into every decision, so that what is never coherent is never looked at.
//!
//! Given `co`, let the *position* of a write be its place in it, and that of a read the position of
//! the write it reads from. An execution is coherent exactly if along the accesses of each thread
//! positions never go down, and go up at every write: a pair of `po-loc` that goes down, or stays
//! at a write, closes a cycle with `rf`, `co` or `fr`; otherwise writes in the order of `co`, each
//! followed by its readers, order all of it. So each read that gets a source orders at most two pairs
//! of writes, with those next to it in its thread whose position is known. And an update whose read
//! reads from `s` and that writes `w` leaves no place between the two: a write of another thread that
//! comes after `s` comes after `w`, and one that comes before `w` comes before `s`.

use crate::execution::Execution;
use crate::relation::{EventSet, Relation};

/// The accesses to the same address before and after each access, in its thread.
pub(crate) struct Neighbours {
    before: Vec<Option<usize>>,
    after: Vec<Option<usize>>,
    /// For each access, all writes to its address, the initial one among them.
    pub(crate) writes: Vec<EventSet>,
    /// The writes to each address.
    pub(crate) addresses: Vec<EventSet>,
    /// The reads and writes of updates.
    updates: Vec<(usize, usize)>,
}

impl Neighbours {
    pub(crate) fn new(execution: &Execution) -> Self {
        let number = execution.events.len();
        let (mut before, mut after) = (vec![None; number], vec![None; number]);
        let mut writes = vec![EventSet::EMPTY; number];
        let mut addresses = Vec::new();
        for event in execution.accesses().iter() {
            let there = execution.same_address.successors(event);
            writes[event] = there & execution.writes;
            let own = there & execution.same_thread.successors(event);
            before[event] = own.iter().filter(|other| *other < event).last();
            after[event] = own.iter().find(|other| *other > event);
            if execution.events[event].thread.is_none() {
                addresses.push(writes[event]);
            }
        }
        Self { before, after, writes, addresses, updates: execution.rmw.pairs().collect() }
    }
}

/// What is decided of `rf` and `co`.
#[derive(Clone, Debug)]
pub(crate) struct Communication {
    /// For each read that has one its source.
    sources: Vec<Option<usize>>,
    /// Transitive.
    co: Relation,
}

/// A decision contradicts coherence or atomicity.
pub(crate) struct Contradiction;

impl Communication {
    /// Nothing but what is known anyway: initial writes come first, and those of a thread in its order.
    pub(crate) fn undecided(execution: &Execution, near: &Neighbours) -> Self {
        let number = execution.events.len();
        let mut co = Relation::empty(number);
        for write in execution.writes.iter() {
            let later = match execution.events[write].thread {
                None => near.writes[write] - EventSet::only(write),
                Some(_) => execution.po.successors(write) & near.writes[write],
            };
            co.insert_successors(write, later);
        }
        Self { sources: vec![None; number], co }
    }

    /// Lets a read read from a write.
    pub(crate) fn read_from(
        &mut self,
        execution: &Execution,
        near: &Neighbours,
        read: usize,
        source: usize,
    ) -> Result<(), Contradiction> {
        self.sources[read] = Some(source);
        let mut earlier = near.before[read];
        while let Some(access) = earlier {
            if let Some(position) = self.position(execution, access) {
                self.not_after(near, position, source)?;
                break;
            }
            earlier = near.before[access];
        }
        let mut later = near.after[read];
        while let Some(access) = later {
            if execution.writes.contains(access) {
                self.order(near, source, access)?;
                break;
            }
            if let Some(position) = self.sources[access] {
                self.not_after(near, source, position)?;
                break;
            }
            later = near.after[access];
        }
        Ok(())
    }

    /// Where an access stands: the write itself, or the write that is read.
    fn position(&self, execution: &Execution, access: usize) -> Option<usize> {
        if execution.writes.contains(access) { Some(access) } else { self.sources[access] }
    }

    fn not_after(
        &mut self,
        near: &Neighbours,
        earlier: usize,
        later: usize,
    ) -> Result<(), Contradiction> {
        if earlier == later { Ok(()) } else { self.order(near, earlier, later) }
    }

    /// Puts a write before another, and with it everything that this implies for `co`.
    pub(crate) fn order(
        &mut self,
        near: &Neighbours,
        earlier: usize,
        later: usize,
    ) -> Result<(), Contradiction> {
        if earlier == later || self.co.contains(later, earlier) {
            return Err(Contradiction);
        }
        if !self.co.contains(earlier, later) {
            let behind = self.co.successors(later) | EventSet::only(later);
            for write in near.writes[earlier].iter() {
                if write == earlier || self.co.contains(write, earlier) {
                    self.co.insert_successors(write, behind);
                }
            }
        }
        Ok(())
    }

    /// Draws the conclusions of atomicity.
    pub(crate) fn conclude(
        &mut self,
        execution: &Execution,
        near: &Neighbours,
    ) -> Result<(), Contradiction> {
        loop {
            let mut changed = false;
            for (read, write) in &near.updates {
                let Some(source) = self.sources[*read] else { continue };
                let others = near.writes[*write]
                    - execution.same_thread.successors(*write)
                    - EventSet::only(source);
                for other in others.iter() {
                    if self.co.contains(source, other) && !self.co.contains(*write, other) {
                        self.order(near, *write, other)?;
                        changed = true;
                    }
                    if self.co.contains(other, *write) && !self.co.contains(other, source) {
                        self.order(near, other, source)?;
                        changed = true;
                    }
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// The writes to an address that may be the last.
    pub(crate) fn last(&self, address: EventSet) -> EventSet {
        address.iter().filter(|write| self.co.successors(*write).is_empty()).collect()
    }

    /// Two writes to one address that may still come in either order, preferably such that may be last.
    pub(crate) fn undecided_pair(&self, near: &Neighbours) -> Option<(usize, usize)> {
        let pair_of_last = near.addresses.iter().find_map(|address| {
            let mut last = self.last(*address).iter();
            last.next().zip(last.next())
        });
        pair_of_last.or_else(|| {
            near.addresses.iter().find_map(|address| {
                address.iter().find_map(|write| {
                    let unordered = |other: &usize| {
                        *other > write
                            && !self.co.contains(write, *other)
                            && !self.co.contains(*other, write)
                    };
                    address.iter().find(unordered).map(|other| (write, other))
                })
            })
        })
    }

    /// Decides everything that is undecided about `co` in the order of numbers.
    pub(crate) fn complete(
        &mut self,
        execution: &Execution,
        near: &Neighbours,
    ) -> Result<(), Contradiction> {
        while let Some((one, other)) = self.undecided_pair(near) {
            self.order(near, one, other)?;
            self.conclude(execution, near)?;
        }
        Ok(())
    }

    /// Fills `rf`, `co` and `fr` of an execution.
    pub(crate) fn fill(&self, execution: &mut Execution) {
        let (mut rf, mut fr) = (execution.nothing(), execution.nothing());
        let mut open = execution.reads;
        for read in execution.reads.iter() {
            if let Some(source) = self.sources[read] {
                rf.insert(source, read);
                fr.insert_successors(read, self.co.successors(source));
                open = open - EventSet::only(read);
            }
        }
        execution.rf = rf;
        execution.fr = fr;
        execution.co = self.co.clone();
        execution.open = open;
    }
}
