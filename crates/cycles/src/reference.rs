//! What a program is compared with: SC, or TSO, which is what x86 gives.
//!
//! Under SC every pair of accesses of a thread is ordered, and [`crate::critical`] tells the rest. "Keep what
//! x86 gives me" asks for less: the target may show whatever TSO shows. Which cycles does TSO forbid?
//!
//! # The cycles of TSO
//!
//! The target keeps accesses to one address coherent and updates atomic, as TSO does. So an execution of the
//! target is one of TSO exactly if `ppo ∪ fence ∪ rfe ∪ co ∪ fr` has no cycle (Herding cats, TOPLAS 2014,
//! Fig. 21), where `ppo` is program order but for a write before a read, and `fence` is a write before a read
//! with a full fence between them, or of which one is *locked*, or with a locked access between them. Locked
//! are both halves of an update, `seq_cst` stores and exclusive stores. `rfi`, a read of an own store that is
//! still in the buffer, is not in the cycle, and nor is the pair of the store and that read.
//!
//! - *Internal `co` and `fr`* lead from an access to a later write of the same thread: they are in `ppo`. So
//!   cycles consist of `rfe`, `coe`, `fre` and of pairs that TSO *keeps*: all pairs of program order but a write
//!   before a read without one of the above. That relation is transitive: whatever leads from a write to a
//!   read over others passes a fence or a locked access.
//! - *Addresses.* Two accesses of a thread to one address add nothing, and a cycle goes from thread to thread
//!   at each address once, as under SC: the shorter ways are by `co` and `fr`, which lead to a write, and where
//!   they stay within a thread they are kept. A read is never alone in its thread (`rfe; fre` is `co`).
//! - *Threads.* Under SC a shortest cycle visits each thread once, since any two accesses of a thread are
//!   ordered. TSO does not keep a write before a read, and that is the only case in which there is no shorter
//!   way: a thread may be visited twice, once from a write to a write, and later from a read to a read, with
//!   nothing that waits from the first write to the last read. (Let `a … b` and `c … d` be two visits. If TSO
//!   keeps `a` before `d`, or `c` before `b`, one of them can be left out. Otherwise, up to names, `a` is a
//!   write, `d` a later read with nothing that waits in between, and `b` comes before `c`; so `b` is a write,
//!   or `a … b` would not be kept, and `c` is a read, or `c … d` would not be. Of three visits, one would have to
//!   be both.) In the program
//!
//!   ```text
//!   x = 1; y = 1; r1 = z; r2 = w     r3 = y; z = 1     w = 1; x = 2
//!   ```
//!
//!   `r3 = 1`, `r1 = 1`, `r2 = 0` and `x = 1` in the end is forbidden by such a cycle only.
//! - *Exclusive accesses.* The axioms of TSO order the exclusive load after a write of another thread that
//!   comes before the exclusive store in `co`. Where the load does not read from its own thread that follows
//!   from atomicity and `rfe`, and where it does it is as if the load were locked. So it counts as locked:
//!   TSO may keep less than that, and never more.
//!
//! A *delay* is then a pair on such a cycle that TSO keeps and the target does not order as strongly as it must;
//! how strongly is what [`crate::critical`] derives for cycles of any pairs. Between a write and a read it is a
//! pair with a *path* on which something waits: through an update that x86 locks and the target does not, since
//! a full fence stops the target too. The path to the locked access and the path on from it are looked for one
//! after the other, so that a path may leave a function by another call than it entered it: there may be more
//! such pairs than necessary, never fewer.
//!
//! Locked sections count as under SC ([`crate::classes`](crate::critical) has the proof for both).
//!
//! What TSO keeps is that of the program as it was, also where a repair makes an access stronger or adds a fence: a full
//! fence that the target needs would wait on x86, too, but no fence was there ([`crate::machine::Changed::added`]).

use program::Order;

use crate::architecture::Direction;

/// What a program is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reference {
    /// Sequential consistency.
    #[default]
    Sc,
    /// Total store order: what x86 gives.
    Tso,
}

impl Reference {
    /// All references.
    pub const ALL: [Self; 2] = [Self::Sc, Self::Tso];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sc => "sc",
            Self::Tso => "tso",
        }
    }

    /// Its name for people.
    pub const fn shown(self) -> &'static str {
        match self {
            Self::Sc => "SC",
            Self::Tso => "TSO",
        }
    }

    /// Whether nothing passes an access that is part of an update or exclusive (`is_atomic`), or of this order.
    pub(crate) fn locks(self, direction: Direction, order: Order, is_atomic: bool) -> bool {
        match self {
            // Everything is in order anyway.
            Self::Sc => false,
            Self::Tso => is_atomic || (direction == Direction::Write && order == Order::SeqCst),
        }
    }

    /// Whether it keeps two accesses in order only if something waits from the one to the other.
    pub(crate) fn needs_waiting(self, first: Direction, second: Direction) -> bool {
        match self {
            Self::Sc => false,
            Self::Tso => first == Direction::Write && second == Direction::Read,
        }
    }
}
