//! Implicit hitting sets: the cheapest decisions that eliminate all violations.
//!
//! # Why it is right
//!
//! Let P be the program, D the decisions, and P + F the program with the decisions F ⊆ D made. Every
//! decision only makes a thread wait for an empty buffer somewhere, and changes nothing under SC. A
//! TSO run of P is one of P + F exactly if no thread passes a decision of F with a non-empty buffer
//! ([`crate::delayed`]); and every run of P + F is one of P. Let row(v) be the decisions that a
//! violating run v of P passes like that. A criterion is violated in P + F exactly if there is a
//! violating run v of P + F (the checker finds one if there is any), and v is then a violating run of P
//! with row(v) ∩ F = ∅. (For criteria that compare runs, v violates in P + F exactly if it does in P,
//! since the SC runs of both are the same but for steps that touch nothing.)
//!
//! So **F is valid exactly if it hits row(v) for every violating run v of P.** The loop keeps some of
//! these rows, takes a cheapest set F that hits them, and asks the checker about P + F:
//!
//! - *Validity.* It ends with an F that the checker says *holds* of.
//! - *Minimal cost.* That F is a cheapest set that hits some of the rows; any valid set hits all of
//!   them, so none is cheaper.
//! - *Irreducibility.* Costs are positive, so a subset that is valid would be cheaper.
//! - *Termination.* A violation of P + F has a row that F does not hit, so it is new; there are finitely
//!   many rows. An empty row is a violation that nothing eliminates: the program cannot be repaired
//!   with these decisions.
//!
//! Of sets that cost the same the solver takes the one that people prefer: it minimises costs and
//! preferences at once, scaled so that costs come first. That set is checked like any other.
//!
//! Only the last question takes an exhaustive search; those before it end where violations are found,
//! and each gives as many rows as there are violations near each other.

use std::collections::BTreeMap;

use analysis::{Evidence, Limit, Proof, Reason, Statistics, Verdict};
use program::index::Idx;
use program::{EdgeId, LabelId, Parameterised, Program, TemplateId};
use web_time::Instant;

use crate::decision::Decision;
use crate::delayed::BufferedSpan;
use crate::preference::{SCALE, WORST};
use program::change::{Change, Changed, apply};
use solver::{OutOfTime, Set, cheapest_hitting_set_by};

/// A violation of whatever is to be enforced.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What its run executes with non-empty buffers.
    pub buffered_spans: Vec<BufferedSpan>,
    /// The instance that the run is of, if the program has any number of threads.
    pub instance: Option<Program>,
    /// The run, unless only an abstraction knows of it.
    pub evidence: Option<Evidence>,
}

/// Somebody who knows violations of a program.
pub trait Checker {
    /// Some violations of a program, at least one if there is any.
    fn violations(
        &mut self,
        program: &Program,
    ) -> Result<(Verdict<Vec<Violation>>, Statistics), Parameterised>;

    /// When time is up, for the solver too.
    fn deadline(&self) -> Option<Instant>;
}

/// What is to be repaired, and how it can be.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The program.
    pub program: &'a Program,
    /// What can be decided.
    pub decisions: &'a [Decision],
    /// What each decision costs: at least 1, at most [`solver::MAX_COST`].
    pub costs: &'a [u64],
    /// Which decisions people prefer among sets that cost the same ([`crate::preference`]): less is better.
    /// None if it does not matter.
    pub preferences: &'a [u64],
}

/// A violation, and the decisions that eliminate it.
#[derive(Clone, Debug)]
pub struct Row {
    /// Decisions of which one must be made.
    pub decisions: Set,
    /// A program with other decisions made that has the violation, and the violation.
    pub shown_by: Option<(Program, Evidence)>,
}

