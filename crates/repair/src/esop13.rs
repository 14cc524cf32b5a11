//! The algorithm of ESOP'13 (§7), as a reference: for each feasible attack all irreducible sets of
//! fences that eliminate it, found by trying them, and then the cheapest union of one set for each
//! attack, by the 0/1 program (14).
//!
//! A set that lies on every way from the attack's store to its load needs no search, and neither does
//! one that a witness found before passes by. All sets of decisions that are involved in an attack
//! (`L_A` of the paper) may have to be tried; after [`MOST_SETS`] of them for one attack the answer is
//! *undecided*.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use analysis::robustness::is_feasible;
use analysis::{Basis, Options, Proof, Reason, Verdict, whole};
use instrument::{Attack, attacks, refuted_by_control_flow};
use program::{EdgeId, IndexVec, LabelId, Parameterised, Template};

use crate::delayed::buffered_spans;
use crate::optimal::{Outcome, Problem, Row, Solved, Violation};
use program::Change;
use solver::{Set, cheapest_union};

/// How many sets are tried for one attack.
pub const MOST_SETS: usize = 20_000;

/// The queries that were made: the columns of Table 2 of the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queries {
    /// All of them (RQ).
    pub all: usize,
    /// Those that control flow answers with no (NR1).
    pub refuted_by_control_flow: usize,
    /// Those that a search answers with no (NR2).
    pub refuted_by_search: usize,
    /// Those that a search answers with yes (R).
    pub feasible: usize,
}

impl Queries {
    fn include(&mut self, other: Self) {
        self.all += other.all;
        self.refuted_by_control_flow += other.refuted_by_control_flow;
        self.refuted_by_search += other.refuted_by_search;
        self.feasible += other.feasible;
    }
}

/// What became of one attack.
enum Of {
    /// It is not feasible, or these sets eliminate it.
    Eliminated(Option<Vec<Set>>),
    Unknown(Reason),
}

/// A cheapest set of decisions that makes a program robust, attack by attack, with as many searches
/// side by side as there are threads.
pub fn by_attacks(
    problem: &Problem<'_>,
    options: &Options,
) -> Result<(Solved, Queries), Parameterised> {
    let all = attacks(problem.program)?;
    let next = AtomicUsize::new(0);
    let one = Options { threads: 1, ..*options };
    let work = || {
        let mut answers = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(attack) = all.get(number) else { return answers };
            let mut asked = Asked {
                problem,
                options: &one,
                attack: *attack,
                queries: Queries::default(),
                rows: Vec::new(),
            };
            let answer = asked.eliminating_sets();
            answers.push((number, answer, asked.queries));
        }
    };
    let mut answers: Vec<(usize, Of, Queries)> = match options.threads {
        // Some systems have no threads to start.
        0 | 1 => work(),
        threads => std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("no search fails")).collect()
        }),
    };
    answers.sort_by_key(|(number, ..)| *number);
    let mut queries = Queries::default();
    let mut choices = Vec::new();
    let mut unknown = None;
    for (_, answer, of_attack) in answers {
        queries.include(of_attack);
        match answer {
            Of::Eliminated(None) => {}
            Of::Eliminated(Some(sets)) => choices.push(sets),
            Of::Unknown(reason) => {
                unknown.get_or_insert(reason);
            }
        }
    }
    // Attacks beyond a bound of the translation are not among all attacks. Fences change nothing there.
    let (whole, statistics) = whole(problem.program, options, |_| ControlFlow::Continue(()))?;
    let known = unknown.map_or(whole, Err);
    let outcome = match (known, cheapest_union(problem.costs, &choices)) {
        (Err(reason), _) => Outcome::Undecided { reason, candidate: Vec::new() },
        (Ok(whole), Some(set)) => {
            // Each attack was searched for, or refuted by control flow.
            let proof = Proof::new(Basis::EXPLORED, whole);
            Outcome::Repaired { sets: vec![set.into_iter().collect()], proof }
        }
        (Ok(_), None) => {
            Outcome::Unrepairable(Box::new(Row { decisions: Set::new(), shown_by: None }))
        }
    };
    let solved = Solved { outcome, rows: Vec::new(), rounds: 1, searches: queries.all, statistics };
    Ok((solved, queries))
}

/// What is asked about one attack.
struct Asked<'a> {
    problem: &'a Problem<'a>,
    options: &'a Options,
    attack: Attack,
    queries: Queries,
    /// What each witness found so far passes.
    rows: Vec<Set>,
}

