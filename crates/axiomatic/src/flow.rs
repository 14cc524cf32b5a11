//! Which reads the value of an expression comes from: the syntactic dependencies.
//!
//! Expressions are never simplified, so `r ^ r` depends on `r`. A selection depends on what it
//! selects, and on its condition only in that the condition *picks* the value: the Arm
//! architecture distinguishes the two (Arm ARM, B2.3, "Pick dependency"); everywhere else a picked
//! value depends on the condition like on anything else.

use std::ops::Range;

use program::{Expr, IndexVec, Memory, RegisterId, Value};

use crate::relation::EventSet;

/// The events of its own thread that a value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    /// The reads it is computed from.
    pub(crate) plain: EventSet,
    /// Those, and the reads that pick what it is computed from.
    pub(crate) picked: EventSet,
    /// The exclusive writes whose success it tells.
    pub(crate) success: EventSet,
}

impl Flow {
    /// The value that events read, each a part of it.
    pub(crate) fn read(events: Range<usize>) -> Self {
        let all: EventSet = events.collect();
        Self { plain: all, picked: all, success: EventSet::EMPTY }
    }

    /// The success of an exclusive write, which these events are.
    pub(crate) fn success(events: Range<usize>) -> Self {
        Self { plain: EventSet::EMPTY, picked: EventSet::EMPTY, success: events.collect() }
    }

    /// What comes from both.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            plain: self.plain | other.plain,
            picked: self.picked | other.picked,
            success: self.success | other.success,
        }
    }

    /// What comes from this and is picked by `condition`.
    #[must_use]
    pub(crate) fn picked_by(self, condition: Self) -> Self {
        Self {
            plain: self.plain,
            picked: self.picked | condition.picked,
            success: self.success | condition.success,
        }
    }

    /// Whether it comes from everything that `other` comes from.
    pub(crate) fn contains(self, other: Self) -> bool {
        (other.plain - self.plain).is_empty()
            && (other.picked - self.picked).is_empty()
            && (other.success - self.success).is_empty()
    }

    /// The same events, but those from a number on with their numbers raised by `by`.
    #[must_use]
    pub(crate) fn moved(self, from: usize, by: usize) -> Self {
        let moved = |set: EventSet| {
            let stays: EventSet = set.iter().filter(|event| *event < from).collect();
            stays | (set - stays).shifted(by)
        };
        Self { plain: moved(self.plain), picked: moved(self.picked), success: moved(self.success) }
    }
}

/// Registers with their values as far as they are known, and where these come from.
#[derive(Clone, Debug)]
pub(crate) struct Registers {
    /// 0 where it is not known.
    pub(crate) values: IndexVec<RegisterId, Value>,
    pub(crate) known: IndexVec<RegisterId, bool>,
    pub(crate) flows: IndexVec<RegisterId, Flow>,
}

impl Registers {
    /// Where the value of an expression comes from. As long as it is not known what a selection selects,
    /// only what picks it is.
    pub(crate) fn flow(&self, memory: &Memory, expr: &Expr) -> Flow {
        match expr {
            Expr::Const(_) => Flow::default(),
            Expr::Register(register) => self.flows[*register],
            Expr::Element(_, operand) | Expr::Unary(_, operand) | Expr::Cast(_, operand) => {
                self.flow(memory, operand)
            }
            // Also the operand that a logical operator need not evaluate: there is no such operator
            // in an instruction set.
            Expr::Binary(_, left, right) => self.flow(memory, left).and(self.flow(memory, right)),
            Expr::Select(operands) => {
                let [condition, _, _] = &**operands;
                let selected = self.selected(memory, operands);
                // If the instruction faults, its dependencies matter to nobody.
                let chosen = selected.map_or(Flow::default(), |expr| self.flow(memory, expr));
                chosen.picked_by(self.flow(memory, condition))
            }
        }
    }

    /// Whether everything is known that the value of an expression comes from.
    pub(crate) fn knows(&self, memory: &Memory, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) => true,
            Expr::Register(register) => self.known[*register],
            Expr::Element(_, operand) | Expr::Unary(_, operand) | Expr::Cast(_, operand) => {
                self.knows(memory, operand)
            }
            Expr::Binary(_, left, right) => self.knows(memory, left) && self.knows(memory, right),
            Expr::Select(operands) => {
                let [condition, _, _] = &**operands;
                let selected = self.selected(memory, operands);
                self.knows(memory, condition)
                    && selected.is_none_or(|expr| self.knows(memory, expr))
            }
        }
    }

    /// What a selection selects, if that is known.
    fn selected<'e>(&self, memory: &Memory, operands: &'e [Expr; 3]) -> Option<&'e Expr> {
        let [condition, then, otherwise] = operands;
        if !self.knows(memory, condition) {
            return None;
        }
        match condition.evaluate(memory, &self.values).ok()? {
            0 => Some(otherwise),
            _ => Some(then),
        }
    }
}