/// What came out.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The criterion holds after some decisions.
    Repaired {
        /// Sets of decisions of least cost, each increasing: the one that people prefer, or all, by preference
        /// and then in lexicographic order. Nothing needs to be done if it is one empty set.
        sets: Vec<Vec<usize>>,
        /// How it is known that the criterion holds then.
        proof: Proof,
    },
    /// This violation is eliminated by no decision.
    Unrepairable(Box<Row>),
    /// Nothing is known of the cheapest set that eliminates all violations found; or that set is not known itself.
    Undecided {
        /// Why.
        reason: Reason,
        /// A cheapest set that eliminates the violations it was computed for: whatever works costs no less.
        candidate: Vec<usize>,
    },
}

/// An outcome and the way to it.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The outcome.
    pub outcome: Outcome,
    /// All violations found, with the decisions that eliminate them.
    pub rows: Vec<Row>,
    /// How often a cheapest set was computed.
    pub rounds: usize,
    /// How often the checker was asked.
    pub searches: usize,
    /// What its searches did.
    pub statistics: Statistics,
}

/// The way to an outcome so far.
#[derive(Default)]
pub(crate) struct Way {
    pub(crate) rows: Vec<Row>,
    pub(crate) rounds: usize,
    pub(crate) searches: usize,
    pub(crate) statistics: Statistics,
}

impl Way {
    pub(crate) fn to(self, outcome: Outcome) -> Solved {
        let Self { rows, rounds, searches, statistics } = self;
        Solved { outcome, rows, rounds, searches, statistics }
    }
}

impl Problem<'_> {
    /// The program with some decisions made.
    pub fn with(&self, chosen: impl IntoIterator<Item = usize>) -> Changed {
        apply(self.program, chosen.into_iter().flat_map(|at| &self.decisions[at].changes))
    }

    /// What a set of decisions costs.
    pub fn cost(&self, chosen: impl IntoIterator<Item = usize>) -> u64 {
        chosen.into_iter().map(|at| self.costs[at]).sum()
    }

    /// What the solver minimises: costs, and preferences where costs are the same. Where costs leave no room
    /// for both, they alone count.
    fn weights(&self) -> Vec<u64> {
        let dearest = self.costs.iter().copied().max().unwrap_or(1);
        let has_room = dearest < solver::MAX_COST / SCALE;
        if !has_room || self.preferences.len() != self.costs.len() {
            return self.costs.to_vec();
        }
        let weight = |(cost, preference): (&u64, &u64)| cost * SCALE + preference.min(&WORST);
        self.costs.iter().zip(self.preferences).map(weight).collect()
    }

    /// How far behind what people prefer a set is.
    fn preference(&self, chosen: &[usize]) -> u64 {
        chosen.iter().filter_map(|at| self.preferences.get(*at)).sum()
    }

    /// The decisions that a violation of a changed program passes.
    pub(crate) fn row(&self, changed: &Changed, violation: &Violation) -> Set {
        let index = Index::of(self.decisions);
        let mut row = Set::new();
        for stretch in &violation.buffered_spans {
            let template = self.program.template(stretch.template);
            // The fences of the changed program are not passed with a non-empty buffer.
            let origin = |edge: &EdgeId| changed.origin(stretch.template, *edge);
            let edges: Vec<EdgeId> = stretch.edges.iter().filter_map(origin).collect();
            for (number, edge) in edges.iter().enumerate() {
                let key = (stretch.template, edge.index());
                row.extend(index.becomes.get(&key).into_iter().flatten());
                if number + 1 < edges.len() {
                    row.extend(index.after.get(&key).into_iter().flatten());
                }
                if number > 0 {
                    let label: LabelId = template.edge(*edge).from;
                    let key = (stretch.template, label.index());
                    row.extend(index.before.get(&key).into_iter().flatten());
                }
            }
        }
        row
    }
}

/// Which decisions change what.
#[derive(Default)]
struct Index {
    before: BTreeMap<(TemplateId, usize), Vec<usize>>,
    after: BTreeMap<(TemplateId, usize), Vec<usize>>,
    becomes: BTreeMap<(TemplateId, usize), Vec<usize>>,
}

