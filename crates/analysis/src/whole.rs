//! Whether a program is all of what its author wrote.
//!
//! A front end may translate recursion, allocation or the creation of threads only up to a bound, and
//! what a function without a body does not at all. Where its translation ends there is a *bound*
//! ([`program::Template::bound`]): an edge that no thread completes. What lies beyond it is not part of
//! the program, so a violation of the program is one of what was written, but *holds* is true of what
//! was written only if no thread gets to a bound. [`Whole`] is the evidence of that; every
//! [`crate::Proof`] contains one, and nothing outside of this module can make one. There are two ways to it:
//!
//! - *Control flow*: there is no bound.
//! - *Exploration*: all SC states were explored, and no thread was stopped by a limit. Where only bounds
//!   are asked about, most of a program has nothing to do with the answer, so its cone of influence
//!   ([`mod@cone`]) is explored first.
//!
//! SC is enough. Let P be what was written and P' its translation, of which a criterion holds that
//! compares TSO with SC. Every TSO computation of P' then has an SC computation in which each thread
//! takes the same steps (they are part of traces, and of what persistence compares). So if no SC
//! computation of P' gets to a bound, no TSO computation does, and P and P' have the same computations
//! under both models. Where buffers are explored, bounds are met under TSO itself.

mod cone;

use std::ops::ControlFlow;

use automata::Answer;
use explore::Progress;
use program::{EdgeId, IndexVec, LabelId, Parameterised, Program, Template, TemplateId};
use semantics::Control;
use web_time::Instant;

use crate::evidence::lost;
use crate::proof::{Basis, Engine, Proof};
use crate::reach::not_searched;
use crate::sc::{Look, Sc, StateCondition, StateView};
use crate::verdict::{Options, Reason, Statistics, Watch};

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

/// That nothing was found in all states, if no limit kept some from being explored: this is the first
/// that did.
pub(crate) fn explored(stopped: Option<Reason>, engine: Engine) -> Result<Proof, Reason> {
    let basis = Basis::Exhausted { engine };
    Whole::by_exploration(stopped).map(|whole| Proof::new(basis, whole))
}

/// Whether no thread gets to a bound, or why that is not known. A search is made only if there are
/// bounds, and ends at the first that a thread gets to.
pub fn whole(
    program: &Program,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(Result<Whole, Reason>, Statistics), Parameterised> {
    program.threads()?;
    if let Some(whole) = Whole::by_control_flow(program) {
        return Ok((Ok(whole), Statistics::default()));
    }
    let (whole, mut statistics) = by_search(&cone::cone(program), options, &mut watch)?;
    if whole.is_ok() {
        return Ok((whole, statistics));
    }
    let (whole, did) = by_search(program, options, &mut watch)?;
    statistics.include(&did);
    Ok((whole, statistics))
}

/// Searches for a bound that a thread gets to.
fn by_search(
    program: &Program,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<(Result<Whole, Reason>, Statistics), Parameterised> {
    let mut statistics = Statistics::default();
    if let Some(reason) = not_searched(program) {
        return Ok((Err(reason), statistics));
    }
    let started = Instant::now();
    let bounds = Bounds::of(program);
    let look = Look {
        forget_dead_registers: options.reductions.dead_registers,
        visible_labels: bounds.labels(),
        condition: Some(StateCondition {
            holds: Box::new(|sc, view| bounds.reached(sc, view).is_some()),
            is_symmetric: true,
            is_of_ends: false,
        }),
        ..Look::at_nothing()
    };
    let sc = Sc::new(program, look)?;
    let (answer, did) = sc.search(&options.of_automata(options.reductions, false), watch);
    statistics.add(&did, started.elapsed(), options.searched_by(&did));
    let whole = match answer {
        Answer::Exhausted(noted) => {
            let stopped = noted.first().map(|(class, local)| sc.stopped_by(*class, local));
            Whole::by_exploration(stopped)
        }
        Answer::Found(runs) => {
            let state = runs.first().and_then(|run| sc.after(&run.steps));
            let bound = state.and_then(|state| bounds.reached(&sc, &state));
            let (template, edge) = bound.unwrap_or_else(|| lost());
            Err(Reason::stopped(program.template(template), edge))
        }
        Answer::Stopped(limit) => Err(Reason::Limit(limit)),
        Answer::TooWide { bits } => Err(Reason::TooWide { bits }),
        Answer::Unsuitable { why } => Err(options.unsuitable(why)),
    };
    Ok((whole, statistics))
}

/// For each label of each template the bound that leaves it. Whoever is there gets to the bound, since an
/// assignment never waits.
struct Bounds(IndexVec<TemplateId, IndexVec<LabelId, Option<EdgeId>>>);

impl Bounds {
    fn of(program: &Program) -> Self {
        let of_template = |template: &Template| {
            let mut bounds: IndexVec<LabelId, Option<EdgeId>> =
                template.labels().iter().map(|_| None).collect();
            for edge in template.edges().indices() {
                if template.bound(edge).is_some() {
                    bounds[template.edge(edge).from] = Some(edge);
                }
            }
            bounds
        };
        Self(program.templates().iter().map(of_template).collect())
    }

    fn labels(&self) -> Vec<(TemplateId, LabelId)> {
        let of_template = |(id, labels): (TemplateId, &IndexVec<LabelId, Option<EdgeId>>)| {
            let bounds = labels.enumerate().filter(|(_, bound)| bound.is_some());
            bounds.map(|(label, _)| (id, label)).collect::<Vec<_>>()
        };
        self.0.enumerate().flat_map(of_template).collect()
    }

    /// The first that a thread has got to.
    fn reached(&self, sc: &Sc<'_>, state: &impl StateView) -> Option<(TemplateId, EdgeId)> {
        sc.threads().enumerate().find_map(|(id, thread)| match state.local(id).control {
            Control::At(label) => Some((thread.template, self.0[thread.template][label]?)),
            Control::Stopped { .. } => None,
        })
    }
}
