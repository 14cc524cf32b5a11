//! Answers for any number of threads (ESOP'13, §6 and Appendix D).
//!
//! A template with [`Count::Any`] stands for any number of copies, so the program stands for a family of
//! *instances*. A criterion holds if it holds of all of them.
//!
//! - *That it holds* is a question of coverability ([`mod@prove`]). What a violation is has been made a question
//!   of SC reachability already, by threads that share cells: attacks ([`mod@crate::robustness`]), with one
//!   search for all of them; races and overtaking ([`mod@watched`]); faults ([`crate::sc`]). In these
//!   threads, which copy does something is nowhere said, so copies are counted ([`mod@net`]). The paper's
//!   flag, with which one copy of the attacker becomes *the* attacker and its other copies help, is the
//!   cell that says whether somebody delays stores: every thread is instrumented as attacker and as helper.
//!   Where attacks are asked about one by one ([`mod@attacks`]) the attacker is a thread by itself, as there.
//! - *That it does not* is shown by an instance ([`mod@instances`]): its run is found by the exact search for
//!   that instance, and replayed like every other. Instances are tried in the order of how many copies they have,
//!   so the first is a smallest, unless a limit kept a smaller one from being decided, which is said.
//!   A violation stays one with more copies, as those need not take a step.
//!
//! The two race ([`mod@race`]).
//!
//! Goals of `reach` are questions of coverability as well ([`mod@targets`]), under SC and under TSO ([`mod@running`]). Final states and deadlocks are about
//! *all* threads having ended or waiting, and are not: that there is none can often be shown nevertheless
//! ([`mod@ends`]), small instances are searched for one, and otherwise nothing is known.
//!
//! Copies of any number have no identities, or use them as names only, so that none can be told from the others
//! ([`mod@named`]). Exclusive accesses are refused, since a reservation belongs to a thread.
//!
//! Values must be finitely many, as far as pairs of local states and contents tell; a counter without end
//! ends in *undecided*, with its name, and soon ([`mod@walk`]). What control flow or critical cycles show they
//! show for any number.

mod asked;
mod attacks;
mod ends;
mod instances;
mod named;
mod net;
mod prove;
mod race;
mod running;
mod targets;
mod walk;
mod watched;

use std::fmt;
use std::ops::ControlFlow;

use program::{Count, Program, Span};
use semantics::Model;

use crate::criterion::Criterion;
use crate::evidence::Evidence;
use crate::execution::Execution;
use crate::kept_locks::lock_may_be_kept;
use crate::portfolio::{self, Checked, Remark, has_delays, has_pivots};
use crate::proof::{Basis, Proof};
use crate::reach::{Query, Report, reach as reach_instance};
use crate::tso_only::{self, SafetyViolation};
use crate::under_tso::reach_under;
use crate::verdict::{Options, Reason, Statistics, Verdict, Watch};
use crate::whole::Whole;
use instances::Instances;
use prove::Family;
use race::{Decided, Proved, decide};

pub use attacks::per_attack;

/// An instance of a program with any number of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The program with these numbers of copies.
    pub program: Program,
    /// For each thread with any number of copies its name, and how many there are.
    pub counts: Vec<(String, u32)>,
    /// Whether no instance with fewer copies shows the same; otherwise a limit kept that from being
    /// known.
    pub is_smallest: bool,
}

/// What is not known of any number of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Final states are about all threads.
    FinalStates,
    /// So are deadlocks.
    Deadlocks,
    /// Too many states satisfy a goal, or may be ends or deadlocks.
    TooManyStates,
    /// Whether there are new final states.
    States,
    /// Abstractions are of threads of definite number.
    Abstraction,
    /// A condition asks which copy it is.
    Who,
    /// Copies cannot be decided about one by one.
    CopiesApart,
    /// Reservations belong to threads.
    Exclusives {
        /// Where one is made.
        at: Span,
    },
    /// A cell can hold too many values.
    Values {
        /// Its name.
        cell: String,
    },
    /// A thread can be in too many local states.
    Locals {
        /// Its name.
        thread: String,
    },
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FinalStates => write!(
                f,
                "that every thread has ended is no question of coverability, which knows what is there at \
                 least; some threads can come to such a state while others are still on their way, and \
                 small instances have no such final state"
            ),
            Self::Deadlocks => write!(
                f,
                "that no thread gets any further is no question of coverability, which knows what is there \
                 at least; some threads can wait while others are still on their way, and small instances \
                 have no deadlock"
            ),
            Self::TooManyStates => write!(
                f,
                "with any number of threads too many states may be what is looked for to follow them all"
            ),
            Self::States => write!(
                f,
                "neither robustness nor persistence is known to hold of any number of threads, and \
                 small instances have no new final states"
            ),
            Self::Abstraction => write!(
                f,
                "an abstraction looks at each thread with all others abstracted, and of any number there is \
                 no last; what is counted is the program itself"
            ),
            Self::Who => write!(
                f,
                "which copy of any number an identity belongs to cannot be asked: they are all alike"
            ),
            Self::CopiesApart => write!(
                f,
                "copies of any number share one text and are not told apart, so none of them has fences of \
                 its own"
            ),
            Self::Exclusives { .. } => write!(
                f,
                "an exclusive access reserves for one thread, and of any number they are not told apart"
            ),
            Self::Values { cell } => {
                write!(
                    f,
                    "with any number of threads `{cell}` can hold too many values, or endlessly many"
                )
            }
            Self::Locals { thread } => write!(
                f,
                "with any number of threads `{thread}` can be in too many local states, or endlessly many"
            ),
        }
    }
}

