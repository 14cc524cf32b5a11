//! Who may wait until somebody wakes it up: each such thread has a number among them.
//!
//! A wait that may end for no reason has two ways, where hangs are looked for: on one it ends, on the other the thread
//! puts itself down under its number and waits until somebody takes it out. Of more than [`MOST`] threads, or any
//! number of them, only the first way is known.

use std::collections::BTreeMap;

use program::{Expr, Value};

use crate::thread::Walk;
use crate::value;
use crate::world::Facts;

/// The bits of four bytes but for the sign.
const MOST: u32 = 31;

/// Threads that may wait, and how many copies there are of each.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    copies: BTreeMap<u32, u32>,
}

impl Waiters {
    /// How many there are; nothing if nobody waits, or too many.
    pub(crate) fn count(&self) -> Option<u32> {
        let all = self.copies.values().copied().fold(0, u32::saturating_add);
        (1..=MOST).contains(&all).then_some(all)
    }
}

impl Walk<'_, '_, '_> {
    /// The number of this thread, which waits, among those that may; nothing if it need not be known.
    pub(crate) fn number_among(&mut self, waiters: fn(&mut Facts) -> &mut Waiters) -> Option<Expr> {
        let environment = self.world.environment;
        if !environment.finds_misuse() || !environment.spinning_is_waiting {
            return None;
        }
        let (number, copies) = (self.spec.number, self.spec.copies);
        let facts = &mut self.world.facts;
        let is_new = waiters(facts).copies.insert(number, copies).is_none();
        facts.is_new |= is_new;
        let all = waiters(facts);
        all.count()?;
        let before = all.copies.range(..number);
        let first = Expr::Const(before.map(|(_, copies)| Value::from(*copies)).sum());
        Some(match self.own_copy_number() {
            Some(copy) => value::sum(copy, first),
            None => first,
        })
    }
}
