//! Which method can answer which question, and how strongly; the cheap ones first.
//!
//! A [`Method`] says of each criterion whether it can decide it, or only show that it holds, or nothing
//! ([`Strength`]). A [`Portfolio`] has some methods in the order of their cost, and asks one after the
//! other until a criterion is settled. What an answer implies is not asked again
//! ([`Criterion::implies`]); for [`Criterion::States`] what implies it is asked first, since that is known
//! whatever the length of buffers. All methods share one budget: the limits of [`Options`] are moments
//! and amounts for all that is done, not for each search.
//!
//! To add a method is to implement the trait and to give it a place in the order.

mod methods;

use std::ops::ControlFlow;

use cycles::{Analysis, Arch, Orders};
use events::{Positions, Rounds, of_program};
use explore::Progress;
use program::{Parameterised, Program};

use crate::abstraction::DecidedBy;
use crate::criterion::Criterion;
use crate::evidence::Evidence;
use crate::execution::BUG;
use crate::parameterised::Instance;
use crate::proof::Proof;
use crate::verdict::{Options, Reason, Statistics, Verdict, Watch};
pub use methods::{Abstraction, Attacks, Buffers, ControlFlowAlone, CriticalCycles, Patterns};

/// The criteria that imply [`Criterion::States`], the one that is quicker to refute first.
const IMPLY_STATES: [Criterion; 2] = [Criterion::Persistence, Criterion::Robustness];

/// How much a method can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Yes or no, within its limits.
    Decides,
    /// That a criterion holds; never that it is violated.
    ShowsHolds,
}

/// What a method says about one criterion.
#[derive(Clone, Debug)]
pub enum Said {
    /// No other method knows better.
    Settled(Verdict<Evidence>),
    /// Somebody else may know; if nobody does, this is why.
    Open(Option<Reason>),
}

/// What a method says about one criterion, and what it did for that.
#[derive(Clone, Debug)]
pub struct Reply {
    /// What it says.
    pub said: Said,
    /// What its searches did.
    pub statistics: Statistics,
    /// What else was established on the way.
    pub remark: Option<Remark>,
}

impl Reply {
    /// Nothing.
    pub fn nothing() -> Self {
        Self { said: Said::Open(None), statistics: Statistics::default(), remark: None }
    }

    /// A verdict that no other method knows better.
    pub const fn settled(verdict: Verdict<Evidence>, statistics: Statistics) -> Self {
        Self { said: Said::Settled(verdict), statistics, remark: None }
    }
}

/// What was established on the way to an answer, besides the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// How far an abstraction got.
    Abstraction {
        /// Who decided.
        decided_by: DecidedBy,
        /// For how many threads the abstraction excludes a violation.
        excluded: usize,
        /// Of how many.
        threads: usize,
    },
    /// The net that stands for any number of threads.
    AnyNumber {
        /// Its places.
        places: usize,
        /// Its transitions.
        transitions: usize,
        /// The minimal markings of the search through it.
        markings: usize,
    },
    /// Spin finds no violation in the instrumented program.
    SpinFindsNone,
    /// Spin finds one; the run that is shown is found in the program itself.
    SpinFindsOne,
}

/// What is asked, and how much may be done for it.
pub struct Task<'a, 'w> {
    /// The program.
    pub program: &'a Program,
    /// All criteria that are asked about: one search may be for several of them.
    pub criteria: &'a [Criterion],
    /// How to search, and the one budget of all searches.
    pub options: &'a Options,
    /// Who is told of the progress.
    pub watch: &'a mut Watch<'w>,
}

/// A way to answers about criteria.
pub trait Method<Refusal> {
    /// Its name, in JSON too.
    fn name(&self) -> &'static str;

    /// What it can say about a criterion, if anything.
    fn strength(&self, criterion: Criterion) -> Option<Strength>;

    /// What it says about one of the criteria of a task.
    fn answer(&mut self, criterion: Criterion, task: &mut Task<'_, '_>) -> Result<Reply, Refusal>;
}

