//! Persistence as SC reachability (ESOP'15, §7 and §8), corrected.
//!
//! The paper looks for SC runs π₁ · e₁ · u₁ · π₃ · e₂ · u₂: a process, the pivot, writes y, then
//! only reads and computes (π₃) until it could read v from x ≠ y, and another one writes v′ ≠ v to
//! x instead. Then the TSO run π₁ · e₁ · π₃ · e · e₂ · u₂ · u₁, in which the pivot reads x before
//! its write of y is seen, has a trace that is none of SC.
//!
//! # What we do
//!
//! The pivot delays its write of y (`delay`, which keeps the value for the pivot's own reads; the
//! program of the paper overwrites it), goes on with reads and local steps, reads v from x in
//! memory, and ends there. Then it looks at x again, and the goal is reached if x is not v any
//! more. All others run the given code as it is.
//!
//! # Why that is right
//!
//! *If the goal is reached, the program is not persistent.* The run is one of TSO: only the pivot's
//! write is delayed, nobody else has seen it, and it can reach memory now, as the memory lock was
//! free for the last look at x. Let it do so. In program order the pivot's write of y is before its
//! read of v; in store order the write of y is last. In an SC run with this trace the read would
//! come after all stores, and would find in x what is there now, which is not v. This uses nothing
//! but program order and store order: *whatever* changes x plays the part of e₂, be it a plain or a
//! sequentially consistent store, an update that writes, an exclusive store that succeeds or a
//! locked section; a compare-and-swap that fails changes nothing. And nothing forbids others to run
//! during π₃, so no phases are needed to keep them from it.
//!
//! *If the program is not persistent, the goal is reached.* Then the pattern of the paper occurs,
//! with e₂ as just described: the oracle has it as `has_fragility_pattern`, and it agrees with the
//! definition on everything that was enumerated. From before e₁ the pivot delays y and walks
//! through π₃ alone; e₂ is possible as well, since the pattern's other process does not access y
//! (or, in a section, accesses it from a state in which the pivot has not written); afterwards x
//! has changed.
//!
//! The part of e₁ is played by what a buffer can delay: stores that are not sequentially
//! consistent, outside of locked sections, also to a variable that nobody else uses, for it is in
//! the store order. The part of e is played by any load, also an exclusive one, and also one whose
//! value does not fit into its register, since the value was read.

use program::Program;

use crate::delay::{Delay, End};
use crate::goal::{Impossible, Instrumented};
use crate::robustness::{Role, instrumented};

/// A program whose goal is reachable under SC exactly if the given one is not persistent.
pub fn persistence(program: &Program) -> Result<Instrumented, Impossible> {
    let delay = Delay { only: None, end: End::Change };
    instrumented(program, "persistence", |_| Role { delay: Some(delay), helps: false })
}
