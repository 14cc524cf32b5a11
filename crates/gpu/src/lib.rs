//! Exact breadth-first search of tables ([`explore::tables`]) on a graphics card.
//!
//! A level is expanded by as many threads as the card has, each taking a state, looking up what its
//! components can do and putting the successors into one set in the card's memory, an open-addressing
//! table: what Wijs and Bošnački do (`GPUexplore`, TACAS'14 and later), but with states
//! of a fixed width and steps as tables instead of a tree of a process algebra, and without any loss:
//! `GPUexplore` 3.0's compact tables are exact as well, earlier bit-state variants were not.
//!
//! - **The kernels are compiled for the tables at hand** ([`mod@text`]): where numbers are in a state
//!   stands in the text as constants. NVRTC compiles it when a search begins. Nothing of CUDA is needed
//!   to build this crate or to run programs that contain it ([`Cuda::open`] says what is missing).
//! - **States are stored exactly** ([`mod@layout`]): whole, or, if they have two words and these fit, as quotients of one
//!   word, which together with the place in the table determine the state.
//! - **Beside a state stands its level**, modulo as many numbers as the bits that the state leaves free
//!   have. So the states of a level can be found again in the set: if there are more than the queues
//!   hold, and for the path to a goal, which is walked backward, level by level.
//! - **What makes it fast** was measured on an H200, where the first three made four to six times as many states a second of
//!   states of one word, and the last three times as many in sets beyond 64 GiB: the threads of a block gather what they
//!   find and add it to the level together, or all of them would wait for each other at one counter; successors are kept until
//!   all are made, so that threads that run in step look them up in step; slots are looked at four at a time, so that a
//!   set may be nearly full; and a set that is too large for the card's translation of addresses is filled in
//!   passes, each of which makes all successors and looks up those whose first bucket is in one part of it. Slots of two words
//!   are exchanged in one step on cards that can (compute capability 9.0); others claim a slot before they write.
//! - **States are looked at by the client** ([`explore::tables::Request::is_goal`]): the card picks those
//!   whose local states are marked.
//!
//! [`Device`] is what a search asks of a card. The tests have one that is this machine: the same text,
//! compiled by a C++ compiler.
//!
//! This crate knows nothing of programs, nor of automata.

mod cuda;
mod device;
mod engine;
mod flat;
mod layout;
mod levels;
mod text;
mod trace;

pub use cuda::Cuda;
pub use device::{Arguments, Device, Failed, Kernel};
pub use engine::{Engine, Room, StartUp};
