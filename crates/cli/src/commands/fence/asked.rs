//! What can be decided about a program, and what is decided.

use std::ops::ControlFlow;

use analysis::{Criterion, Options, Progress as Now};
use program::{Diagnostic, Diagnostics, Parameterised, Program, Sources, Span};
use repair::checkers::{Abstract, Exact, Safety};
use repair::costs;
use repair::decision::{existing, fences, locked_stores};
use repair::esop13::{Queries, by_attacks};
use repair::esop15::algorithm_1;
use repair::optimal::Checker;
use repair::{
    Decision, Explanation, Kind, Outcome as Came, Positions, Problem, Row, Solved, cheapest_repair,
    confirm, explain,
};
use report::fence::{Answer, Outcome};
use report::outcome::Outcome as Doubt;
use semantics::Model;

use crate::arguments::fence::{Algorithm, Cost, Enforced, Fence, Position};
use crate::commands::doubt::undecided;
use crate::input::Loaded;

/// The greatest depth of the abstraction that is tried by itself.
const MOST: usize = 8;

/// How many states of the program itself are searched for what an abstraction says.
pub(super) const FOR_EVIDENCE: u64 = 1 << 20;

const DEFINITE: &str = "a definite number of threads";
impl Enforced {
    /// The criterion that is enforced; nothing if it is that nothing goes wrong.
    pub(super) const fn criterion(self) -> Option<Criterion> {
        match self {
            Self::Robustness => Some(Criterion::Robustness),
            Self::Trf => Some(Criterion::Trf),
            Self::Persistence => Some(Criterion::Persistence),
            Self::States => Some(Criterion::States),
            Self::Drf => Some(Criterion::Drf),
            Self::Safety => None,
        }
    }

    fn name(self) -> &'static str {
        self.criterion().map_or("safety", Criterion::name)
    }
}

/// Errors, and the texts they are about if not those of the program.
pub(super) struct Refused {
    pub(super) errors: Diagnostics,
    pub(super) sources: Option<Sources>,
}

impl From<Diagnostics> for Refused {
    fn from(errors: Diagnostics) -> Self {
        Self { errors, sources: None }
    }
}

/// How an answer was found.
#[derive(Clone, Copy)]
struct Way {
    rounds: usize,
    searches: usize,
    statistics: analysis::Statistics,
    queries: Option<Queries>,
}

/// What is to be decided about a program.
pub(super) struct Asked {
    program: Program,
    decisions: Vec<Decision>,
    costs: Vec<u64>,
}

impl Asked {
    pub(super) fn new(
        options: &Fence,
        loaded: &Loaded,
    ) -> Result<Result<Self, Refused>, Parameterised> {
        loaded.program.threads()?;
        let program = if options.per_instance {
            loaded.program.with_copies_apart()?
        } else {
            loaded.program.clone()
        };
        let together = !options.per_instance;
        let (program, decisions) = if options.minimise_existing {
            existing(&program, together)
        } else {
            let positions = match options.positions {
                Position::AfterInstruction => Positions::AfterInstructions,
                Position::Label => Positions::Labels,
            };
            let mut decisions = fences(&program, positions, together);
            if options.with_locked_stores {
                decisions.extend(locked_stores(&program, together));
            }
            (program, decisions)
        };
        let costs = match &options.cost {
            Cost::Uniform => costs::uniform(&decisions),
            Cost::Loops => costs::by_loops(&program, &decisions),
            Cost::Profile => costs::by_profile(&program, &decisions, options.seed)?,
            Cost::File(path) => match costs_of_file(path, loaded, &decisions) {
                Ok(costs) => costs,
                Err(refused) => return Ok(Err(refused)),
            },
        };
        let exchange = u64::from(options.locked_store_cost.unwrap_or(1));
        let priced = decisions.iter().zip(costs).map(|(decision, cost)| match decision.kind {
            Kind::FenceBefore | Kind::FenceAfter | Kind::OldFence => cost,
            Kind::LockedStore | Kind::OldLockedStore | Kind::OldExchange => {
                (cost * exchange).min(solver::MAX_COST)
            }
        });
        let costs = priced.collect();
        Ok(Ok(Self { program, decisions, costs }))
    }

