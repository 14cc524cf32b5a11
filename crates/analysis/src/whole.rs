//! Whether a program is all of what its author wrote.
//!
//! A front end may translate recursion, allocation or the creation of threads only up to a bound, and
//! what a function without a body does not at all. Where its translation ends there is a *bound*
//! ([`program::Template::bound`]): an edge that no thread completes. What lies beyond it is not part of
//! the program, so a violation of the program is one of what was written, but *holds* is true of what
//! was written only if no thread gets to a bound. [`Whole`] is the evidence of that; [`crate::Verdict::Holds`]
//! contains one, and nothing outside of this module can make one. There are two ways to it:
//!
//! - *Control flow*: there is no bound.
//! - *Exploration*: all SC states were explored, and no thread was stopped by a limit.
//!
//! SC is enough. Let P be what was written and P' its translation, of which a criterion holds that
//! compares TSO with SC. Every TSO computation of P' then has an SC computation in which each thread
//! takes the same steps (they are part of traces, and of what persistence compares). So if no SC
//! computation of P' gets to a bound, no TSO computation does, and P and P' have the same computations
//! under both models. Where buffers are explored, bounds are met under TSO itself.

use std::ops::ControlFlow;

use explore::Progress;
use program::{Parameterised, Program};

use crate::reach::{Query, reach};
use crate::verdict::{Options, Reason, Statistics, Verdict};

/// That no thread of a program gets to a bound of its translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole(());

impl Whole {
    /// By control flow.
    pub fn by_control_flow(program: &Program) -> Option<Self> {
        let mut templates = program.templates().iter();
        let has_bound = templates
            .any(|template| template.edges().indices().any(|edge| template.bound(edge).is_some()));
        (!has_bound).then_some(Self(()))
    }

    /// By exploration of all SC states, or of all TSO states: if no thread was stopped by a limit, of
    /// which this is the first.
    pub(crate) fn by_exploration(stopped: Option<Reason>) -> Result<Self, Reason> {
        stopped.map_or(Ok(Self(())), Err)
    }
}

/// Whether no thread gets to a bound, or why that is not known. A search is made only if there are
/// bounds.
pub fn whole(
    program: &Program,
    options: &Options,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(Result<Whole, Reason>, Statistics), Parameterised> {
    if let Some(whole) = Whole::by_control_flow(program) {
        return Ok((Ok(whole), Statistics::default()));
    }
    let report = reach(program, &Query::default(), options, watch)?;
    let whole = match report.verdict {
        Verdict::Holds(whole) => Ok(whole),
        Verdict::Undecided(reason) => Err(reason),
        Verdict::Violated(_) => unreachable!("nothing is looked for"),
    };
    Ok((whole, report.statistics))
}
