//! Getting LLVM IR: starts the user's clang, rustc or cargo and returns the modules they write, as
//! text.
//!
//! A compiler is started as the author of a program would start it, with flags that keep every
//! access as it is written (the module headers of `clang` and `rustc` say which and why). LLVM is
//! not linked, so that one build of ours goes with every version of it.
//!
//! - [`Input`], [`Request`], [`compile`]: from files, packages, lists of compilations and
//!   recordings to modules.
//! - `clang`, `rustc`, `cargo`: one file per compiler; [`Tools`]: which one is used; `flags`: what a
//!   user may tell it.
//! - `arguments`: what a command line of a C compiler means. `database`: `compile_commands.json`.
//! - [`record`]: a compiler wrapper that takes down what a build compiles and links.
//! - [`complaints`]: what compilers say is wrong, with positions.
//! - `overrides`, `mirror`: other texts for some files, without touching them.
//! - [`Cache`]: IR of files that have not changed; `whole`: whether a text is there to its end.
//!
//! Dependencies: `serde_json`, for lists of compilations, what Cargo says, and the index of a
//! recording; `shlex`, to split commands as a shell does; `tempfile`, for folders that are removed
//! and files that appear whole; `xxhash-rust`, for keys of the cache; `rustix`, to end what was started.

mod arguments;
mod cache;
mod cargo;
mod clang;
mod complaint;
mod database;
mod dependencies;
mod failure;
mod flags;
mod input;
mod mirror;
mod overrides;
mod parallel;
mod place;
mod process;
mod recording;
mod request;
mod rustc;
mod tools;
mod whole;

pub use cache::{Cache, Usage};
pub use complaint::{Complaint, complaints};
pub use failure::Failure;
pub use input::{Database, Input, Package, Recording, Target};
pub use place::Temporary;
pub use process::end_children;
pub use recording::{Recorded, Recorder, record};
pub use request::{Compiled, Language, Module, Request, compile};
pub use tools::Tools;
