//! Trace robustness against TSO ("Checking and Enforcing Robustness against TSO", Bouajjani,
//! Derevenetc, Meyer; ESOP'13).
//!
//! A program is robust if every TSO computation has the trace of some SC computation. By Theorem 1 it
//! is exactly if no *attack* is feasible: no thread can delay a store past a load so that the load
//! happens before the store (Fig. 4, conditions W1 to W5). Whether one is feasible is a question of
//! SC reachability, because of the attacker's buffer only its own loads see anything, and because
//! happens-before after the load can be told from a mark for each thread and each cell (Lemma 3).
//!
//! # One search
//!
//! The paper asks one query for each attack. Here all attacks are one search ([`threads`]): the SC
//! computation before the attack is the same for all of them; where the attacker makes its last load
//! is left open until it does; and after that nothing of the attacker is left, so attacks that come to
//! the same state go on as one. [`per_attack`] asks attack by attack, as the paper does.
//!
//! # Beyond the paper
//!
//! Locked instructions and sections, exclusive accesses and faults: see [`threads`] and the header of
//! `instrument::chain`. The proof of Theorem 1 uses of an action only its thread and what it reads and
//! writes. The oracle, which compares sets of traces, agrees on all programs tried.
//!
//! # Short witnesses
//!
//! A violation with the fewest delays is told, and of these one with the fewest steps, as far as that
//! can be found out with a bounded effort: if a program is not robust, the number of delays is bounded
//! and lowered by bisection; then the search is repeated without reductions. A witness says whether
//! it has the fewest delays.

mod attack_filter;
mod attacker;
mod helper;
mod threads;
mod witness;

use std::ops::ControlFlow;

use automata::Answer;
use explore::Progress;
use instrument::{Attack, attacks, refuted_by_control_flow};
use program::{Parameterised, Program};
use web_time::Instant;

use crate::proof::{Basis, Proof};
use crate::reach::not_searched;
use crate::sc::{Look, Sc};
use crate::verdict::{Options, Reason, Reductions, Statistics, Verdict};
use crate::whole::{explored, whole};
pub(crate) use attack_filter::AttackFilter;
use threads::Name;
pub(crate) use threads::{Attacks, Cell, Content};

pub use witness::Witness;

/// The answer to the question whether a program is robust.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict<Box<Witness>>,
    /// What the searches did.
    pub statistics: Statistics,
}

/// How many states may be spent on each attempt to find a witness with fewer delays,
const FOR_FEWER_DELAYS: u64 = 1 << 21;
/// and on finding one with fewer steps.
const FOR_FEWER_STEPS: u64 = 1 << 18;

