//! What can be decided about a program, and what is decided.

use analysis::{Criterion, Evidence, Options, Watch};
use program::{Diagnostic, Parameterised, Program, Span};
use repair::checkers::{Abstract, Exact, Explained, Safety};
use repair::costs;
use repair::decision::{existing, fences, locked_stores};
use repair::esop13::{Queries, by_attacks};
use repair::esop15::algorithm_1;
use repair::optimal::Checker;
use repair::{
    Decision, Explanation, Kind, Outcome, Problem, Row, Solved, cheapest_repair, confirm, explain,
    preferences,
};
use semantics::Model;

use super::written::{Texts, offers_orders};
use super::{Algorithm, Cost, Enforced, Fence, FenceAnswer, FenceOutcome, NoRepair, Places, fits};
use crate::histories;
use crate::host::Host;
use crate::inputs::{Loaded, Premises, Refused, read_text};
use crate::store::Subject;

/// How many states of the program itself are searched for what an abstraction says.
pub(super) const FOR_EVIDENCE: u64 = 1 << 20;

const DEFINITE: &str = "a definite number of threads";

/// What is to be decided about a program.
pub(super) struct Choices {
    program: Program,
    decisions: Vec<Decision>,
    costs: Vec<u64>,
    preferences: Vec<u64>,
    /// What histories are compared with, if they are.
    pub(super) specification: Option<Program>,
}

impl Choices {
    pub(super) fn new(
        subject: &Subject<'_, '_>,
        question: &Fence,
    ) -> Result<Result<Self, Parameterised>, Refused> {
        let loaded = subject.loaded;
        fits(loaded, question).map_err(|errors| loaded.refuse(errors))?;
        let (program, decisions) = match decisions(loaded, question) {
            Ok(decisions) => decisions,
            Err(parameterised) => return Ok(Err(parameterised)),
        };
        let specification = match question.enforced {
            Enforced::Histories(_) => {
                let file = question.sequential.as_deref();
                Some(histories::specification(subject.host, loaded, file)?)
            }
            Enforced::Criterion(_) | Enforced::Safety => None,
        };
        let costs = match &question.cost {
            Cost::Uniform => costs::uniform(&decisions),
            Cost::Loops => costs::by_loops(&program, &decisions),
            Cost::Profile { seed } => match costs::by_profile(&program, &decisions, *seed) {
                Ok(costs) => costs,
                Err(parameterised) => return Ok(Err(parameterised)),
            },
            Cost::File(path) => costs_of_file(subject.host, path, loaded, &decisions)?,
        };
        let exchange = u64::from(question.locked_store_cost);
        let priced = decisions.iter().zip(costs).map(|(decision, cost)| match decision.kind {
            Kind::FenceBefore | Kind::FenceAfter | Kind::StrongerFence | Kind::OldFence => cost,
            Kind::LockedStore | Kind::OldLockedStore | Kind::OldExchange => {
                (cost * exchange).min(solver::MAX_COST)
            }
        });
        let costs = priced.collect();
        let mut preferences = preferences(&program, &decisions);
        let mut texts = Texts::new(loaded);
        for (decision, preference) in decisions.iter().zip(&mut preferences) {
            let point = decision.point.filter(|_| loaded.is_compiled());
            *preference += u64::from(point.is_some_and(|point| texts.is_in_expression(point)));
        }
        Ok(Ok(Self { program, decisions, costs, preferences, specification }))
    }