/// The answer for one criterion.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The criterion.
    pub criterion: Criterion,
    /// The verdict.
    pub verdict: Verdict<Evidence>,
    /// The methods that were asked, in their order; the last one settled it, if it is settled. None if it
    /// is implied by what was known.
    pub methods: Vec<&'static str>,
    /// What else was established on the way.
    pub remark: Option<Remark>,
    /// What the searches did, if there were any.
    pub statistics: Statistics,
    /// The instance that evidence is about, if the program has any number of threads.
    pub instance: Option<Box<Instance>>,
}

impl Checked {
    /// The criterion that implies this one, if that is how it is known.
    pub const fn implied_by(&self) -> Option<Criterion> {
        match &self.verdict {
            Verdict::Holds(proof) => proof.implied_by(),
            Verdict::Violated(_) | Verdict::Undecided(_) => None,
        }
    }
}

/// A proof by implication, what was done to find it, and by which methods.
type Implied = (Option<Proof>, Statistics, Vec<&'static str>);

/// Methods, the cheap ones first, and what they have answered.
pub struct Portfolio<'m, Refusal> {
    methods: Vec<Box<dyn Method<Refusal> + 'm>>,
    known: Vec<Checked>,
}

impl<'m, Refusal: From<Parameterised>> Portfolio<'m, Refusal> {
    /// A portfolio of these methods, the cheapest first.
    pub fn new(methods: Vec<Box<dyn Method<Refusal> + 'm>>) -> Self {
        Self { methods, known: Vec::new() }
    }

    /// The exact methods of this crate.
    pub fn exact() -> Self
    where
        Refusal: 'm,
    {
        Self::new(vec![
            Box::new(ControlFlowAlone::default()),
            Box::new(Patterns::default()),
            Box::new(Attacks),
            Box::new(Buffers),
        ])
    }

    /// The exact methods, and before them what is known without looking at values: a program without delays
    /// on critical cycles is robust whatever the number of its states.
    pub fn automatic() -> Self
    where
        Refusal: 'm,
    {
        let mut portfolio = Self::exact();
        portfolio.methods.insert(1, Box::new(CriticalCycles));
        portfolio
    }

    /// With answers that are known from before. Only what is decided counts: what a limit kept from
    /// being known may be known now.
    #[must_use]
    pub fn knowing(mut self, known: impl IntoIterator<Item = Checked>) -> Self {
        let is_decided = |one: &Checked| match one.verdict {
            Verdict::Holds(_) | Verdict::Violated(_) => true,
            Verdict::Undecided(_) => false,
        };
        self.known.extend(known.into_iter().filter(is_decided));
        self
    }

    /// All that is known.
    pub fn into_known(self) -> Vec<Checked> {
        self.known
    }

    /// Answers the criteria of a task, each with evidence, in their order.
    pub fn answer(&mut self, task: &mut Task<'_, '_>) -> Result<Vec<Checked>, Refusal> {
        task.program.threads()?;
        let asked = Criterion::ALL.into_iter().filter(|one| task.criteria.contains(one));
        asked.collect::<Vec<_>>().into_iter().map(|one| self.one(one, task)).collect()
    }

    /// Answers one criterion, and remembers the answer.
    fn one(&mut self, criterion: Criterion, task: &mut Task<'_, '_>) -> Result<Checked, Refusal> {
        if let Some(known) = self.known.iter().find(|one| one.criterion == criterion) {
            return Ok(known.clone());
        }
        let checked = self.asked(criterion, task)?;
        self.known.push(checked.clone());
        Ok(checked)
    }