/// The instance with two copies of each thread of any number: enough for what two threads do to each other.
pub fn with_two_copies(program: &Program) -> Program {
    Instances::of(program).representative()
}

/// Whether a program has templates with any number of copies.
pub fn is_parameterised(program: &Program) -> bool {
    program.templates().iter().any(|template| template.count() == Count::Any)
}

/// Answers the criteria for any number of threads, in their order.
pub fn check(
    program: &Program,
    criteria: &[Criterion],
    options: &Options,
    watch: &mut Watch<'_>,
) -> Vec<Checked> {
    let family = Question { program, options };
    let mut known: Vec<Checked> = Vec::new();
    for criterion in Criterion::ALL.into_iter().filter(|one| criteria.contains(one)) {
        let checked = family.check(criterion, &mut known, watch);
        known.push(checked);
    }
    known.retain(|one| criteria.contains(&one.criterion));
    known
}

/// Whether what the query looks for can be reached under a model by any number of threads.
pub fn reach(
    program: &Program,
    query: &Query,
    model: Model,
    options: &Options,
    watch: &mut Watch<'_>,
) -> (Report, Option<Box<Instance>>) {
    Question { program, options }.reach(query, model, watch)
}

/// Whether assertions and what the program asks of its final states hold under TSO of any number of threads; if
/// not, an instance in which something goes wrong.
pub fn check_safety(
    program: &Program,
    options: &Options,
    watch: &mut Watch<'_>,
) -> (Verdict<SafetyViolation>, Statistics, Option<Box<Instance>>) {
    let goal = program.question().forbidden.clone();
    let query = Query { faults: true, question: true, goal, ..Query::default() };
    let ask = |instance: &Program, options: &Options, watch: &mut Watch<'_>| {
        tso_only::check_safety(instance, options, watch).expect("an instance is definite")
    };
    let prove = |options: &Options, watch: &mut Watch<'_>, remark: &mut Option<Remark>| {
        Question { program, options }.prove_reach(&query, Model::Tso, watch, remark)
    };
    let decided = decide(&Instances::of(program), options, watch, ask, prove);
    (decided.verdict, decided.statistics, decided.instance)
}

/// Whether a criterion holds of all instances, by coverability alone: nothing if it does, otherwise the
/// copies of an instance that violates it, which need not be a smallest one.
pub fn by_coverability(
    program: &Program,
    criterion: Criterion,
    options: &Options,
) -> Result<Option<u32>, Reason> {
    let family = Family::of(program, options);
    let nobody = &mut |_: &explore::Progress| ControlFlow::Continue(());
    match family.prove_criterion(criterion, nobody, &mut None) {
        Proved::Holds(_) => Ok(None),
        Proved::Coverable(size) => Ok(Some(size)),
        Proved::Unknown(reason) => Err(reason),
    }
}

/// What is asked of a program, and how.
struct Question<'a> {
    program: &'a Program,
    options: &'a Options,
}