    pub(super) fn problem(&self) -> Problem<'_> {
        Problem {
            program: &self.program,
            decisions: &self.decisions,
            costs: &self.costs,
            preferences: &self.preferences,
        }
    }

    pub(super) fn places(self) -> Places {
        Places { decisions: self.decisions, costs: self.costs }
    }

    pub(super) fn answer(&self, question: &Fence, watch: &mut Watch<'_>) -> FenceAnswer {
        let how = &question.options;
        match (question.abstraction, question.enforced) {
            (Some(depth), _) => {
                let (depths, states) = (depth.all(), FOR_EVIDENCE);
                let mut checker = Abstract { depths, states, options: how, watch };
                let (mut answer, rows) = self.by(question, &mut checker);
                // What goes wrong in the program itself is looked for as far as that is cheap.
                let bounded = checker.of_the_program();
                let watch = checker.watch;
                let criterion = Criterion::Persistence;
                let mut exact = Exact { criterion, options: &bounded, watch };
                self.explain(question, &mut answer, &mut exact, &rows);
                answer
            }
            (None, Enforced::Criterion(criterion)) => {
                self.exactly(question, &mut Exact { criterion, options: how, watch })
            }
            (None, Enforced::Safety) => self.exactly(question, &mut Safety { options: how, watch }),
            (None, Enforced::Histories(asked)) => {
                let specification = self.specification.as_ref().unwrap_or(&self.program);
                self.exactly(question, &mut Explained { asked, specification, options: how, watch })
            }
        }
    }

    fn exactly(&self, question: &Fence, checker: &mut impl Checker) -> FenceAnswer {
        let (mut answer, rows) = self.by(question, checker);
        self.explain(question, &mut answer, checker, &rows);
        answer
    }

    fn by(&self, question: &Fence, checker: &mut impl Checker) -> (FenceAnswer, Vec<Row>) {
        let problem = self.problem();
        let options: &Options = &question.options;
        let (solved, queries): (Solved, Option<Queries>) = match question.algorithm {
            Algorithm::Optimal => {
                (cheapest_repair(&problem, checker, question.all).expect(DEFINITE), None)
            }
            Algorithm::Esop15 => (algorithm_1(&problem, checker).expect(DEFINITE), None),
            Algorithm::Esop13 => {
                let (solved, queries) = by_attacks(&problem, options).expect(DEFINITE);
                (solved, Some(queries))
            }
        };
        let Solved { outcome, rows, rounds, searches, statistics } = solved;
        let outcome = match outcome {
            Outcome::Repaired { sets, proof } => {
                let is_optimal = question.algorithm != Algorithm::Esop15;
                FenceOutcome::Repaired { sets, is_optimal, proof }
            }
            Outcome::Unrepairable(row) => self.unrepairable(question, row.shown_by),
            Outcome::Undecided { reason, candidate } => {
                let is_bound = question.abstraction.is_none();
                let at_least = if is_bound { problem.cost(candidate) } else { 0 };
                FenceOutcome::Undecided { reason, at_least }
            }
        };
        let answer = FenceAnswer {
            enforced: question.enforced,
            algorithm: question.algorithm,
            is_minimising: question.minimise_existing,
            is_for_any_number: false,
            decisions: self.decisions.clone(),
            costs: self.costs.clone(),
            outcome,
            explanation: Explanation::default(),
            rounds,
            searches,
            statistics,
            queries,
            texts: None,
            premises: Premises::default(),
            notes: Vec::new(),
        };
        (answer, rows)
    }

    /// Says why a repair is as it is.
    fn explain(
        &self,
        question: &Fence,
        answer: &mut FenceAnswer,
        checker: &mut impl Checker,
        rows: &[Row],
    ) {
        let problem = self.problem();
        let FenceOutcome::Repaired { sets, is_optimal, .. } = &mut answer.outcome else { return };
        let made = sets.first().map_or(&[][..], Vec::as_slice);
        let mut explanation = explain(&problem, checker, rows, made).expect(DEFINITE);
        if question.abstraction.is_some() && !made.is_empty() {
            *is_optimal &= confirm(&problem, checker, &mut explanation.needed).expect(DEFINITE);
        }
        if !*is_optimal || question.algorithm != Algorithm::Optimal {
            // The violations found need not show that nothing is cheaper.
            explanation.needed.clear();
        }
        answer.searches += explanation.searches;
        answer.explanation = explanation;
    }

    fn unrepairable(
        &self,
        question: &Fence,
        shown_by: Option<(Program, Evidence)>,
    ) -> FenceOutcome {
        let is_under_sc = shown_by
            .as_ref()
            .is_some_and(|(_, evidence)| evidence.execution().computation.model == Model::Sc);
        let why = if is_under_sc {
            NoRepair::UnderSc
        } else if question.minimise_existing {
            NoRepair::WithAllThatAreThere(self.decisions.len())
        } else {
            NoRepair::NoPlace
        };
        FenceOutcome::Unrepairable { why, shown_by: shown_by.map(Box::new) }
    }
}

/// Whether a question can be answered for any number of threads.
fn is_for_any_number(question: &Fence) -> bool {
    question.algorithm == Algorithm::Optimal
        && question.abstraction.is_none()
        && !question.per_instance
}

/// Everything that can be decided; of fences that are there, about the program without them.
fn decisions(loaded: &Loaded, question: &Fence) -> Result<(Program, Vec<Decision>), Parameterised> {
    if !is_for_any_number(question) {
        loaded.program.threads()?;
    }
    let program = if question.per_instance {
        loaded.program.with_copies_apart()?
    } else {
        loaded.program.clone()
    };
    let together = !question.per_instance;
    if question.minimise_existing {
        return Ok(existing(&program, together));
    }
    let mut decisions = fences(&program, question.positions, together);
    if question.with_locked_stores {
        decisions.extend(locked_stores(&program, together));
    }
    if offers_orders(loaded, question) {
        decisions.extend(Texts::new(loaded).stronger_orders(question));
    }
    Ok((program, decisions))
}

fn costs_of_file(
    host: &dyn Host,
    path: &std::path::Path,
    loaded: &Loaded,
    decisions: &[Decision],
) -> Result<Vec<u64>, Refused> {
    let name = path.display().to_string();
    let text = read_text(host, path).map_err(|error| {
        let message = format!("cannot read costs from {name}: {error}");
        let help = "`--cost` takes uniform, loops, profile, or a file";
        loaded.refuse(vec![Diagnostic::new(Span::NONE, message).help(help)])
    })?;
    let mut sources = loaded.sources.clone();
    let prices = sources.add(name, text);
    costs::by_lines(&sources, prices, decisions).map_err(|errors| Refused { errors, sources })
}