    fn asked(&mut self, criterion: Criterion, task: &mut Task<'_, '_>) -> Result<Checked, Refusal> {
        let (mut statistics, mut methods) = (Statistics::default(), Vec::new());
        let mut implied = self.implied(criterion);
        if implied.is_none() && criterion == Criterion::States {
            let (proof, did, asked) = self.same_states(task)?;
            (implied, statistics, methods) = (proof, did, asked);
        }
        if let Some(proof) = implied {
            let verdict = Verdict::Holds(proof);
            let (remark, instance) = (None, None);
            return Ok(Checked { criterion, verdict, methods, remark, statistics, instance });
        }
        let (mut why_open, mut remark) = (None, None);
        for method in &mut self.methods {
            let Some(strength) = method.strength(criterion) else { continue };
            methods.push(method.name());
            let reply = method.answer(criterion, task)?;
            statistics.include(&reply.statistics);
            remark = reply.remark.or(remark);
            match reply.said {
                Said::Settled(verdict) => {
                    assert!(
                        strength == Strength::Decides || !matches!(verdict, Verdict::Violated(_)),
                        "a method that can only show that {criterion} holds refutes it; {BUG}"
                    );
                    let instance = None;
                    return Ok(Checked {
                        criterion,
                        verdict,
                        methods,
                        remark,
                        statistics,
                        instance,
                    });
                }
                Said::Open(why) => why_open = why.or(why_open),
            }
        }
        let verdict = Verdict::Undecided(why_open.unwrap_or(Reason::NoMethod));
        Ok(Checked { criterion, verdict, methods, remark, statistics, instance: None })
    }

    /// The proof of a criterion by what is known already.
    fn implied(&self, criterion: Criterion) -> Option<Proof> {
        self.known.iter().find_map(|one| match &one.verdict {
            Verdict::Holds(proof) if one.criterion.implies_in_the_end(criterion) => {
                Some(proof.clone().implies(one.criterion))
            }
            Verdict::Holds(_) | Verdict::Violated(_) | Verdict::Undecided(_) => None,
        })
    }

    /// Whether a criterion implies that TSO has the plain states of SC, however long buffers become; and
    /// what was done to find out, by which methods.
    fn same_states(&mut self, task: &mut Task<'_, '_>) -> Result<Implied, Refusal> {
        let (mut statistics, mut methods) = (Statistics::default(), Vec::new());
        for stronger in IMPLY_STATES {
            let can = self.methods.iter().any(|method| method.strength(stronger).is_some());
            let is_known = self.known.iter().any(|one| one.criterion == stronger);
            if !can || is_known {
                continue;
            }
            let criteria = &[stronger][..];
            let Task { program, options, .. } = *task;
            let alone = &mut Task { program, criteria, options, watch: &mut *task.watch };
            let answer = self.one(stronger, alone)?;
            statistics.include(&answer.statistics);
            methods.extend(answer.methods);
            if let Verdict::Holds(proof) = answer.verdict {
                return Ok((Some(proof.implies(stronger)), statistics, methods));
            }
        }
        Ok((None, statistics, methods))
    }
}

/// Answers the criteria by the exact methods, each with evidence, in their order.
pub fn check(
    program: &Program,
    criteria: &[Criterion],
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Vec<Checked>, Parameterised> {
    let mut task = Task { program, criteria, options, watch: &mut watch };
    Portfolio::exact().answer(&mut task)
}

/// Whether TSO has the plain states of SC, if a criterion implies that, however long buffers become;
/// and what was done to find out.
pub fn same_states_as_sc(
    program: &Program,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<(Option<Proof>, Statistics), Parameterised> {
    program.threads()?;
    let criteria = &[Criterion::States];
    let mut task = Task { program, criteria, options, watch };
    let (proof, statistics, _) = Portfolio::exact().same_states(&mut task)?;
    Ok((proof, statistics))
}

/// Whether a store and a later load of a critical cycle may be reordered on x86, as far as that is known
/// without looking at values.
pub(crate) fn has_delays(program: &Program) -> bool {
    // Graphs know whole cells alone.
    if program.access_across().is_some() {
        return true;
    }
    let graph = of_program(program, Positions::AfterInstructions, Rounds::All).graph;
    let orders = match program.architecture() {
        Some(set) if Arch::X86.has_instructions_of(set) => Orders::OfInstructions,
        Some(_) | None => Orders::OfLanguage,
    };
    let analysis = Analysis::new(&graph, Arch::X86, orders);
    !analysis.is_robust(&analysis.nothing_put())
}

/// Whether control flow lets a load follow a store before anything empties the buffer: otherwise no
/// store is overtaken.
pub(crate) fn has_pivots(program: &Program) -> bool {
    let has = |template| crate::sc::pivots(template).iter().any(|is_pivot| *is_pivot);
    program.templates().iter().any(has)
}
