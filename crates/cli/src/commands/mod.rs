//! The commands, one per file.

pub(crate) mod batch;
pub(crate) mod cache;
pub(crate) mod cc;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod confirm;
pub(crate) mod convert;
pub(crate) mod cover;
pub(crate) mod cycles;
pub(crate) mod explain;
pub(crate) mod fence;
pub(crate) mod lsp;
pub(crate) mod manual;
pub(crate) mod merge;
pub(crate) mod outcomes;
pub(crate) mod reach;
pub(crate) mod show;
pub(crate) mod simulate;
pub(crate) mod step;
pub(crate) mod worker;