impl Question<'_> {
    fn check(
        &self,
        criterion: Criterion,
        known: &mut Vec<Checked>,
        watch: &mut Watch<'_>,
    ) -> Checked {
        if criterion == Criterion::States {
            for stronger in [Criterion::Persistence, Criterion::Robustness] {
                if !known.iter().any(|one| one.criterion == stronger) {
                    let checked = self.check(stronger, known, watch);
                    known.push(checked);
                }
            }
        }
        let implied = known.iter().find_map(|one| match &one.verdict {
            Verdict::Holds(proof) if one.criterion.implies_in_the_end(criterion) => {
                Some(proof.clone().implies(one.criterion))
            }
            Verdict::Holds(_) | Verdict::Violated(_) | Verdict::Undecided(_) => None,
        });
        let (decided, methods) = match implied {
            Some(proof) => (Decided::of(Verdict::Holds(proof)), Vec::new()),
            None => (self.decide_criterion(criterion, watch), vec!["any_number"]),
        };
        let Decided { verdict, instance, statistics, remark } = decided;
        Checked { criterion, verdict, methods, remark, statistics, instance }
    }

    fn decide_criterion(&self, criterion: Criterion, watch: &mut Watch<'_>) -> Decided<Evidence> {
        if let Some(proof) = self.at_once(criterion) {
            return Decided::of(Verdict::Holds(proof));
        }
        let ask = |program: &Program, options: &Options, watch: &mut Watch<'_>| {
            let checked = portfolio::check(program, &[criterion], options, watch);
            let one = checked.expect("an instance is definite").swap_remove(0);
            (one.verdict, one.statistics)
        };
        let prove = |options: &Options, watch: &mut Watch<'_>, remark: &mut Option<Remark>| {
            Family::of(self.program, options).prove_criterion(criterion, watch, remark)
        };
        decide(&Instances::of(self.program), self.options, watch, ask, prove)
    }

    /// What is known without a search.
    fn at_once(&self, criterion: Criterion) -> Option<Proof> {
        let basis = match criterion {
            Criterion::Trf | Criterion::Robustness | Criterion::Persistence
                if !has_pivots(self.program) =>
            {
                Basis::ControlFlow
            }
            Criterion::Robustness if self.options.critical_cycles && !has_delays(self.program) => {
                Basis::NoCriticalCycle
            }
            Criterion::Drf
            | Criterion::Trf
            | Criterion::Robustness
            | Criterion::Persistence
            | Criterion::States => return None,
        };
        Whole::by_control_flow(self.program).map(|whole| Proof::new(basis, whole))
    }

    fn reach(
        &self,
        query: &Query,
        model: Model,
        watch: &mut Watch<'_>,
    ) -> (Report, Option<Box<Instance>>) {
        let ask = |program: &Program, options: &Options, watch: &mut Watch<'_>| {
            let report = match model {
                Model::Sc => reach_instance(program, query, options, watch),
                Model::Tso => reach_under(program, query, model, options, watch),
            };
            let report = report.expect("an instance is definite");
            (report.verdict, report.statistics)
        };
        let prove = |options: &Options, watch: &mut Watch<'_>, remark: &mut Option<Remark>| {
            Question { program: self.program, options }.prove_reach(query, model, watch, remark)
        };
        let mut instances = Instances::of(self.program);
        if let Some(goal) = &query.goal {
            let (named, _) = targets::looked_at(goal);
            instances =
                named.into_iter().fold(instances, |all, (id, copy)| all.with_copy(id, copy));
        }
        let decided: Decided<Execution> = decide(&instances, self.options, watch, ask, prove);
        let Decided { verdict, instance, statistics, .. } = decided;
        (Report { verdict, statistics }, instance)
    }

    /// Whether no instance reaches what a query looks for under a model. Under TSO that is asked of the program with
    /// its buffers ([`mod@running`]), and known where SC reaches the same plain states.
    fn prove_reach(
        &self,
        query: &Query,
        model: Model,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        let family = Family::of(self.program, self.options);
        match (model, family.prove_reach(query, Model::Sc, watch, remark)) {
            (Model::Sc, proved)
            | (Model::Tso, proved @ (Proved::Coverable(_) | Proved::Unknown(_))) => proved,
            (Model::Tso, Proved::Holds(_)) => {
                if has_pivots(self.program) {
                    match family.prove_reach(query, model, watch, remark) {
                        Proved::Unknown(_) => {}
                        known @ (Proved::Holds(_) | Proved::Coverable(_)) => return known,
                    }
                }
                // Deadlocks are others, then ([`crate::kept_locks`]).
                if query.deadlocks && lock_may_be_kept(self.program) {
                    return Proved::Unknown(Reason::OnlyUnderSc);
                }
                self.same_under_tso(watch)
            }
        }
    }

    /// What SC does not reach TSO does not, if it has the same plain states.
    fn same_under_tso(&self, watch: &mut Watch<'_>) -> Proved {
        let checked = check(self.program, &[Criterion::States], self.options, watch);
        match checked.into_iter().next().map(|one| one.verdict) {
            Some(Verdict::Holds(proof)) => Proved::Holds(proof),
            Some(Verdict::Violated(_) | Verdict::Undecided(_)) | None => {
                Proved::Unknown(Reason::OnlyUnderSc)
            }
        }
    }
}
