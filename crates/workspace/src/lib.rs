//! Fencewright as a library: programs in, answers out, as plain data.
//!
//! A [`Workspace`] reads programs, keeps them and what was found out about them, and answers questions:
//! does TSO differ from SC ([`Workspace::check`]), which fences repair that ([`Workspace::fence`]), can
//! something be reached ([`Workspace::reach`]), which final states are there ([`Workspace::outcomes`]),
//! what does one run look like ([`Workspace::simulate`]), does the machine show it
//! ([`Workspace::confirm`]), can a net cover a target ([`Workspace::cover`]). It prints nothing and ends no process; files and processes are behind
//! [`Host`]. The command line is one of its clients; crate `fencewright-report` makes text and JSON of its answers.
//!
//! In `Cargo.toml` the crate is `fencewright-workspace = "=0.2.0"`; in code it is `workspace`. A model in memory, what is wrong with
//! it, and its repair:
//!
//! ```
//! use workspace::{Check, Fence, InMemory, Verdict, Workspace};
//!
//! let mut workspace = Workspace::new(InMemory::new());
//! let text = "shared x, y\nthread p { local r; x = 1; r = y }\nthread q { local r; y = 1; r = x }\n";
//! let sb = workspace.text("sb.fw", text).unwrap();
//! let answer = workspace.check(sb, &Check::default()).unwrap();
//! assert!(matches!(answer.results[0].verdict, Verdict::Violated(_)));
//! let repair = workspace.fence(sb, &Fence::default()).unwrap();
//! assert_eq!(repair.made().len(), 2);
//! assert!(repair.texts.unwrap()[0].1.contains("fence"));
//! ```
//!
//! `Workspace::default()` reads files instead, and asks compilers about programs in C and Rust: [`Workspace::open`] takes the
//! [`Inputs`] of a command line.

pub mod budget;
pub mod check;
pub mod confirm;
pub mod cover;
pub mod cycles;
pub mod delays;
mod event_graph;
pub mod fence;
pub mod host;
pub mod inputs;
pub mod instrumented;
pub mod notes;
pub mod outcomes;
pub mod reach;
pub mod simulate;
pub mod suppression;
pub mod triage;
pub mod words;

mod histories;
mod misplaced;
mod rule;
mod source;
mod spin;
mod store;

pub use analysis::portfolio::Remark;
pub use analysis::{
    Basis, Checked, Criterion, Depth, Engine, Evidence, Execution, Histories, Limit, Limits,
    Options, Progress, Proof, Reason, Reductions, Searcher, Statistics, Verdict,
};
pub use budget::{Budget, reserve};
pub use check::{Check, CheckAnswer, CheckMethod};
pub use confirm::{Confirm, ConfirmAnswer};
pub use cover::{Cover, CoverAnswer};
pub use cycles::{Cycles, CyclesAnswer, Executions, Figures, Stage, Stages, Weights};
pub use delays::JudgedDelay;
pub use fence::{Algorithm, Cost, Enforced, Fence, FenceAnswer, FenceOutcome};
pub use host::{Host, InMemory, System, Within};
pub use inputs::{Assumption, Inputs, Loaded, Origin, Part, Premises, Refused, SourceOptions};
pub use instrumented::Instrumentation;
pub use lowering::{Life, Lifetimes, Relocking, life};
pub use notes::{Note, NoteCode};
pub use outcomes::{ModelChoice, Outcomes, OutcomesAnswer, Shown};
pub use reach::{LookedFor, Reach, ReachAnswer};
pub use rule::Rule;
pub use simulate::{Simulate, Simulation};
pub use source::{Compilation, Modules};
pub use store::{ProgramId, Workspace};
pub use suppression::{Accepted, Others, Suppression, Suppressions};
pub use triage::{Concern, Matter, Triage, Weight};

/// What an answer comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conclusion {
    /// It holds, was repaired, or is as it should be.
    Fine,
    /// It is violated, and comments in the source accept every violation.
    Suppressed,
    /// That is not known.
    Undecided,
    /// It does not hold.
    Violated,
}

impl Conclusion {
    /// What a verdict comes to.
    pub const fn of<E>(verdict: &Verdict<E>) -> Self {
        match verdict {
            Verdict::Holds(_) => Self::Fine,
            Verdict::Violated(_) => Self::Violated,
            Verdict::Undecided(_) => Self::Undecided,
        }
    }
}
