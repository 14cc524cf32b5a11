//! Persistence by observation abstraction (ESOP'15, §10).
//!
//! [`Flattening`] makes for each thread p a program that keeps p and simplifies the others, and
//! proves: if none has the pattern of [`crate::overtaking`] with p as its pivot, the program is
//! persistent. The paper asks whether the abstract programs are persistent, with any pivot; other
//! pivots than p would say nothing about the program and are not looked for. First p is looked at by
//! itself ([`alone`]), whatever the others do: if no load can follow a store before something empties
//! the buffer, or none that clashes, p is no pivot and nothing is searched.
//!
//! If an abstract program has the pattern, nothing is known: what the others do there may not be
//! possible. Then the program itself is explored, as far as a bound on states allows; only what is
//! found there is presented as a violation. If the bound is too low the answer is *undecided*
//! ([`Reason::OnlyAbstract`]).

mod alone;

use std::ops::ControlFlow;

use explore::Progress;
use instrument::{Flattened, Flattening};
use program::{EdgeId, Parameterised, Program, ThreadId};

use crate::criterion::Criterion;
use crate::evidence::Evidence;
use crate::execution::BUG;
use crate::overtaking::{Clash, pattern};
use crate::patterns::{Searched, can_pivot, search};
use crate::portfolio::check;
use crate::proof::Basis;
use crate::reach::not_searched;
use crate::sc::{Look, Name, Sc};
use crate::verdict::{Options, Reason, Statistics, Verdict, Watch};
use crate::whole::whole;

/// For how many accesses the other threads are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// So many. (The paper measures with 2.)
    Fixed(usize),
    /// None at first, then one more in each round; before each round the program itself is tried,
    /// with a bound that grows.
    Raised {
        /// The greatest depth.
        most: usize,
    },
}

impl Depth {
    /// What is tried if nothing else is said.
    pub const USUAL: Self = Self::Raised { most: 8 };

    /// All depths that are tried.
    pub fn all(self) -> Vec<usize> {
        match self {
            Self::Fixed(depth) => vec![depth],
            Self::Raised { most } => (0..=most).collect(),
        }
    }
}

/// What was found out about one thread as a pivot.
#[derive(Clone, Debug)]
pub struct Pivot {
    /// The thread.
    pub thread: ThreadId,
    /// Its name.
    pub name: String,
    /// How many threads it stands for: copies that nothing tells apart.
    pub stands_for: usize,
    /// For how many accesses the others were exact in the last search; nothing if there was none,
    /// since the thread by itself was enough.
    pub depth: Option<usize>,
    /// Why it may be one; nothing if it cannot.
    pub doubt: Option<Reason>,
    /// What the searches did.
    pub statistics: Statistics,
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// Abstract programs.
    Abstraction {
        /// The greatest depth that was needed; nothing if each thread by itself was enough.
        depth: Option<usize>,
    },
    /// The program itself.
    Program,
    /// Nobody.
    Nobody,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict on persistence.
    pub verdict: Verdict<Evidence>,
    /// Who decided.
    pub decided_by: DecidedBy,
    /// Each kind of thread.
    pub pivots: Vec<Pivot>,
    /// What all searches did.
    pub statistics: Statistics,
}

/// How many states of the program are explored if the depth is fixed and the abstraction is not
/// enough, and at most before the last round if it is raised.
const MOST_STATES: u64 = 1 << 20;
/// How many are before the first round, and how much more before each further one.
const FIRST_STATES: u64 = 1 << 10;
const GROWTH: u64 = 16;

