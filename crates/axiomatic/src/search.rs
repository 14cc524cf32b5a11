//! The executions of one run of each thread: who reads from whom, and in which order writes happen.
//!
//! Sources are chosen read by read, then writes are ordered pair by pair; whatever a decision implies for
//! coherence and atomicity follows at once ([`crate::coherence`]). A model whose axioms can only become
//! violated by more relations ([`Axioms::is_monotone`]) is asked about what is decided so far, and if it
//! forbids that, nothing more is decided. What matters of `co` in the end is which write comes last, so
//! that is decided first; and once an execution is found that ends in a state, no other is looked for.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use program::Value;

use crate::axioms::{Axioms, Flag, Judgement};
use crate::coherence::{Communication, Contradiction, Neighbours};
use crate::execution::Execution;
use crate::limits::{Budget, NoAnswer};
use crate::relation::EventSet;

/// What an address holds in the end: addresses with values.
pub(crate) type Memory = BTreeMap<Value, Value>;

/// Who is told about executions.
pub(crate) trait Interested {
    /// Whether an execution that ends with this memory is still wanted.
    fn wants(&mut self, memory: &Memory) -> bool;

    /// An execution that the model allows.
    fn found(&mut self, execution: &Execution, memory: Memory, flags: Vec<Flag>)
    -> ControlFlow<()>;
}

/// Memories that are looked at one by one to see whether they are wanted.
const MOST_MEMORIES: usize = 64;

pub(crate) struct Search<'a, 'b, 'w> {
    pub(crate) axioms: &'a dyn Axioms,
    pub(crate) budget: &'b mut Budget<'w>,
    pub(crate) candidates: &'b mut u64,
    pub(crate) execution: Execution,
    pub(crate) interested: &'b mut dyn Interested,
    near: Neighbours,
    /// The reads with the writes that they can read from, those with few of them first.
    reads: Vec<(usize, Vec<usize>)>,
}

/// Nothing more is wanted, or there is no answer.
pub(crate) type Progress = Result<ControlFlow<()>, NoAnswer>;

const GO_ON: Progress = Ok(ControlFlow::Continue(()));

impl<'a, 'b, 'w> Search<'a, 'b, 'w> {
    pub(crate) fn new(
        axioms: &'a dyn Axioms,
        budget: &'b mut Budget<'w>,
        candidates: &'b mut u64,
        execution: Execution,
        interested: &'b mut dyn Interested,
    ) -> Self {
        let near = Neighbours::new(&execution);
        let with_sources = |read| (read, possible_sources(&execution, &near, read));
        let mut reads: Vec<(usize, Vec<usize>)> =
            execution.reads.iter().map(with_sources).collect();
        reads.sort_by_key(|(_, sources)| sources.len());
        Self { axioms, budget, candidates, execution, interested, near, reads }
    }

    /// Looks at all executions that are wanted.
    pub(crate) fn run(&mut self) -> Progress {
        let start = Communication::undecided(&self.execution, &self.near);
        self.choose_sources(0, &start)
    }

    /// Chooses sources for the reads from this one on.
    fn choose_sources(&mut self, at: usize, decided: &Communication) -> Progress {
        self.budget.step()?;
        let Some((read, sources)) = self.reads.get(at) else {
            return self.order_writes(decided);
        };
        let (read, choices) = (*read, sources.len());
        if choices > 1 && !self.is_wanted(decided) {
            return GO_ON;
        }
        for choice in 0..choices {
            let source = self.reads[at].1[choice];
            let mut decided = decided.clone();
            if self.read_from(&mut decided, read, source).is_err() {
                continue;
            }
            if choices > 1 && self.axioms.is_monotone() && self.judge(&decided)?.is_none() {
                continue;
            }
            if self.choose_sources(at + 1, &decided)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        GO_ON
    }

    fn read_from(
        &self,
        decided: &mut Communication,
        read: usize,
        source: usize,
    ) -> Result<(), Contradiction> {
        decided.read_from(&self.execution, &self.near, read, source)?;
        decided.conclude(&self.execution, &self.near)
    }

    /// Orders writes as far as it matters.
    fn order_writes(&mut self, decided: &Communication) -> Progress {
        self.budget.step()?;
        if !self.is_wanted(decided) {
            return GO_ON;
        }
        let pair = decided.undecided_pair(&self.near);
        if self.axioms.is_monotone() || pair.is_none() {
            let Some(flags) = self.judge(decided)? else { return GO_ON };
            if pair.is_none() {
                return Ok(self.found(decided, flags));
            }
        }
        let Some((one, other)) = pair else { return GO_ON };
        if self.axioms.is_monotone() && !self.axioms.raises_flags() {
            // Most often any order will do.
            let mut complete = decided.clone();
            if complete.complete(&self.execution, &self.near).is_ok()
                && self.is_wanted(&complete)
                && let Some(flags) = self.judge(&complete)?
                && self.found(&complete, flags).is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        for (earlier, later) in [(one, other), (other, one)] {
            let mut decided = decided.clone();
            let ordered = decided
                .order(&self.near, earlier, later)
                .and_then(|()| decided.conclude(&self.execution, &self.near));
            if ordered.is_ok() && self.order_writes(&decided)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        GO_ON
    }

    /// What the model says of what is decided: nothing if it is forbidden.
    fn judge(&mut self, decided: &Communication) -> Result<Option<Vec<Flag>>, NoAnswer> {
        *self.candidates += 1;
        if *self.candidates > self.budget.limits.max_executions {
            return Err(NoAnswer::TooManyExecutions);
        }
        decided.fill(&mut self.execution);
        Ok(match self.axioms.judge(&self.execution)? {
            Judgement::Forbidden => None,
            Judgement::Allowed(flags) => Some(flags),
        })
    }

    fn found(&mut self, decided: &Communication, flags: Vec<Flag>) -> ControlFlow<()> {
        decided.fill(&mut self.execution);
        debug_assert!(
            self.execution.is_coherent() && self.execution.is_atomic(),
            "as decided: {:?}",
            self.execution
        );
        let last = |address: &EventSet| {
            let last = decided.last(*address).iter().next()?;
            self.execution.events[last].written()
        };
        let memory = self.near.addresses.iter().filter_map(last).collect();
        self.interested.found(&self.execution, memory, flags)
    }

    /// Whether some memory that an execution may still end with is wanted.
    fn is_wanted(&mut self, decided: &Communication) -> bool {
        let mut memories = vec![Memory::new()];
        for address in &self.near.addresses {
            let mut values: Vec<(Value, Value)> = decided
                .last(*address)
                .iter()
                .filter_map(|write| self.execution.events[write].written())
                .collect();
            values.sort_unstable();
            values.dedup();
            if memories.len() * values.len() > MOST_MEMORIES {
                return true;
            }
            memories = memories
                .iter()
                .flat_map(|memory| {
                    values.iter().map(|(address, value)| {
                        let mut memory = memory.clone();
                        memory.insert(*address, *value);
                        memory
                    })
                })
                .collect();
        }
        memories.iter().any(|memory| self.interested.wants(memory))
    }
}

/// The writes that a read can read from: of its value, and of its own thread only the last before it.
fn possible_sources(execution: &Execution, near: &Neighbours, read: usize) -> Vec<usize> {
    let wanted = execution.events[read].read();
    let own = near.writes[read] & execution.same_thread.successors(read);
    let last_own = own.iter().filter(|write| *write < read).last();
    let others = near.writes[read] - own;
    let all = last_own.into_iter().chain(others.iter());
    all.filter(|write| execution.events[*write].written() == wanted).collect()
}