impl Index {
    fn of(decisions: &[Decision]) -> Self {
        let mut index = Self::default();
        for (at, decision) in decisions.iter().enumerate() {
            for (template, change) in &decision.changes {
                let (map, key) = match change {
                    Change::FenceBefore(label, _) => (&mut index.before, label.index()),
                    Change::FenceAfter(edge, _) => (&mut index.after, edge.index()),
                    Change::Become(edge, _) => (&mut index.becomes, edge.index()),
                };
                map.entry((*template, key)).or_default().push(at);
            }
        }
        index
    }
}

/// A cheapest set of decisions after which the checker finds no violation, or all such sets.
pub fn cheapest_repair(
    problem: &Problem<'_>,
    checker: &mut impl Checker,
    all: bool,
) -> Result<Solved, Parameterised> {
    let mut way = Way::default();
    let mut repairs: Vec<Set> = Vec::new();
    let mut of_all = None;
    let weights = problem.weights();
    let mut before = Set::new();
    let proof = loop {
        let rows: Vec<Set> = way.rows.iter().map(|row| row.decisions.clone()).collect();
        way.rounds += 1;
        let solved = cheapest_hitting_set_by(&weights, &rows, &repairs, checker.deadline());
        let Ok(chosen) = solved else {
            // The set of the round before was a cheapest one for fewer rows.
            let (reason, candidate) = (Reason::Limit(Limit::Time), before.into_iter().collect());
            return Ok(way.to(Outcome::Undecided { reason, candidate }));
        };
        let cost = |set: &Set| problem.cost(set.iter().copied());
        let is_worse = |set: &Set| repairs.first().is_some_and(|first| cost(set) > cost(first));
        let Some(chosen) = chosen.filter(|set| !is_worse(set)) else {
            break of_all.expect("all decisions together hit every row");
        };
        before.clone_from(&chosen);
        let changed = problem.with(chosen.iter().copied());
        let (verdict, statistics) = checker.violations(&changed.program)?;
        way.searches += 1;
        way.statistics.include(&statistics);
        match verdict {
            Verdict::Holds(proof) => {
                repairs.push(chosen);
                if !all {
                    break proof;
                }
                of_all = Some(proof);
            }
            Verdict::Undecided(reason) => {
                let candidate = chosen.into_iter().collect();
                return Ok(way.to(Outcome::Undecided { reason, candidate }));
            }
            Verdict::Violated(violations) => {
                for violation in violations {
                    let decisions = problem.row(&changed, &violation);
                    assert!(decisions.is_disjoint(&chosen), "a violation that was eliminated");
                    let program = violation.instance.unwrap_or_else(|| changed.program.clone());
                    let shown_by = violation.evidence.map(|evidence| (program, evidence));
                    let row = Row { decisions, shown_by };
                    if row.decisions.is_empty() {
                        return Ok(way.to(Outcome::Unrepairable(Box::new(row))));
                    }
                    if !way.rows.iter().any(|known| known.decisions == row.decisions) {
                        way.rows.push(row);
                    }
                }
            }
        }
    };
    let mut sets: Vec<Vec<usize>> =
        repairs.into_iter().map(|set| set.into_iter().collect()).collect();
    sets.sort_unstable_by_key(|set| (problem.preference(set), set.clone()));
    Ok(way.to(Outcome::Repaired { sets, proof }))
}

/// Few of the rows that show that nothing is cheaper: without any of them something would be, or that is not known by
/// the deadline.
pub fn certificate(
    problem: &Problem<'_>,
    rows: &[Row],
    cost: u64,
    deadline: Option<Instant>,
) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..rows.len()).collect();
    // Small rows say more.
    kept.sort_by_key(|at| (rows[*at].decisions.len(), *at));
    let mut at = kept.len();
    while at > 0 {
        at -= 1;
        let mut fewer = kept.clone();
        fewer.remove(at);
        let sets: Vec<Set> = fewer.iter().map(|row| rows[*row].decisions.clone()).collect();
        let still = match cheapest_hitting_set_by(problem.costs, &sets, &[], deadline) {
            Ok(cheapest) => cheapest.is_some_and(|set| problem.cost(set) >= cost),
            Err(OutOfTime) => break,
        };
        if still {
            kept = fewer;
        }
    }
    kept.sort_unstable();
    kept
}
