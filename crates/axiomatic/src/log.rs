//! What is decided about a thread, beyond what its reads read from.
//!
//! A thread is deterministic but for what is asked here. Some questions are free choices. Others have an
//! answer once all values are known, and are only asked before that: then the answer is a promise, which is
//! checked as soon as it can be. So each execution keeps to the answers of exactly one log.

use std::collections::BTreeMap;

use program::Value;

/// What can be asked about a step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ask {
    /// Whether the thread goes on, where it may be left behind.
    GoesOn,
    /// Whether it comes to the head of a loop other than by a round that changes nothing.
    Anew,
    /// Which edge it takes, by its place among those that leave the label, if it takes one.
    Edge,
    /// Which edge it takes once it waits no longer, by its place.
    Takes,
    /// Which value is chosen.
    Value,
    /// Whether an exclusive store succeeds.
    Succeeds,
    /// Whether a comparison hands on what it expected, and not what it read.
    HandsOnExpected,
    /// What is accessed; nothing that exists if it is [`NOWHERE`].
    Address,
    /// Whether the first, second, … operand can be evaluated.
    Evaluates(u8),
    /// Whether a comparison finds what it expects.
    Compares,
    /// Whether memory can hold what is written.
    Fits,
    /// Whether a register can hold what is received.
    Receives,
}

/// The promise that an address is that of no cell.
pub(crate) const NOWHERE: Value = Value::MIN;

/// The answers, by the number of the step. Yes is 1 and no is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Log {
    answers: BTreeMap<(usize, Ask), Value>,
}

impl Log {
    pub(crate) fn get(&self, step: usize, ask: Ask) -> Option<Value> {
        self.answers.get(&(step, ask)).copied()
    }

    /// The log with one more answer.
    pub(crate) fn with(&self, step: usize, ask: Ask, answer: Value) -> Self {
        let mut next = self.clone();
        next.answers.insert((step, ask), answer);
        next
    }
}