    pub(super) fn problem(&self) -> Problem<'_> {
        Problem { program: &self.program, decisions: &self.decisions, costs: &self.costs }
    }

    /// Everything that can be decided, and what each costs.
    pub(super) fn decidable(&self) -> (&[Decision], &[u64]) {
        (&self.decisions, &self.costs)
    }

    fn told(&self, options: &Fence, outcome: Outcome, way: Way) -> Answer {
        let Way { rounds, searches, statistics, queries } = way;
        Answer {
            criterion: options.criterion.name(),
            algorithm: algorithm(options),
            is_minimising: options.minimise_existing,
            decisions: self.decisions.clone(),
            costs: self.costs.clone(),
            outcome,
            explanation: Explanation::default(),
            rounds,
            searches,
            statistics,
            queries,
        }
    }

    pub(super) fn answer(
        &self,
        options: &Fence,
        watch: &mut impl FnMut(&Now) -> ControlFlow<()>,
    ) -> Answer {
        let how = options.search.options();
        match options.abstraction {
            Some(depth) => {
                let (depths, states) = (depths(depth), FOR_EVIDENCE);
                let mut checker = Abstract { depths, states, options: &how, watch };
                let (mut answer, rows) = self.by(options, &how, &mut checker);
                // What goes wrong in the program itself is looked for as far as that is cheap.
                let bounded = checker.of_the_program();
                let watch = checker.watch;
                let criterion = Criterion::Persistence;
                let mut exact = Exact { criterion, options: &bounded, watch };
                self.explain(options, &mut answer, &mut exact, &rows, true);
                answer
            }
            None => match options.criterion.criterion() {
                Some(criterion) => {
                    let mut checker = Exact { criterion, options: &how, watch };
                    self.exactly(options, &how, &mut checker)
                }
                None => self.exactly(options, &how, &mut Safety { options: &how, watch }),
            },
        }
    }

    fn exactly(&self, options: &Fence, how: &Options, checker: &mut impl Checker) -> Answer {
        let (mut answer, rows) = self.by(options, how, checker);
        self.explain(options, &mut answer, checker, &rows, false);
        answer
    }

    fn by(&self, options: &Fence, how: &Options, checker: &mut impl Checker) -> (Answer, Vec<Row>) {
        let problem = self.problem();
        let (solved, queries): (Solved, Option<Queries>) = match options.algorithm {
            Algorithm::Optimal => {
                (cheapest_repair(&problem, checker, options.all).expect(DEFINITE), None)
            }
            Algorithm::Esop15 => (algorithm_1(&problem, checker).expect(DEFINITE), None),
            Algorithm::Esop13 => {
                let (solved, queries) = by_attacks(&problem, how).expect(DEFINITE);
                (solved, Some(queries))
            }
        };
        let Solved { outcome, rows, rounds, searches, statistics } = solved;
        let outcome = match outcome {
            Came::Repaired { sets, whole } => {
                let is_optimal = options.algorithm != Algorithm::Esop15;
                Outcome::Repaired { sets, is_optimal, whole }
            }
            Came::Unrepairable(row) => self.unrepairable(options, row.shown_by),
            Came::Undecided { reason, candidate } => {
                let is_bound = options.abstraction.is_none();
                let at_least = if is_bound { problem.cost(candidate) } else { 0 };
                match undecided::<()>(&reason) {
                    Doubt::Undecided { reason, at, advice } => {
                        Outcome::Undecided { reason, at, advice, at_least }
                    }
                    Doubt::Holds(_) | Doubt::Violated(()) => unreachable!("a reason is a doubt"),
                }
            }
        };
        (self.told(options, outcome, Way { rounds, searches, statistics, queries }), rows)
    }

    /// Says why a repair is as it is.
    fn explain(
        &self,
        options: &Fence,
        answer: &mut Answer,
        checker: &mut impl Checker,
        rows: &[Row],
        is_abstract: bool,
    ) {
        let problem = self.problem();
        let Outcome::Repaired { sets, is_optimal, .. } = &mut answer.outcome else { return };
        let made = sets.first().map_or(&[][..], Vec::as_slice);
        let mut explanation = explain(&problem, checker, rows, made).expect(DEFINITE);
        if is_abstract && !made.is_empty() {
            *is_optimal &= confirm(&problem, checker, &mut explanation.needed).expect(DEFINITE);
        }
        if !*is_optimal || options.algorithm != Algorithm::Optimal {
            // The violations found need not show that nothing is cheaper.
            explanation.needed.clear();
        }
        answer.searches += explanation.searches;
        answer.explanation = explanation;
    }

    fn unrepairable(
        &self,
        options: &Fence,
        shown_by: Option<(Program, analysis::Evidence)>,
    ) -> Outcome {
        let is_under_sc = shown_by
            .as_ref()
            .is_some_and(|(_, evidence)| evidence.execution().computation.model == Model::Sc);
        if is_under_sc {
            let reason = "it goes wrong under SC already, where fences change nothing".to_owned();
            return Outcome::Unrepairable {
                reason,
                shown_by: shown_by.map(Box::new),
                advice: None,
            };
        }
        let (reason, advice) = if options.minimise_existing {
            let reason = match self.decisions.len() {
                0 => "there is no fence to take away, and one is missing".to_owned(),
                1 => "even with the one that is there it is violated".to_owned(),
                all => format!("even with all {all} that are there it is violated"),
            };
            (reason, "without `--minimise-existing` it is repaired")
        } else {
            let reason = "a violation passes no place where a fence can stand".to_owned();
            (reason, "`--positions after-instruction` offers a place after every store")
        };
        let (shown_by, advice) = (shown_by.map(Box::new), Some(advice.to_owned()));
        Outcome::Unrepairable { reason, shown_by, advice }
    }
}

