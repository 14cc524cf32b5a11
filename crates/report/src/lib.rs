//! Results and errors for people and for machines: one file per format.
//!
//! Everything here turns data into text. Nothing here decides anything, reads a file or writes to
//! a terminal. This is the only crate that knows serde; what it serialises are twins of the real
//! types, so that the documented formats (`docs/json.md`) do not follow every change inside.

pub mod ascii;
pub mod batch;
pub mod check;
pub mod check_dot;
pub mod check_text;
pub mod comparison;
pub mod confirm;
pub mod confirm_text;
mod confirmed_text;
pub mod cover_text;
pub mod cycles_text;
pub mod diagnostics;
pub mod diff;
pub mod dot;
pub mod editor;
pub mod execution_dot;
pub mod explain;
pub mod fence;
pub mod fence_text;
pub mod fitted;
pub mod github;
pub mod html;
pub mod json;
pub mod notes;
pub mod outcomes;
pub mod outcomes_text;
pub mod pictures;
pub mod port_text;
pub mod program_text;
pub mod reach_text;
pub mod reason_text;
pub mod run_text;
pub mod sarif;
pub mod search_text;
pub mod shards;
pub mod terminal;
pub mod view;

mod audit_text;
mod control_flow_picture;
mod cycles_findings;
mod cycles_picture;
mod delays_text;
mod edits;
mod events_picture;
mod execution_picture;
mod execution_text;
mod findings;
mod history_text;
mod narrator;
mod next_step;
mod picture;
mod picture_dot;
mod pointers;
mod reading_order;
mod reordering;
mod suppressed;
mod svg;
mod table;
mod triage;
mod triage_text;
mod undecided;
mod witness_text;
