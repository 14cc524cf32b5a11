//! Questions about TSO as programs: transformations whose result reaches a goal state under SC
//! exactly if the given program is not robust, or not persistent; and one that is easier to explore.
//!
//! - [`robustness_attack`]: the program `P_A` of "Checking and Enforcing Robustness against TSO"
//!   (Bouajjani, Derevenetc, Meyer; ESOP'13), Figs. 5 and 7, for one [`Attack`]; [`attacks`] lists
//!   the candidates and [`refuted_by_control_flow`] disposes of many without any search.
//! - [`robustness_single`]: the one program mentioned at the end of that paper, in which attacker,
//!   store and load are chosen as it runs.
//! - [`persistence()`]: the program of "The Best of Both Worlds: Trading Efficiency and Optimality
//!   in Fence Insertion for TSO" (Abdulla, Atig, Ngo; ESOP'15), §8, corrected and made smaller.
//! - [`Flattening`]: the abstract programs of §10 of that paper, one for each thread, made sound.
//!
//! Each of the first three is linear in the size of the program, where copies of a thread count one by one:
//! threads that are instrumented differently are different threads. (One exception: an update at a
//! computed address asks each location with a declared range whether it is meant.)
//!
//! # What they share
//!
//! A thread that delays stores does not need a buffer, since a load reads the newest buffered store
//! to its address and nobody else sees any: one auxiliary cell per cell holds the newest delayed
//! value. `layout` says where these cells are, `thread` how an instrumented thread is written,
//! `delay` what a thread does that delays stores, `chain`, `access`, `marks` and `update` how
//! helpers build a chain of happens-before. What a program asks about its final states is not asked
//! any more. Under SC an instrumented instruction is several steps, and nothing keeps other threads
//! from acting in between; the headers of these modules say why that does no harm.
//!
//! # Faults
//!
//! A failed assertion stops its thread, and a false assumption does so as well if there is no other
//! way to go on; so assertions of the given program become assumptions, and a failed assertion in
//! [`Instrumented::with_assertion`] is the goal and nothing else. Other faults (an index outside an
//! array, a division by zero) remain what they are: faults of the given program. What an
//! instrumented instruction reads first goes to a register that has room for every value, since a
//! load whose value does not fit into its register has read memory before it stops its thread, and
//! counts.
//!
//! This crate depends on the program model only. It explores nothing.

mod access;
mod attack;
mod chain;
mod delay;
mod flattening;
mod goal;
mod layout;
mod marks;
mod persistence;
mod rewrite;
mod robustness;
mod thread;
mod update;

pub use attack::{Attack, attacks, refuted_by_control_flow};
pub use flattening::{Flattened, Flattening, NoFiniteRange};
pub use goal::{Goal, Impossible, Instrumented};
pub use persistence::persistence;
pub use robustness::{robustness_attack, robustness_single};
