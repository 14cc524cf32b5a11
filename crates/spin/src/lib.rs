//! Reachability under SC, decided by the real Spin: `spin -a`, gcc, and the verifier they make.
//!
//! For those who trust it more than they trust us, and for differential tests. The program goes
//! through the Promela export (`frontend::promela`), which makes one atomic step of each
//! instruction; so Spin explores the plain SC states of the program, one by one.
//!
//! *What is never done is to guess.* [`Verdict::Holds`] needs a verifier that ended with exit code
//! 0, reported no error, and reported no search cut short by depth, memory or time; the depth is
//! raised until it suffices. [`Verdict::Violated`] needs a run that `semantics` performs step by
//! step and that ends in what was asked for. Everything else is [`Verdict::Undecided`] with the reason, or a
//! [`Failure`].
//!
//! *Deadlocks.* Nothing is enabled, and some thread is at a waiting label or waits for the memory
//! lock. Spin finds these as invalid end states. A busy wait (`await`) is a cycle of steps, in which
//! something is always enabled: where a program has one, and Spin finds no other deadlock, the
//! answer is undecided.
//!
//! *Reduction.* Spin's partial-order reduction preserves assertions and deadlocks; goals are
//! assertions on global variables. Spin also resets dead variables then. Without reduction all that
//! changes the number of states is off: `-DNOREDUCE`, `spin -o1` (dead variables) and `-o2`
//! (variables never read; either of the two alone had the same effect in what we tried). Then Spin
//! stores one state for each plain SC state of the program and one more, in which `init` has not
//! run yet. Its transitions are those of the program, the one of `init`, and one for the very first
//! state. [`Statistics`] leaves these out, and `tests/states.rs` compares the rest with the
//! semantics. Statement merging (`-o3` would switch it off) changes no number: it merges inside
//! atomic steps, which are never stored.
//!
//! *Depth.* Spin searches depth first on a stack of fixed size. With `-b` the verifier stops when
//! the stack is full, and is started again with a larger one. Breadth first (`-DBFS`) would need no
//! stack, but twice the memory for each state, and is not what Spin is measured by.

mod answer;
mod command;
mod folder;
mod report;
mod run;
mod search;

pub use answer::{Answer, Failure, Options, Query, Reason, Statistics, Verdict, Violation, What};
pub use search::reach;
