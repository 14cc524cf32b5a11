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
//!
//! Where a thread's reads of one address may see its writes in the wrong order
//! ([`Axioms::keeps_reads_of_one_address`](crate::Axioms::keeps_reads_of_one_address)), pairs of reads do not count: the
//! position of a read lies between those of the writes next to it in its thread.
//!
//! All of this stays true while events are added at the ends of threads, in program order.

use crate::execution::Execution;
use crate::relation::{EventSet, Relation};

/// What is decided of `rf` and `co`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Communication {
    /// For each read that has one its source.
    sources: Vec<Option<usize>>,
    /// Transitive.
    co: Relation,
    /// Whether reads of a thread count for each other.
    keeps_reads: bool,
}

/// A decision contradicts coherence or atomicity.
pub(crate) struct Contradiction;

impl Communication {
    /// Nothing; perhaps reads of a thread count for each other.
    pub(crate) fn nothing(keeps_reads: bool) -> Self {
        Self { sources: Vec::new(), co: Relation::empty(0), keeps_reads }
    }

    /// Whether a write is known to come before another one to the same address.
    pub(crate) fn is_before(&self, earlier: usize, later: usize) -> bool {
        self.co.contains(earlier, later)
    }

    /// The write that a read reads from, if that is decided.
    pub(crate) fn source(&self, read: usize) -> Option<usize> {
        self.sources[read]
    }

    /// Adds the last event of an execution, of which nothing is decided but what is known anyway: initial
    /// writes come first, and those of a thread in its order, after what it has read.
    pub(crate) fn add(&mut self, execution: &Execution) -> Result<(), Contradiction> {
        let event = self.sources.len();
        self.sources.push(None);
        self.co.grow();
        if !execution.writes.contains(event) || execution.events[event].thread.is_none() {
            return Ok(());
        }
        let initial = execution.writes_to(event).iter().next();
        if let Some(initial) = initial.filter(|initial| *initial != event) {
            self.order(execution, initial, event)?;
        }
        let mut earlier = execution.own_before(event);
        while let Some(access) = earlier {
            if let Some(position) = self.position(execution, access) {
                self.order(execution, position, event)?;
                // What comes before a position that counts does so anyway.
                if self.keeps_reads || execution.writes.contains(access) {
                    break;
                }
            }
            earlier = execution.own_before(access);
        }
        Ok(())
    }

    /// Lets a read read from a write.
    pub(crate) fn read_from(
        &mut self,
        execution: &Execution,
        read: usize,
        source: usize,
    ) -> Result<(), Contradiction> {
        self.sources[read] = Some(source);
        let mut earlier = execution.own_before(read);
        while let Some(access) = earlier {
            if let Some(position) = self.position_for_read(execution, access) {
                self.not_after(execution, position, source)?;
                break;
            }
            earlier = execution.own_before(access);
        }
        let mut later = execution.own_after(read);
        while let Some(access) = later {
            if execution.writes.contains(access) {
                self.order(execution, source, access)?;
                break;
            }
            if let Some(position) = self.position_for_read(execution, access) {
                self.not_after(execution, source, position)?;
                break;
            }
            later = execution.own_after(access);
        }
        Ok(())
    }

    /// Whether nothing that is decided keeps a read from reading from a write, as far as that is seen at
    /// once.
    pub(crate) fn can_read(&self, execution: &Execution, read: usize, source: usize) -> bool {
        let mut earlier = execution.own_before(read);
        while let Some(access) = earlier {
            if let Some(position) = self.position_for_read(execution, access) {
                if self.co.contains(source, position) {
                    return false;
                }
                break;
            }
            earlier = execution.own_before(access);
        }
        let mut later = execution.own_after(read);
        while let Some(access) = later {
            if let Some(position) = self.position_for_read(execution, access) {
                return !self.co.contains(position, source);
            }
            later = execution.own_after(access);
        }
        true
    }

    /// Where an access stands: the write itself, or the write that is read.
    fn position(&self, execution: &Execution, access: usize) -> Option<usize> {
        if execution.writes.contains(access) { Some(access) } else { self.sources[access] }
    }

    /// The same, if it counts for a read of its thread.
    fn position_for_read(&self, execution: &Execution, access: usize) -> Option<usize> {
        let counts = self.keeps_reads || execution.writes.contains(access);
        self.position(execution, access).filter(|_| counts)
    }

    fn not_after(
        &mut self,
        execution: &Execution,
        earlier: usize,
        later: usize,
    ) -> Result<(), Contradiction> {
        if earlier == later { Ok(()) } else { self.order(execution, earlier, later) }
    }

    /// Puts a write before another, and with it everything that this implies for `co`.
    pub(crate) fn order(
        &mut self,
        execution: &Execution,
        earlier: usize,
        later: usize,
    ) -> Result<(), Contradiction> {
        if earlier == later || self.co.contains(later, earlier) {
            return Err(Contradiction);
        }
        if !self.co.contains(earlier, later) {
            let behind = self.co.successors(later) | EventSet::only(later);
            for write in execution.writes_to(earlier).iter() {
                if write == earlier || self.co.contains(write, earlier) {
                    self.co.insert_successors(write, behind);
                }
            }
        }
        Ok(())
    }

    /// Draws the conclusions of atomicity.
    pub(crate) fn conclude(&mut self, execution: &Execution) -> Result<(), Contradiction> {
        loop {
            let mut changed = false;
            for (read, write) in execution.rmw.pairs() {
                let Some(source) = self.sources[read] else { continue };
                let others = execution.writes_to(write)
                    - execution.same_thread.successors(write)
                    - EventSet::only(source);
                for other in others.iter() {
                    if self.co.contains(source, other) && !self.co.contains(write, other) {
                        self.order(execution, write, other)?;
                        changed = true;
                    }
                    if self.co.contains(other, write) && !self.co.contains(other, source) {
                        self.order(execution, other, source)?;
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
    pub(crate) fn undecided_pair(&self, addresses: &[EventSet]) -> Option<(usize, usize)> {
        let pair_of_last = addresses.iter().find_map(|address| {
            let mut last = self.last(*address).iter();
            last.next().zip(last.next())
        });
        pair_of_last.or_else(|| {
            addresses.iter().find_map(|address| {
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
        addresses: &[EventSet],
    ) -> Result<(), Contradiction> {
        while let Some((one, other)) = self.undecided_pair(addresses) {
            self.order(execution, one, other)?;
            self.conclude(execution)?;
        }
        Ok(())
    }

    /// The same after every event has got another number.
    pub(crate) fn renumbered(&self, numbers: &[usize]) -> Self {
        let mut sources = vec![None; self.sources.len()];
        for (read, source) in self.sources.iter().enumerate() {
            sources[numbers[read]] = source.map(|source| numbers[source]);
        }
        Self { sources, co: self.co.renumbered(numbers), keeps_reads: self.keeps_reads }
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