/// Decides persistence by abstraction, and by exploring the program as far as it is cheap.
pub fn persistence_by_abstraction(
    program: &Program,
    depth: Depth,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Report, Parameterised> {
    let flattening = Flattening::new(program)?;
    let mut asked = Asked {
        program,
        flattening,
        options,
        pivots: pivots(program)?,
        statistics: Statistics::default(),
    };
    if let Some(at) = program.access_across() {
        let reason = Reason::AccessAcross { at };
        return Ok(asked.report(Verdict::Undecided(reason), DecidedBy::Nobody));
    }
    asked.each_alone()?;
    if let Some(report) = asked.excluded(&mut watch)? {
        return Ok(report);
    }
    match depth {
        Depth::Fixed(depth) => {
            if let Some(report) = asked.round(depth, &mut watch)? {
                return Ok(report);
            }
            if let Some(report) = asked.concrete(MOST_STATES, &mut watch)? {
                return Ok(report);
            }
        }
        Depth::Raised { most } => {
            let mut bound = FIRST_STATES;
            for depth in 0..=most {
                if let Some(report) = asked.concrete(bound, &mut watch)? {
                    return Ok(report);
                }
                if let Some(report) = asked.round(depth, &mut watch)? {
                    return Ok(report);
                }
                bound = bound.saturating_mul(GROWTH).min(MOST_STATES);
            }
            if let Some(report) = asked.concrete(MOST_STATES, &mut watch)? {
                return Ok(report);
            }
        }
    }
    let doubt = asked.pivots.iter().find_map(|pivot| pivot.doubt.clone());
    let doubt = doubt.expect("without a doubt it is decided");
    Ok(asked.report(Verdict::Undecided(doubt), DecidedBy::Nobody))
}

/// Whether flattened programs show that a program is persistent, without any look at threads by
/// themselves or at the program: what depends on the depth, to be compared and measured.
pub fn is_shown_by_flattening(
    program: &Program,
    depth: usize,
    options: &Options,
) -> Result<bool, Parameterised> {
    if program.access_across().is_some() {
        return Ok(false);
    }
    let flattening = Flattening::new(program)?;
    for pivot in pivots(program)? {
        let Ok(flattened) = flattening.around(pivot.thread, depth) else { return Ok(false) };
        let mut watch = |_: &Progress| ControlFlow::Continue(());
        let (runs, _) = runs_to_pattern(&flattened, (options, 1), &mut watch)?;
        if !runs.is_ok_and(|runs| runs.is_empty()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A run of a flattened program: who takes which step.
type Run = Vec<(usize, Name)>;

/// What a thread executes from a store to a load that overtakes it.
pub type Walk = (ThreadId, Vec<EdgeId>);

/// Walks of threads that may be pivots, as far as abstract programs tell: each from a store to a load
/// that overtakes it. The last of the depths is the one that counts; the others may save it.
pub fn walks_of_pivots(
    program: &Program,
    depths: &[usize],
    (options, most): (&Options, usize),
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(Verdict<Vec<Walk>>, Statistics), Parameterised> {
    if let Some(at) = program.access_across() {
        let reason = Reason::AccessAcross { at };
        return Ok((Verdict::Undecided(reason), Statistics::default()));
    }
    let flattening = Flattening::new(program)?;
    let sc = Sc::new(program, Look::at_nothing())?;
    let mut statistics = Statistics::default();
    let mut walks = Vec::new();
    let mut deepest = None;
    for pivot in pivots(program)? {
        if alone::is_no_pivot(&sc, &flattening, pivot.thread) {
            continue;
        }
        let mut found = Vec::new();
        for depth in depths {
            let flattened = match flattening.around(pivot.thread, *depth) {
                Ok(flattened) => flattened,
                Err(unknown) => {
                    return Ok((Verdict::Undecided(Reason::NoFiniteRange(unknown)), statistics));
                }
            };
            deepest = deepest.max(Some(*depth));
            let (runs, did) = runs_to_pattern(&flattened, (options, most), &mut watch)?;
            statistics.include(&did);
            found = match runs {
                Err(reason) => return Ok((Verdict::Undecided(reason), statistics)),
                Ok(runs) => walks_in(&flattened, &runs)?,
            };
            if found.is_empty() {
                break;
            }
        }
        walks.extend(found.into_iter().map(|walk| (pivot.thread, walk)));
    }
    if !walks.is_empty() {
        return Ok((Verdict::Violated(walks), statistics));
    }
    let (whole, did) = whole(program, options, &mut watch)?;
    statistics.include(&did);
    Ok((Verdict::of_whole(Basis::Abstraction { depth: deepest }, whole), statistics))
}

/// What the pivot does at the ends of runs of a flattened program. Its edges are those of the thread.
fn walks_in(
    Flattened { program, pivot }: &Flattened,
    runs: &[Run],
) -> Result<Vec<Vec<EdgeId>>, Parameterised> {
    let sc = Sc::new(program, Look::at_nothing())?;
    let walk = |run: &Run| {
        let state = sc.after(run)?;
        let only = |thread, local: &_| thread == *pivot && can_pivot(&sc, thread, local);
        let found = pattern(&sc, &state, Clash::OtherValue, only)?;
        Some(found.walk.iter().map(|(edge, _)| *edge).collect())
    };
    let walk = |run| walk(run).unwrap_or_else(|| panic!("a walk is not where it was found; {BUG}"));
    Ok(runs.iter().map(walk).collect())
}

/// One thread of each kind.
fn pivots(program: &Program) -> Result<Vec<Pivot>, Parameterised> {
    let threads = program.threads()?;
    let mut pivots: Vec<Pivot> = Vec::new();
    for (id, thread) in threads.enumerate() {
        let template = program.template(thread.template);
        let knows_itself = template.identity().is_some_and(|identity| {
            let mut read = template.edges().iter().flat_map(|edge| edge.instruction.expressions());
            read.any(|expr| expr.registers().contains(&identity.register))
        });
        let like =
            |pivot: &&mut Pivot| threads[pivot.thread].template == thread.template && !knows_itself;
        match pivots.iter_mut().find(like) {
            Some(pivot) => pivot.stands_for += 1,
            None => pivots.push(Pivot {
                thread: id,
                name: thread.name.clone(),
                stands_for: 1,
                depth: None,
                doubt: Some(Reason::OnlyAbstract { thread: thread.name.clone(), depth: 0 }),
                statistics: Statistics::default(),
            }),
        }
    }
    Ok(pivots)
}

struct Asked<'a> {
    program: &'a Program,
    flattening: Flattening<'a>,
    options: &'a Options,
    pivots: Vec<Pivot>,
    statistics: Statistics,
}

impl Asked<'_> {
    fn report(&self, verdict: Verdict<Evidence>, decided_by: DecidedBy) -> Report {
        Report { verdict, decided_by, pivots: self.pivots.clone(), statistics: self.statistics }
    }

    /// Asks about each thread by itself.
    fn each_alone(&mut self) -> Result<(), Parameterised> {
        let sc = Sc::new(self.program, Look::at_nothing())?;
        for pivot in &mut self.pivots {
            if alone::is_no_pivot(&sc, &self.flattening, pivot.thread) {
                pivot.doubt = None;
            }
        }
        Ok(())
    }

    /// Asks about all threads that are still in doubt; a report if none is any more.
    fn round(
        &mut self,
        depth: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Report>, Parameterised> {
        for pivot in self.pivots.iter_mut().filter(|pivot| pivot.doubt.is_some()) {
            pivot.depth = Some(depth);
            pivot.doubt = match self.flattening.around(pivot.thread, depth) {
                Err(unknown) => Some(Reason::NoFiniteRange(unknown)),
                Ok(flattened) => {
                    let (runs, did) = runs_to_pattern(&flattened, (self.options, 1), watch)?;
                    pivot.statistics.include(&did);
                    self.statistics.include(&did);
                    match runs {
                        Ok(runs) if runs.is_empty() => None,
                        Ok(_) => Some(Reason::OnlyAbstract { thread: pivot.name.clone(), depth }),
                        Err(reason) => Some(reason),
                    }
                }
            };
        }
        self.excluded(watch)
    }

    /// That it holds, if no thread is in doubt and the program is all of what was written: an
    /// abstract program does not tell who gets to a bound.
    fn excluded(&mut self, watch: &mut Watch<'_>) -> Result<Option<Report>, Parameterised> {
        if self.pivots.iter().any(|pivot| pivot.doubt.is_some()) {
            return Ok(None);
        }
        let depth = self.pivots.iter().filter_map(|pivot| pivot.depth).max();
        let (whole, did) = whole(self.program, self.options, watch)?;
        self.statistics.include(&did);
        let decided_by =
            if whole.is_ok() { DecidedBy::Abstraction { depth } } else { DecidedBy::Nobody };
        let verdict = Verdict::of_whole(Basis::Abstraction { depth }, whole);
        Ok(Some(self.report(verdict, decided_by)))
    }

    /// Tries the program itself; a report if so many states are enough.
    fn concrete(
        &mut self,
        states: u64,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Report>, Parameterised> {
        let mut options = *self.options;
        options.limits.states = Some(options.limits.states.map_or(states, |most| most.min(states)));
        let answers = check(self.program, &[Criterion::Persistence], &options, watch)?;
        let mut decided = None;
        for answer in answers {
            self.statistics.include(&answer.statistics);
            match answer.verdict {
                Verdict::Undecided(_) => {}
                verdict @ (Verdict::Holds(_) | Verdict::Violated(_)) => {
                    decided = Some(self.report(verdict, DecidedBy::Program));
                }
            }
        }
        Ok(decided)
    }
}

/// Runs of a flattened program to the pattern with the thread that it is exact for. If there are none,
/// that says nothing about bounds of the program that was flattened.
fn runs_to_pattern(
    flattened: &Flattened,
    (options, most): (&Options, usize),
    mut watch: &mut Watch<'_>,
) -> Result<(Result<Vec<Run>, Reason>, Statistics), Parameterised> {
    let Flattened { program, pivot } = flattened;
    if program.threads()?.len() == 1 {
        return Ok((Ok(Vec::new()), Statistics::default()));
    }
    if let Some(reason) = not_searched(program) {
        return Ok((Err(reason), Statistics::default()));
    }
    let (searched, did) = search(program, (options, most), &mut watch, |sc, view| {
        let only = |thread, local: &_| thread == *pivot && can_pivot(sc, thread, local);
        pattern(sc, view, Clash::OtherValue, only).is_some()
    })?;
    let runs = match searched {
        Searched::Exhausted(_) => Ok(Vec::new()),
        Searched::Found(runs) => Ok(runs),
        Searched::Undecided(reason) => Err(reason),
    };
    Ok((runs, did))
}
