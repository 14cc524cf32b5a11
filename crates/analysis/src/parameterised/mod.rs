//! Answers for any number of threads (ESOP'13, §6 and Appendix D).
//!
//! A template with [`Count::Any`] stands for any number of copies, so the program stands for a family of
//! *instances*. A criterion holds if it holds of all of them.
//!
//! - *That it holds* is a question of coverability. What a violation is has been made a question of SC
//!   reachability already, by threads that share cells: attacks ([`mod@crate::robustness`]), with one search
//!   for all of them; races and overtaking ([`mod@watched`]); faults ([`crate::sc`]). In these
//!   threads, which copy does something is nowhere said, so copies are counted ([`mod@net`]). The paper's
//!   flag, with which one copy of the attacker becomes *the* attacker and its other copies help, is the
//!   cell that says whether somebody delays stores: every thread is instrumented as attacker and as helper.
//! - *That it does not* is shown by an instance: its run is found by the exact search for that instance,
//!   and replayed like every other. Instances are tried in the order of how many copies they have, so the
//!   first is a smallest, unless a limit kept a smaller one from being decided, which is said.
//!   A violation stays one with more copies, as those need not take a step.
//!
//! Templates with any number of copies have no identities, by construction of the model: what a copy is
//! called cannot be asked. Exclusive accesses are refused, since a reservation belongs to a thread.
//! Final states and deadlocks are about *all* threads having ended or waiting, which is no question of
//! coverability: small instances are searched, and otherwise nothing is known.
//!
//! Values must be finitely many, as far as pairs of local states and contents tell; a counter without end
//! ends in *undecided*, with its name. What control flow or critical cycles show they show for any number.

mod net;
mod watched;

use std::fmt;
use std::ops::ControlFlow;
use std::time::Instant;

use automata::Threads;
use coverability::{Answer, Direction, cover};
use explore::{Limits, Lookout, Progress};
use program::index::Idx;
use program::{Count, Instruction, Program, Span, Template, TemplateId, Value};
use semantics::Model;

use crate::criterion::Criterion;
use crate::evidence::Evidence;
use crate::execution::{BUG, Execution};
use crate::overtaking::Clash;
use crate::portfolio::{self, Checked, Remark, has_delays, has_pivots};
use crate::proof::{Basis, Proof};
use crate::reach::{Query, Report, not_searched, reach as reach_instance};
use crate::robustness::Attacks;
use crate::sc::{self, Look, Sc};
use crate::under_tso::reach_under;
use crate::verdict::{Options, Reason, Statistics, Verdict, Watch};
use crate::whole::Whole;
use net::{NoNet, Threaded};
use watched::{Looked, Watched};

/// Instances with at most so many copies are searched before anything is proved,
const BEFORE: u32 = 3;
/// each up to so many states;
const STATES_BEFORE: u64 = 1 << 17;
/// and with so many if nothing can be proved, for which a quarter of the time is left.
const AFTER: u32 = 4;

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
    /// A goal may be about what is not there.
    Goals,
    /// Whether there are new final states.
    States,
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
            Self::FinalStates => write!(f, "final states are not known of any number of threads"),
            Self::Deadlocks => write!(f, "deadlocks are not known of any number of threads"),
            Self::Goals => write!(f, "goals are not asked of any number of threads"),
            Self::States => write!(
                f,
                "neither robustness nor persistence is known to hold of any number of threads, and \
                 small instances have no new final states"
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
    let family = Family { program, options };
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
    Family { program, options }.reach(query, model, watch)
}

/// Whether a criterion holds of all instances, by coverability alone: nothing if it does, otherwise the
/// copies of an instance that violates it, which need not be a smallest one.
pub fn by_coverability(
    program: &Program,
    criterion: Criterion,
    options: &Options,
) -> Result<Option<u32>, Reason> {
    let family = Family { program, options };
    match family.prove_criterion(criterion, &mut |_| ControlFlow::Continue(()), &mut None) {
        Proved::Holds(_) => Ok(None),
        Proved::Coverable(size) => Ok(Some(size)),
        Proved::Unknown(reason) => Err(reason),
    }
}

/// What was found out about all instances.
enum Proved {
    Holds(Proof),
    /// An instance with so many copies shows the contrary.
    Coverable(u32),
    Unknown(Reason),
}

