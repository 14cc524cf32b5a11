//! Search of [tables](explore::tables) by several processes, on this machine or on many, for state
//! spaces that are larger than one machine's memory.
//!
//! Every worker (a thread of a process) owns the states that a hash assigns to it and keeps them whole
//! ([`part`]): nothing is ever decided by a hash. The search is one timely dataflow ([`dataflow`]),
//! a loop whose timestamps are the levels: a worker expands its states of a level, sends what it does
//! not own to the owners, in batches that are sorted and written as differences ([`batch`]), and the
//! next level is complete when timely says that no message of its time can come any more. Then the
//! leader, the first worker of process 0, decides what comes next ([`judge`]): another level, a step
//! back on the way to the goals that were found, or the end. States, transitions, depth and verdict are
//! those of `explore::search`, whatever the number of workers.
//!
//! Process 0 is the user's command. The others know tables only; what may be a goal goes to process 0,
//! which alone knows what a goal is ([`engine`]). They serve one search after the other until they
//! are told to end, or process 0 is gone ([`service`]).
//!
//! **A lost process is an error, never an answer.** All connections beat ([`link`]): one that breaks, or
//! is silent for too long, ends the search everywhere. An answer needs a last word from every
//! process, so none is given when one is missing.

mod batch;
mod dataflow;
mod engine;
mod gathering;
mod judge;
mod link;
mod message;
mod part;
mod service;
mod shipping;
mod work;

pub use batch::owner;
pub use engine::{Cluster, Exchanged};
pub use gathering::{Gathering, Hosts, Patience, Unable, serve};

/// What the simulation of exchange volumes shares with the engine.
pub mod simulation {
    pub use crate::batch::encoded;
}
