//! The commands, one per file.

pub(crate) mod completions;
pub(crate) mod convert;
mod instrument;
pub(crate) mod reach;
pub(crate) mod show;
pub(crate) mod simulate;
