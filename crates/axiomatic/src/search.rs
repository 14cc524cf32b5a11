//! The executions of which only `co` is open: in which order writes happen.
//!
//! Writes are ordered pair by pair; whatever a decision implies for coherence and atomicity follows at once
//! ([`crate::coherence`]). A model whose axioms can only become violated by more relations
//! ([`Axioms::is_monotone`](crate::Axioms::is_monotone)) is asked about what is decided so far, and if it
//! forbids that, nothing more is decided. What matters of `co` in the end is which write comes last, so
//! that is decided first; and once an execution is found that ends in a state, no other is looked for.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use program::Value;

use crate::axioms::{Flag, Judgement};
use crate::coherence::Communication;
use crate::execution::Execution;
use crate::explore::Asked;
use crate::limits::NoAnswer;
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
    asked: Asked<'a, 'w>,
    execution: Execution,
    interested: &'b mut dyn Interested,
    /// The writes to each address.
    addresses: Vec<EventSet>,
}

/// Nothing more is wanted, or there is no answer.
pub(crate) type Progress = Result<ControlFlow<()>, NoAnswer>;

const GO_ON: Progress = Ok(ControlFlow::Continue(()));

impl<'a, 'b, 'w> Search<'a, 'b, 'w> {
    pub(crate) fn new(
        asked: Asked<'a, 'w>,
        execution: Execution,
        interested: &'b mut dyn Interested,
    ) -> Self {
        let initial = execution.events_with(|event| event.thread.is_none());
        let addresses = initial.iter().map(|write| execution.writes_to(write)).collect();
        Self { asked, execution, interested, addresses }
    }

    /// Orders writes as far as it matters.
    pub(crate) fn run(&mut self, decided: &Communication) -> Progress {
        self.asked.budget.step()?;
        if !self.is_wanted(decided) {
            return GO_ON;
        }
        let is_monotone = self.asked.axioms.is_monotone();
        let pair = decided.undecided_pair(&self.addresses);
        if is_monotone || pair.is_none() {
            let Some(flags) = self.judge(decided)? else { return GO_ON };
            if pair.is_none() {
                return Ok(self.found(decided, flags));
            }
        }
        let Some((one, other)) = pair else { return GO_ON };
        if is_monotone && !self.asked.axioms.flags_depend_on_coherence() {
            // Most often any order will do.
            let mut complete = decided.clone();
            if complete.complete(&self.execution, &self.addresses).is_ok()
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
                .order(&self.execution, earlier, later)
                .and_then(|()| decided.conclude(&self.execution));
            if ordered.is_ok() && self.run(&decided)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        GO_ON
    }

    /// What the model says of what is decided: nothing if it is forbidden.
    fn judge(&mut self, decided: &Communication) -> Result<Option<Vec<Flag>>, NoAnswer> {
        Ok(match self.asked.judge(&mut self.execution, decided)? {
            Judgement::Forbidden => None,
            Judgement::Allowed(flags) => Some(flags),
        })
    }

    fn found(&mut self, decided: &Communication, flags: Vec<Flag>) -> ControlFlow<()> {
        decided.fill(&mut self.execution);
        debug_assert!(
            (self.execution.is_coherent() || !self.asked.axioms.keeps_reads_of_one_address())
                && self.execution.is_coherent_but_for_reads()
                && self.execution.is_atomic(),
            "as decided: {:?}",
            self.execution
        );
        let last = |address: &EventSet| {
            let last = decided.last(*address).iter().next()?;
            self.execution.events[last].written()
        };
        let memory = self.addresses.iter().filter_map(last).collect();
        self.interested.found(&self.execution, memory, flags)
    }

    /// Whether some memory that an execution may still end with is wanted.
    fn is_wanted(&mut self, decided: &Communication) -> bool {
        let mut memories = vec![Memory::new()];
        for address in &self.addresses {
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