/// Whether a program is robust.
pub fn robustness(
    program: &Program,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Report, Parameterised> {
    let mut statistics = Statistics::default();
    program.threads()?;
    if let Some(reason) = not_searched(program) {
        return Ok(Report { verdict: Verdict::Undecided(reason), statistics });
    }
    let statistics_of = &mut statistics;
    let mut search = Searches { program, options, only: None, runs: 1, statistics: statistics_of };
    let verdict = match search.search(None, options, &mut watch)? {
        Found::Nothing(proof) => Verdict::Holds(proof),
        Found::Undecided(reason) => Verdict::Undecided(reason),
        Found::Attacks(runs) => Verdict::Violated(Box::new(search.shortest(&runs[0], &mut watch)?)),
    };
    Ok(Report { verdict, statistics })
}

/// Several violations, if there are any: up to `most` that the same search finds.
pub(crate) fn witnesses(
    program: &Program,
    (options, most): (&Options, usize),
    watch: &mut impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(Verdict<Vec<Witness>>, Statistics), Parameterised> {
    let mut statistics = Statistics::default();
    if let Some(reason) = not_searched(program) {
        return Ok((Verdict::Undecided(reason), statistics));
    }
    let mut search =
        Searches { program, options, only: None, runs: most, statistics: &mut statistics };
    let verdict = match search.search(None, options, watch)? {
        Found::Nothing(proof) => Verdict::Holds(proof),
        Found::Undecided(reason) => Verdict::Undecided(reason),
        Found::Attacks(runs) => {
            Verdict::Violated(runs.iter().map(|run| witness::witness(program, run)).collect())
        }
    };
    Ok((verdict, statistics))
}

/// Whether one attack is feasible.
pub fn is_feasible(
    program: &Program,
    attack: Attack,
    options: &Options,
) -> Result<Verdict<Box<Witness>>, Parameterised> {
    if let Some(reason) = not_searched(program) {
        return Ok(Verdict::Undecided(reason));
    }
    let statistics = &mut Statistics::default();
    let mut search = Searches { program, options, only: Some(attack), runs: 1, statistics };
    Ok(match search.search(None, options, &mut |_| ControlFlow::Continue(()))? {
        Found::Nothing(proof) => Verdict::Holds(proof),
        Found::Undecided(reason) => Verdict::Undecided(reason),
        Found::Attacks(runs) => Verdict::Violated(Box::new(witness::witness(program, &runs[0]))),
    })
}

/// A run of threads with attacks.
type Run = Vec<(usize, Name)>;

enum Found {
    /// There is no attack.
    Nothing(Proof),
    /// At least one.
    Attacks(Vec<Run>),
    Undecided(Reason),
}

/// The searches that one question takes.
struct Searches<'a, 'p> {
    program: &'p Program,
    options: &'a Options,
    only: Option<Attack>,
    /// How many attacks are wanted.
    runs: usize,
    statistics: &'a mut Statistics,
}

impl Searches<'_, '_> {
    fn search(
        &mut self,
        most_delays: Option<u32>,
        options: &Options,
        watch: &mut impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Found, Parameterised> {
        let started = Instant::now();
        let look = Look {
            forget_dead_registers: options.reductions.dead_registers,
            tell_copies_apart: self.only.is_some(),
            ..Look::at_nothing()
        };
        let sc = Sc::new(self.program, look)?;
        let attack_filter = AttackFilter::of(&sc, self.only);
        if !attack_filter.can_attack() {
            let (whole, did) = whole(self.program, options, watch)?;
            self.statistics.include(&did);
            let proof = whole.map(|whole| Proof::new(Basis::ControlFlow, whole));
            return Ok(proof.map_or_else(Found::Undecided, Found::Nothing));
        }
        let attacks = Attacks { sc, attack_filter, most_delays };
        let options =
            automata::Options { runs: self.runs, ..options.of_automata(options.reductions, false) };
        let (answer, did) = attacks.search(&options, watch);
        self.statistics.add(&did, started.elapsed(), self.options.searched_by(&did));
        Ok(match answer {
            Answer::Exhausted(noted) => {
                let stopped = noted.first();
                let stopped =
                    stopped.map(|(class, local)| attacks.sc.stopped_by(*class, &local.base));
                explored(stopped, self.options.searched_by(&did))
                    .map_or_else(Found::Undecided, Found::Nothing)
            }
            Answer::Found(found) => {
                Found::Attacks(found.into_iter().map(|run| run.steps).collect())
            }
            Answer::Stopped(limit) => Found::Undecided(Reason::Limit(limit)),
            Answer::TooWide { bits } => Found::Undecided(Reason::TooWide { bits }),
            Answer::Unsuitable { why } => Found::Undecided(self.options.unsuitable(why)),
        })
    }

    /// A witness with the fewest delays, and with the fewest steps as far as that can be found out
    /// with little effort.
    fn shortest(
        &mut self,
        steps: &[(usize, Name)],
        watch: &mut impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Witness, Parameterised> {
        let mut best = witness::witness(self.program, steps);
        let (mut least, mut most) = (1, number(best.delays));
        let mut bounded = *self.options;
        bounded.limits.states = Some(FOR_FEWER_DELAYS);
        while least < most {
            let middle = least + (most - least) / 2;
            match self.search(Some(middle), &bounded, watch)? {
                Found::Attacks(runs) => {
                    best = witness::witness(self.program, &runs[0]);
                    most = number(best.delays);
                }
                Found::Nothing(_) => least = middle + 1,
                // What was found is good enough.
                Found::Undecided(_) => break,
            }
        }
        best.has_fewest_delays = least >= most;
        let mut options = *self.options;
        options.reductions = Reductions { dead_registers: true, ..Reductions::NONE };
        options.limits.states = Some(FOR_FEWER_STEPS);
        match self.search(Some(number(best.delays)), &options, watch)? {
            Found::Attacks(runs) => {
                let mut other = witness::witness(self.program, &runs[0]);
                other.has_fewest_delays = best.has_fewest_delays;
                let length = |witness: &Witness| witness.execution.computation.steps.len();
                Ok(if length(&other) < length(&best) { other } else { best })
            }
            Found::Nothing(_) | Found::Undecided(_) => Ok(best),
        }
    }
}

fn number(delays: usize) -> u32 {
    u32::try_from(delays).unwrap_or(u32::MAX)
}

/// What became of all attacks when they were asked about one by one (the columns of Table 2 of the
/// paper).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttackTable {
    /// All attacks.
    pub attacks: usize,
    /// Those that control flow alone refutes (NR1).
    pub refuted_by_control_flow: usize,
    /// Those that a search refutes (NR2).
    pub refuted_by_search: usize,
    /// Those that are feasible (R).
    pub feasible: Vec<Attack>,
    /// Those about which nothing is known.
    pub undecided: usize,
    /// Why nothing is known of the first of them, or why there may be attacks that are not among all
    /// these: a bound of the translation that a thread may get to.
    pub reason: Option<Reason>,
    /// The instance that threads are numbered in, if there is any number of some.
    pub instance: Option<Box<Program>>,
}

/// Asks about all attacks one by one, with as many searches side by side as there are threads.
pub fn per_attack(program: &Program, options: &Options) -> Result<AttackTable, Parameterised> {
    let attacks = attacks(program)?;
    let mut table = AttackTable { attacks: attacks.len(), ..AttackTable::default() };
    let is_refuted = |attack: &Attack| refuted_by_control_flow(program, attack);
    let (refuted, rest): (Vec<Attack>, Vec<Attack>) = attacks.into_iter().partition(is_refuted);
    table.refuted_by_control_flow = refuted.len();
    let (whole, _) = whole(program, options, |_| ControlFlow::Continue(()))?;
    table.reason = whole.err();
    if let Some(reason) = not_searched(program) {
        table.undecided = rest.len();
        table.reason.get_or_insert(reason);
        return Ok(table);
    }
    let next = std::sync::atomic::AtomicUsize::new(0);
    let one = Options { threads: 1, ..*options };
    let work = || {
        let mut answers = Vec::new();
        loop {
            let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(attack) = rest.get(number) else { return answers };
            let mut statistics = Statistics::default();
            let only = Some(*attack);
            let statistics = &mut statistics;
            let mut search = Searches { program, options: &one, only, runs: 1, statistics };
            let found = search.search(None, &one, &mut |_| ControlFlow::Continue(()));
            answers.push((number, found.expect("the program is definite")));
        }
    };
    let mut answers: Vec<(usize, Found)> = match options.threads {
        // Some systems have no threads to start.
        0 | 1 => work(),
        threads => std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("no search fails")).collect()
        }),
    };
    answers.sort_by_key(|(number, _)| *number);
    for (number, found) in answers {
        match found {
            Found::Nothing(_) => table.refuted_by_search += 1,
            Found::Attacks(runs) => {
                // Nothing is called feasible without a witness.
                drop(witness::witness(program, &runs[0]));
                table.feasible.push(rest[number]);
            }
            Found::Undecided(reason) => {
                table.undecided += 1;
                table.reason.get_or_insert(reason);
            }
        }
    }
    Ok(table)
}