/// The depths of the abstraction that are tried.
pub(super) fn depths(given: Option<usize>) -> Vec<usize> {
    given.map_or_else(|| (0..=MOST).collect(), |depth| vec![depth])
}

const fn algorithm(options: &Fence) -> &'static str {
    match options.algorithm {
        Algorithm::Optimal => "optimal",
        Algorithm::Esop13 => "esop13",
        Algorithm::Esop15 => "esop15",
    }
}

/// The answer about a program of which nothing is known, for this reason.
pub(super) fn unanswered(options: &Fence, doubt: Doubt<()>) -> Answer {
    let (reason, at, advice) = match doubt {
        Doubt::Undecided { reason, at, advice } => (reason, at, advice),
        Doubt::Holds(_) | Doubt::Violated(()) => unreachable!("nothing is known"),
    };
    Answer {
        criterion: options.criterion.name(),
        algorithm: algorithm(options),
        is_minimising: options.minimise_existing,
        decisions: Vec::new(),
        costs: Vec::new(),
        outcome: Outcome::Undecided { reason, at, advice, at_least: 0 },
        explanation: Explanation::default(),
        rounds: 0,
        searches: 0,
        statistics: analysis::Statistics::default(),
        queries: None,
    }
}

fn costs_of_file(
    path: &std::path::Path,
    loaded: &Loaded,
    decisions: &[Decision],
) -> Result<Vec<u64>, Refused> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("cannot read costs from {name}: {error}");
        let help = "`--cost` takes uniform, loops, profile, or a file";
        vec![Diagnostic::new(Span::NONE, message).help(help)]
    })?;
    let mut sources = loaded.sources.clone();
    let prices = sources.add(name, text);
    costs::by_lines(&sources, prices, decisions)
        .map_err(|errors| Refused { errors, sources: Some(sources) })
}
