//! Marks of cells: how the chain of happens-before has accessed them (ESOP'13, Fig. 7).
//!
//! The paper has three levels: not at all, [`LOADED`], [`STORED`]. Locked sections need more. While
//! it is open whether a section belongs to the chain, what it leaves must not be its own reason to
//! join, so its marks carry its thread and the level that was there before. Nobody else sees them
//! before the section has joined, as the memory lock is held; afterwards they are as good as
//! others. And a thread is in such a section at most once: if it joins, all that follows is in the
//! chain.

use program::{BinaryOp, Expr, Value};

use crate::layout::both;
use crate::thread::Shared;

/// The mark of a cell that the chain has loaded, but not stored to (lda of the paper).
pub(crate) const LOADED: Value = 1;
/// The mark of a cell that the chain has stored to (sta).
pub(crate) const STORED: Value = 2;

/// The marks of pending sections. A mark is `4 * owner + level`: the level is that of the paper,
/// the owner zero, or for a section that was pending when it accessed the cell `1 + 2 * thread` if
/// the cell was not marked before and `2 + 2 * thread` if it was marked as loaded. (A cell marked
/// as stored to is a reason to join.)
pub(crate) struct Marks {
    pub(crate) thread: Value,
}

impl Marks {
    pub(crate) fn owned(&self, before: Value, level: Value) -> Value {
        4 * (1 + 2 * self.thread + before) + level
    }

    /// The level that others left.
    pub(crate) fn foreign(&self, shared: &Shared, mark: &Expr) -> Expr {
        let at_least = |least| Expr::binary(BinaryOp::Ge, mark.clone(), Expr::Const(least));
        let below = Expr::binary(BinaryOp::Lt, mark.clone(), Expr::Const(self.owned(2, 0)));
        let was_loaded = at_least(self.owned(1, 0));
        let own = both(at_least(self.owned(0, 0)), below);
        Expr::Select(Box::new([own, was_loaded, level(shared, mark)]))
    }

    /// The mark that a load leaves in a pending section that it does not let join.
    pub(crate) fn after_load(&self, shared: &Shared, mark: &Expr) -> Expr {
        let compare = |op, value| Expr::binary(op, mark.clone(), Expr::Const(value));
        let own =
            both(compare(BinaryOp::Ge, self.owned(0, 0)), compare(BinaryOp::Lt, self.owned(2, 0)));
        let loaded = Expr::binary(BinaryOp::Ge, level(shared, mark), Expr::Const(LOADED));
        let constant = |before| Expr::Const(self.owned(before, LOADED));
        let new = Expr::Select(Box::new([loaded, constant(1), constant(0)]));
        Expr::Select(Box::new([own, mark.clone(), new]))
    }
}

/// The level of a mark. Without sections marks are levels; what is delayed is below all of them.
pub(crate) fn level(shared: &Shared, mark: &Expr) -> Expr {
    if !shared.sections {
        return mark.clone();
    }
    let plain = Expr::binary(BinaryOp::Le, mark.clone(), Expr::Const(STORED));
    let low = Expr::binary(BinaryOp::BitAnd, mark.clone(), Expr::Const(3));
    Expr::Select(Box::new([plain, mark.clone(), low]))
}
