//! Programs run on the real machine.
//!
//! A program of the model becomes a C program in which every access to memory is one instruction of
//! x86: `mov` for loads and stores, `xchg` for `seq_cst` stores, `lock cmpxchg` for updates, `mfence`
//! for fences that wait for the buffer. Its threads are pinned to different processors, leave a
//! barrier together, run to their ends with small random delays before, and how they ended is counted;
//! then all over again, many times, as litmus7 does it (Alglave, Maranget, Sarkar, Sewell: *Litmus:
//! running tests against hardware*, TACAS 2011). Each cell of memory is eight bytes on a cache line of
//! its own, each run has cells of its own, and a compiler sees nothing that it could reorder.
//!
//! # What follows from what is seen
//!
//! - x86 is TSO with finite buffers (Sewell and others: *x86-TSO*, CACM 2010), and the generated program
//!   adds nothing but delays and invisible reads before a run begins. So whatever is seen is possible
//!   under TSO: **a final state that is seen and that Fencewright calls impossible is a bug**, of
//!   Fencewright or of the machine. That is what [`judge`] looks for, and why this crate exists.
//! - What is seen and impossible under SC shows that the weak behaviour is real, not an artefact.
//! - **What is not seen proves nothing**: runs are a sample, and a processor need not show all that its
//!   architecture allows.
//!
//! What runs are the accesses of the program *as it was read*. For a program in C or Rust those are the
//! accesses as written, as everywhere in Fencewright, and not what an optimising compiler makes of them.
//!
//! # What is refused
//!
//! What x86 has no instructions for (locked sections, exclusive accesses), threads without a number or
//! more than 64, memory too large to have many times over, and threads that cannot end. A run in which a
//! thread is stuck or takes too long is given up and counted as such; one that fails an assertion, or
//! any other check of the model, ends there.

mod as_compiled;
mod cells;
mod code;
mod expression;
mod judgement;
mod process;
mod refusal;
mod run;
mod seen;

pub use as_compiled::{Counted, ProcessEnd, run_as_compiled};
pub use code::{Test, generate};
pub use judgement::{Judged, Judgement, Possible, judge};
pub use run::{Failure, How, run};
pub use seen::{Ending, Seen};
