//! Recording a build: a compiler wrapper for `make CC=…`, and reading what it has taken down.
//!
//! Only the build knows how its files are compiled and which objects make which program; so we stand
//! where the compiler stands, let it do its work, and take notes. A recording is a folder:
//!
//! - `fencewright-index.jsonl`: one JSON object per line, in the order of the calls: what was compiled
//!   (source, object, flags, folder) and what was linked (output and inputs). Lines are only added,
//!   each by one write, so that a parallel build can share the file.
//! - `modules/`: the IR of each object, of its last compilation.
//! - `inputs/`: sources that came by the standard input.
//!
//! IR is made at once and not when it is asked for, since generated sources may be gone by then.
//! Objects and members of archives are known by name and by the hash of their contents: builds move
//! and copy them, and `ar` is not called through us.

mod archive;
mod call;
mod index;
mod record;
mod select;

pub(crate) use index::INDEX;
pub use record::{Recorded, Recorder, record};
pub(crate) use select::tasks;