/// What came out.
struct Decided<E> {
    verdict: Verdict<E>,
    instance: Option<Box<Instance>>,
    statistics: Statistics,
    remark: Option<Remark>,
}

struct Family<'a> {
    program: &'a Program,
    options: &'a Options,
}

impl Family<'_> {
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
        self.decide(watch, ask, |watch, remark| self.prove_criterion(criterion, watch, remark))
    }

    fn prove_criterion(
        &self,
        criterion: Criterion,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        match criterion {
            Criterion::Robustness => self.prove_robustness(watch, remark),
            Criterion::Drf => self.prove_pattern(Looked::Race, watch, remark),
            Criterion::Trf => {
                self.prove_pattern(Looked::Overtaking(Clash::SameCell), watch, remark)
            }
            Criterion::Persistence => {
                self.prove_pattern(Looked::Overtaking(Clash::OtherValue), watch, remark)
            }
            Criterion::States => Proved::Unknown(Reason::AnyNumber(Unknown::States)),
        }
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
        let decided: Decided<Execution> = self.decide(watch, ask, |watch, remark| {
            let proved = self.prove_no_fault(query, watch, remark);
            match (model, proved) {
                (Model::Tso, Proved::Holds(_)) => self.same_under_tso(watch),
                (_, proved) => proved,
            }
        });
        let Decided { verdict, instance, statistics, .. } = decided;
        (Report { verdict, statistics }, instance)
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

    /// Decides a question: by small instances, by a proof for all, by the instance that it is not possible
    /// for.
    fn decide<E>(
        &self,
        watch: &mut Watch<'_>,
        mut ask: impl FnMut(&Program, &Options, &mut Watch<'_>) -> (Verdict<E>, Statistics),
        prove: impl FnOnce(&mut Watch<'_>, &mut Option<Remark>) -> Proved,
    ) -> Decided<E> {
        let started = Instant::now();
        let mut decided = Decided::of(Verdict::Undecided(Reason::NoMethod));
        let most = self.options.limits.states.map_or(STATES_BEFORE, |most| most.min(STATES_BEFORE));
        let limits = Limits { states: Some(most), ..self.options.limits };
        let bounded = Options { limits, ..*self.options };
        let mut smaller = Ok(());
        self.try_sizes(0..=BEFORE, &bounded, watch, &mut ask, &mut smaller, &mut decided);
        if decided.instance.is_none() {
            match prove(watch, &mut decided.remark) {
                Proved::Holds(proof) => decided.verdict = Verdict::Holds(proof),
                Proved::Coverable(size) => {
                    let from = if smaller.is_ok() { BEFORE + 1 } else { 0 };
                    smaller = Ok(());
                    let options = self.options;
                    self.try_sizes(
                        from..=size,
                        options,
                        watch,
                        &mut ask,
                        &mut smaller,
                        &mut decided,
                    );
                    if decided.instance.is_none() {
                        let Err(reason) = smaller else {
                            panic!("what is coverable is in no instance; {BUG}")
                        };
                        decided.verdict = Verdict::Undecided(reason);
                    }
                }
                Proved::Unknown(reason) => {
                    decided.verdict = Verdict::Undecided(reason);
                    let sizes = BEFORE + 1..=AFTER;
                    self.try_sizes(sizes, &bounded, watch, &mut ask, &mut smaller, &mut decided);
                }
            }
        }
        decided.statistics.elapsed = started.elapsed();
        decided
    }

    /// Searches the instances of these sizes, until one shows the contrary; `smaller` says why something
    /// is not known of one before.
    fn try_sizes<E>(
        &self,
        sizes: std::ops::RangeInclusive<u32>,
        options: &Options,
        watch: &mut Watch<'_>,
        ask: &mut impl FnMut(&Program, &Options, &mut Watch<'_>) -> (Verdict<E>, Statistics),
        smaller: &mut Result<(), Reason>,
        decided: &mut Decided<E>,
    ) {
        for size in sizes {
            let is_smallest = smaller.is_ok();
            for counts in self.distributions(size) {
                let instance = self.instance(&counts);
                let (verdict, statistics) = ask(&instance, options, watch);
                decided.statistics.include(&statistics);
                match verdict {
                    Verdict::Violated(evidence) => {
                        let named = |(id, count): &(TemplateId, u32)| {
                            (self.program.template(*id).name().to_owned(), *count)
                        };
                        let counts = counts.iter().map(named).collect();
                        decided.verdict = Verdict::Violated(evidence);
                        decided.instance =
                            Some(Box::new(Instance { program: instance, counts, is_smallest }));
                        return;
                    }
                    Verdict::Undecided(reason) => *smaller = Err(reason),
                    Verdict::Holds(_) => {}
                }
            }
        }
    }

    fn any(&self) -> Vec<TemplateId> {
        let all = self.program.templates().enumerate();
        all.filter(|(_, one)| one.count() == Count::Any).map(|(id, _)| id).collect()
    }

    /// All ways to have so many copies.
    fn distributions(&self, size: u32) -> Vec<Vec<(TemplateId, u32)>> {
        let mut all: Vec<(Vec<(TemplateId, u32)>, u32)> = vec![(Vec::new(), size)];
        for template in self.any() {
            let longer = |(counts, left): &(Vec<(TemplateId, u32)>, u32)| {
                let with = |count| ([&counts[..], &[(template, count)]].concat(), left - count);
                (0..=*left).map(with).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.into_iter().filter(|(_, left)| *left == 0).map(|(counts, _)| counts).collect()
    }

    fn instance(&self, counts: &[(TemplateId, u32)]) -> Program {
        let with = |program: Program, (template, count): &(TemplateId, u32)| {
            program.with_count(*template, *count)
        };
        counts.iter().fold(self.program.clone(), with)
    }

    /// An instance in which every thread has another of its kind beside it: what a copy can do, and what
    /// others can do to it, is the same as in all greater ones.
    fn representative(&self) -> Program {
        let counts: Vec<(TemplateId, u32)> = self.any().into_iter().map(|id| (id, 2)).collect();
        self.instance(&counts)
    }

    /// Why nothing can be proved.
    fn refused(&self) -> Option<Reason> {
        let mut edges = self.program.templates().iter().flat_map(Template::edges);
        let exclusive = edges.find(|edge| {
            let access = edge.instruction.memory_access();
            access.is_some_and(|(_, access)| access.exclusive)
        });
        let refused = exclusive.map(|edge| Unknown::Exclusives { at: edge.span });
        not_searched(self.program).or(refused.map(Reason::AnyNumber))
    }

    fn prove_robustness(&self, watch: &mut Watch<'_>, remark: &mut Option<Remark>) -> Proved {
        if let Some(reason) = self.refused() {
            return Proved::Unknown(reason);
        }
        let program = self.representative();
        let attacks = Attacks::of(Sc::new(&program, self.look(false)).expect("it is definite"));
        let cell = |cell| self.cell_name(Attacks::name_of(cell));
        let base = |class, local: &_| attacks.stopped_by(class, local);
        self.prove(&attacks, cell, base, watch, remark)
    }

    fn prove_pattern(
        &self,
        looked: Looked,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        if let Some(reason) = self.refused() {
            return Proved::Unknown(reason);
        }
        let program = self.representative();
        let sc = Sc::new(&program, self.look(false)).expect("it is definite");
        let watched = Watched { sc, looked };
        let cell = |cell| match cell {
            watched::Cell::Sc(cell) => self.cell_name(address_of(cell)),
            watched::Cell::Stage => self.cell_name(None),
        };
        let base = |class, local: &watched::Local| watched.sc.stopped_by(class, &local.base);
        self.prove(&watched, cell, base, watch, remark)
    }

    fn prove_no_fault(
        &self,
        query: &Query,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        let unknown = [
            (query.goal.is_some(), Unknown::Goals),
            (query.question, Unknown::FinalStates),
            (query.deadlocks && self.can_wait(), Unknown::Deadlocks),
        ];
        let unknown = unknown.into_iter().find(|(is_asked, _)| *is_asked);
        let unknown = unknown.map(|(_, unknown)| Reason::AnyNumber(unknown));
        if let Some(reason) = unknown.or_else(|| self.refused()) {
            return Proved::Unknown(reason);
        }
        let program = self.representative();
        let sc = Sc::new(&program, self.look(query.faults)).expect("it is definite");
        let cell = |cell| self.cell_name(address_of(cell));
        let base = |class, local: &sc::Local| sc.stopped_by(class, local);
        self.prove(&sc, cell, base, watch, remark)
    }

    /// Whether a thread can wait for ever.
    fn can_wait(&self) -> bool {
        self.program.templates().iter().any(|template| {
            template.labels().iter().any(|label| label.waiting)
                || template.edges().iter().any(|edge| edge.instruction == Instruction::Lock)
        })
    }

    fn look<'p>(&self, faults: bool) -> Look<'p> {
        let forget_dead_registers = self.options.reductions.dead_registers;
        Look { faults, forget_dead_registers, ..Look::at_nothing() }
    }

    fn cell_name(&self, address: Option<Value>) -> String {
        address.map_or_else(
            || "the memory lock".to_owned(),
            |address| self.program.memory().cell_name(address),
        )
    }

    /// What may be spent on a proof from now on.
    fn limits_of_proof(&self, now: Instant) -> Limits {
        let limits = self.options.limits;
        let deadline = limits.deadline.map(|end| {
            let left = end.saturating_duration_since(now);
            now + left / 4 * 3
        });
        Limits { deadline, ..limits }
    }

    /// Whether no instance of some threads gets to a goal, and none to a bound.
    fn prove<T: Threads>(
        &self,
        threads: &T,
        cell_name: impl Fn(T::Cell) -> String,
        stopped_by: impl Fn(usize, &T::Local) -> Reason,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        let started = Instant::now();
        let limits = &self.limits_of_proof(started);
        let is_any = |class| {
            let template = self.program.template(TemplateId::new(class));
            template.count() == Count::Any
        };
        let threaded = match Threaded::of(threads, is_any, &mut Lookout::new(limits)) {
            Ok(threaded) => threaded,
            Err(NoNet::Limit(limit)) => return Proved::Unknown(Reason::Limit(limit)),
            Err(NoNet::Contents(cell)) => {
                let cell = cell_name(cell);
                return Proved::Unknown(Reason::AnyNumber(Unknown::Values { cell }));
            }
            Err(NoNet::Locals(class)) => {
                let thread = self.program.template(TemplateId::new(class)).name().to_owned();
                return Proved::Unknown(Reason::AnyNumber(Unknown::Locals { thread }));
            }
        };
        let mut tell = |did: &coverability::Statistics| -> ControlFlow<()> {
            watch(&Progress {
                tracing: false,
                states: did.tested,
                depth: 0,
                frontier: u64::try_from(did.minimal).unwrap_or(u64::MAX),
                bytes: 0,
                elapsed: started.elapsed(),
            })
        };
        let (answer, did) = cover(&threaded.net, Direction::Backward, limits, &mut tell);
        *remark = Some(Remark::AnyNumber {
            places: threaded.net.places.len(),
            transitions: threaded.net.transitions.len(),
            markings: did.minimal,
        });
        match answer {
            Answer::Coverable(run) => {
                let size = run.size(&threaded.net);
                return Proved::Coverable(u32::try_from(size).unwrap_or(u32::MAX));
            }
            Answer::Stopped(limit) => return Proved::Unknown(Reason::Limit(limit)),
            Answer::NotCoverable => {}
        }
        let (noted, about_bounds) = threaded.noted();
        let stopped = match cover(&about_bounds, Direction::Backward, limits, &mut tell).0 {
            Answer::NotCoverable => None,
            Answer::Coverable(run) => {
                noted.get(run.target).map(|(class, local)| stopped_by(*class, local))
            }
            Answer::Stopped(limit) => Some(Reason::Limit(limit)),
        };
        match Whole::by_exploration(stopped) {
            Ok(whole) => Proved::Holds(Proof::new(Basis::AnyNumber, whole)),
            Err(reason) => Proved::Unknown(reason),
        }
    }
}

impl<E> Decided<E> {
    fn of(verdict: Verdict<E>) -> Self {
        Self { verdict, instance: None, statistics: Statistics::default(), remark: None }
    }
}

const fn address_of(cell: sc::Cell) -> Option<Value> {
    match cell {
        sc::Cell::Memory(address) => Some(address),
        sc::Cell::Lock => None,
    }
}