impl Asked<'_> {
    /// All irreducible sets of decisions that eliminate the attack, if it is feasible.
    fn eliminating_sets(&mut self) -> Of {
        match self.is_feasible(&Set::new()) {
            Ok(false) => return Of::Eliminated(None),
            Ok(true) => {}
            Err(reason) => return Of::Unknown(reason),
        }
        let involved: Vec<usize> = self.involved().into_iter().collect();
        let mut eliminating: Vec<Set> = Vec::new();
        // The sets of one size that do not eliminate it: only they can become larger.
        let mut open: Vec<Set> = vec![Set::new()];
        let mut tried = 0;
        while !open.is_empty() {
            let mut larger = Vec::new();
            for set in open {
                let last = set.last().copied();
                for decision in involved.iter().filter(|next| last.is_none_or(|last| **next > last))
                {
                    let mut set = set.clone();
                    set.insert(*decision);
                    if eliminating.iter().any(|other| other.is_subset(&set)) {
                        continue;
                    }
                    tried += 1;
                    if tried > MOST_SETS {
                        return Of::Unknown(Reason::TooManySets { tried: MOST_SETS });
                    }
                    match self.is_feasible(&set) {
                        // A witness that passes nothing cannot be eliminated.
                        Ok(true) if self.rows.iter().any(Set::is_empty) => {
                            return Of::Eliminated(Some(Vec::new()));
                        }
                        Ok(true) => larger.push(set),
                        Ok(false) => eliminating.push(set),
                        Err(reason) => return Of::Unknown(reason),
                    }
                }
            }
            open = larger;
        }
        Of::Eliminated(Some(eliminating))
    }

    /// Whether the attack is feasible after some decisions.
    fn is_feasible(&mut self, chosen: &Set) -> Result<bool, Reason> {
        if self.rows.iter().any(|row| row.is_disjoint(chosen)) {
            return Ok(true);
        }
        self.queries.all += 1;
        let changed = self.problem.with(chosen.iter().copied());
        let threads = changed.program.threads().expect("a definite program");
        let template = threads[self.attack.thread].template;
        let Attack { thread, store, load } = self.attack;
        let attack = Attack {
            thread,
            store: changed.now(template, store),
            load: changed.now(template, load),
        };
        let is_delayed =
            |edge| !changed.program.template(template).edge(edge).instruction.drains_buffer();
        if !is_delayed(attack.store) || refuted_by_control_flow(&changed.program, &attack) {
            self.queries.refuted_by_control_flow += 1;
            return Ok(false);
        }
        match is_feasible(&changed.program, attack, self.options).expect("a definite program") {
            Verdict::Holds(_) => {
                self.queries.refuted_by_search += 1;
                Ok(false)
            }
            Verdict::Violated(witness) => {
                self.queries.feasible += 1;
                let buffered_spans =
                    buffered_spans(&changed.program, &witness.execution.computation);
                let violation = Violation { buffered_spans, instance: None, evidence: None };
                self.rows.push(self.problem.row(&changed, &violation));
                Ok(true)
            }
            Verdict::Undecided(reason) => Err(reason),
        }
    }

    /// The decisions about places between the store and the load.
    fn involved(&self) -> Set {
        let program = self.problem.program;
        let threads = program.threads().expect("a definite program");
        let id = threads[self.attack.thread].template;
        let template = program.template(id);
        let store = template.edge(self.attack.store);
        let load = template.edge(self.attack.load);
        let after_store = reached(template, store.to, false);
        let before_load = reached(template, load.from, true);
        let labels: BTreeSet<LabelId> = template
            .labels()
            .indices()
            .filter(|label| after_store[*label] && before_load[*label])
            .collect();
        let is_between = |edge: EdgeId| {
            let data = template.edge(edge);
            let inside = labels.contains(&data.from) && labels.contains(&data.to);
            edge == self.attack.store || inside && !data.instruction.drains_buffer()
        };
        let is_involved = |change: &Change| match change {
            Change::FenceBefore(label, _) => labels.contains(label),
            Change::FenceAfter(edge, _) | Change::Become(edge, _) => is_between(*edge),
        };
        let decisions = self.problem.decisions.iter().enumerate();
        decisions
            .filter(|(_, decision)| {
                decision.changes.iter().any(|(of, change)| *of == id && is_involved(change))
            })
            .map(|(at, _)| at)
            .collect()
    }
}

/// The labels reached from one, or that reach it, without anything that waits for an empty buffer.
fn reached(template: &Template, start: LabelId, backwards: bool) -> IndexVec<LabelId, bool> {
    let mut seen: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    seen[start] = true;
    let mut open = vec![start];
    while let Some(label) = open.pop() {
        for edge in template.edges().iter().filter(|edge| !edge.instruction.drains_buffer()) {
            let (from, to) = if backwards { (edge.to, edge.from) } else { (edge.from, edge.to) };
            if from == label && !seen[to] {
                seen[to] = true;
                open.push(to);
            }
        }
    }
    seen
}
