//! Which fences repair it?
//!
//! What can be changed and what each change costs is set up (`choices`), the cheapest changes are found and
//! explained, the texts are edited (`text`), and nothing is called repaired that is not checked from scratch
//! (`recheck`).

mod choices;
mod recheck;
mod remarks;
pub(crate) mod text;
mod written;

use std::path::PathBuf;

use analysis::parameterised::{Unknown, is_parameterised};
use analysis::{Criterion, Depth, Evidence, Histories, Options, Proof, Reason, Statistics};
use program::{Diagnostic, Diagnostics, Program, SourceId, Span};
use repair::esop13::Queries;
use repair::{Decision, Explanation, Positions};

use crate::Conclusion;
use crate::inputs::{Loaded, Premises, Refused};
use crate::misplaced;
use crate::notes::{Note, X86, error_note, notes};
use crate::store::{ProgramId, Subject, Workspace};
use choices::Choices;

/// The question.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Fence {
    /// What is enforced.
    pub enforced: Enforced,
    /// For histories: the program whose operations run alone, if it is not this one: a model in `.fw`.
    pub sequential: Option<PathBuf>,
    /// Whether it is asked which fences of the program are needed, and not which are missing.
    pub minimise_existing: bool,
    /// Where fences can stand.
    pub positions: Positions,
    /// Whether each copy of a thread is decided about by itself.
    pub per_instance: bool,
    /// Whether stores can also be made exchanges.
    pub with_locked_stores: bool,
    /// How many times as much as a fence an exchange costs.
    pub locked_store_cost: u32,
    /// What a fence costs.
    pub cost: Cost,
    /// Whether all sets are wanted that cost as little.
    pub all: bool,
    /// How they are found.
    pub algorithm: Algorithm,
    /// For persistence: by abstraction, with others exact for so many accesses.
    pub abstraction: Option<Depth>,
    /// How a fence is written in C and Rust; an error for other programs.
    pub fence_text: Option<patch::FenceText>,
    /// Whether it is an error if the repaired text cannot be written.
    pub needs_text: bool,
    /// How to search, and how much may be spent on it.
    pub options: Options,
}

impl Default for Fence {
    /// The fewest fences that make the program robust.
    fn default() -> Self {
        Self {
            enforced: Enforced::Criterion(Criterion::Robustness),
            sequential: None,
            minimise_existing: false,
            positions: Positions::AfterInstructions,
            per_instance: false,
            with_locked_stores: false,
            locked_store_cost: 1,
            cost: Cost::Uniform,
            all: false,
            algorithm: Algorithm::Optimal,
            abstraction: None,
            fence_text: None,
            needs_text: false,
            options: Options::default(),
        }
    }
}

/// What is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforced {
    /// A criterion. Data races no fence repairs.
    Criterion(Criterion),
    /// Nothing goes wrong under TSO that does not under SC.
    Safety,
    /// A sequential order explains every history of operations, in this sense.
    Histories(Histories),
}

impl Enforced {
    /// Its name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Criterion(criterion) => criterion.name(),
            Self::Safety => "safety",
            Self::Histories(asked) => asked.name(),
        }
    }
}

/// What a fence costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Each as much as any other.
    Uniform,
    /// Ten times as much for each loop around it.
    Loops,
    /// As often as it is executed in random runs.
    Profile {
        /// Which runs.
        seed: u64,
    },
    /// As a file says, by lines.
    File(PathBuf),
}

/// How fences are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Cheapest sets that eliminate the violations found so far, until there are no others.
    Optimal,
    /// Attack by attack (ESOP'13).
    Esop13,
    /// Growing sets (ESOP'15, Algorithm 1): no fence is superfluous, but others may be cheaper.
    Esop15,
}

impl Algorithm {
    /// Its name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::Esop13 => "esop13",
            Self::Esop15 => "esop15",
        }
    }
}

/// The answer.
#[derive(Debug)]
pub struct FenceAnswer {
    /// What was to be enforced.
    pub enforced: Enforced,
    /// How the fences were chosen.
    pub algorithm: Algorithm,
    /// Whether it was asked which fences of the program are needed.
    pub is_minimising: bool,
    /// Whether the program has any number of threads, so that a repair is one for all numbers.
    pub is_for_any_number: bool,
    /// Everything that could be decided.
    pub decisions: Vec<Decision>,
    /// What each of these decisions costs.
    pub costs: Vec<u64>,
    /// What came out.
    pub outcome: FenceOutcome,
    /// Why the repair is as it is.
    pub explanation: Explanation,
    /// How often a cheapest set was computed.
    pub rounds: usize,
    /// How many searches there were.
    pub searches: usize,
    /// What they did.
    pub statistics: Statistics,
    /// The queries of ESOP'13, if its algorithm was used.
    pub queries: Option<Queries>,
    /// The texts that change, if there is a repair and it can be written.
    pub texts: Option<Vec<(SourceId, String)>>,
    /// What it rests on.
    pub premises: Premises,
    /// What else a reader should know.
    pub notes: Vec<Note>,
}

/// What came out.
#[derive(Debug)]
pub enum FenceOutcome {
    /// Changes that repair the program; none if there is nothing to repair.
    Repaired {
        /// Sets of decisions: the one that was made, then others that cost as much.
        sets: Vec<Vec<usize>>,
        /// Whether nothing cheaper works.
        is_optimal: bool,
        /// How it is known that what is enforced holds then.
        proof: Proof,
    },
    /// Nothing that could be decided repairs it.
    Unrepairable {
        /// Why.
        why: NoRepair,
        /// A violation that stays.
        shown_by: Option<Box<(Program, Evidence)>>,
    },
    /// That is not known.
    Undecided {
        /// Why.
        reason: Reason,
        /// Whatever works costs at least as much.
        at_least: u64,
    },
}

/// Why nothing repairs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRepair {
    /// It goes wrong under SC already, where fences change nothing.
    UnderSc,
    /// Only fences that are there were to be kept, and with all of so many it is violated.
    WithAllThatAreThere(usize),
    /// A violation passes no place where a fence can stand.
    NoPlace,
}

/// What a repair comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceVerdict {
    /// Nothing needs to be changed.
    Holds,
    /// Some changes do.
    Repaired,
    /// Nothing does.
    Unrepairable,
    /// That is not known.
    Undecided,
}

/// Everything that can be decided about a program, and what each decision costs.
#[derive(Clone, Debug)]
pub struct Places {
    /// The decisions.
    pub decisions: Vec<Decision>,
    /// Their costs.
    pub costs: Vec<u64>,
}

impl FenceAnswer {
    /// That nothing is known, for this reason.
    pub fn undecided(question: &Fence, reason: Reason) -> Self {
        Self {
            enforced: question.enforced,
            algorithm: question.algorithm,
            is_minimising: question.minimise_existing,
            is_for_any_number: false,
            decisions: Vec::new(),
            costs: Vec::new(),
            outcome: FenceOutcome::Undecided { reason, at_least: 0 },
            explanation: Explanation::default(),
            rounds: 0,
            searches: 0,
            statistics: Statistics::default(),
            queries: None,
            texts: None,
            premises: Premises::default(),
            notes: Vec::new(),
        }
    }

    /// The decisions that were made: of those about fences that are there, what stays.
    pub fn made(&self) -> &[usize] {
        match &self.outcome {
            FenceOutcome::Repaired { sets, .. } => sets.first().map_or(&[], Vec::as_slice),
            FenceOutcome::Unrepairable { .. } | FenceOutcome::Undecided { .. } => &[],
        }
    }

    /// The decisions that were not made: of those about fences that are there, what can go.
    pub fn not_made(&self) -> Vec<usize> {
        (0..self.decisions.len()).filter(|at| !self.made().contains(at)).collect()
    }

    /// What some decisions cost.
    pub fn cost(&self, chosen: &[usize]) -> u64 {
        chosen.iter().map(|at| self.costs[*at]).sum()
    }

    /// What it comes to, in a word.
    pub fn verdict(&self) -> FenceVerdict {
        match &self.outcome {
            FenceOutcome::Repaired { .. } => {
                let changes =
                    if self.is_minimising { self.not_made().len() } else { self.made().len() };
                if changes == 0 { FenceVerdict::Holds } else { FenceVerdict::Repaired }
            }
            FenceOutcome::Unrepairable { .. } => FenceVerdict::Unrepairable,
            FenceOutcome::Undecided { .. } => FenceVerdict::Undecided,
        }
    }

    /// What it comes to.
    pub const fn conclusion(&self) -> Conclusion {
        match &self.outcome {
            FenceOutcome::Repaired { .. } => Conclusion::Fine,
            FenceOutcome::Unrepairable { .. } => Conclusion::Violated,
            FenceOutcome::Undecided { .. } => Conclusion::Undecided,
        }
    }
}

/// What makes no sense for any number of threads.
fn not_for_any_number(question: &Fence) -> Option<Unknown> {
    if question.per_instance {
        return Some(Unknown::CopiesApart);
    }
    question.abstraction.map(|_| Unknown::Abstraction)
}

impl Workspace<'_> {
    /// The cheapest changes after which something holds.
    pub fn fence(&mut self, id: ProgramId, question: &Fence) -> Result<FenceAnswer, Refused> {
        let mut subject = self.subject(id);
        let loaded = subject.loaded;
        let mut remarks = Vec::new();
        let mut answer = match Choices::new(&subject, question)? {
            Ok(choices) => {
                let answer = repaired(&mut subject, question, &choices)
                    .map_err(|errors| loaded.refuse(errors))?;
                let deadline = question.options.limits.deadline;
                remarks = remarks::remarks(loaded, &choices, &answer, deadline);
                answer
            }
            Err(parameterised) => {
                let why = not_for_any_number(question);
                let reason = why.map_or(Reason::Parameterised(parameterised), Reason::AnyNumber);
                FenceAnswer::undecided(question, reason)
            }
        };
        answer.is_for_any_number = is_parameterised(&loaded.program);
        answer.premises = loaded.premises.clone();
        answer.notes = remarks;
        answer.notes.extend(notes(&mut subject, X86, &question.options));
        answer.notes.extend(error_note(&mut subject, &question.options));
        Ok(answer)
    }

    /// Where something can be changed, and what that costs; or why that is not known.
    pub fn places(
        &mut self,
        id: ProgramId,
        question: &Fence,
    ) -> Result<Result<Places, Reason>, Refused> {
        let choices = Choices::new(&self.subject(id), question)?;
        Ok(choices.map(Choices::places).map_err(Reason::Parameterised))
    }
}

fn repaired(
    subject: &mut Subject<'_, '_>,
    question: &Fence,
    choices: &Choices,
) -> Result<FenceAnswer, Diagnostics> {
    let mut answer = choices.answer(question, subject.watch);
    answer.texts = text::edited(subject.loaded, question, &answer)?;
    recheck::check_again(subject, question, choices, &mut answer)?;
    Ok(answer)
}

/// Errors of questions that do not fit the program.
fn fits(loaded: &Loaded, question: &Fence) -> Result<(), Diagnostics> {
    misplaced::for_x86(loaded, "`fence`")?;
    if question.fence_text.is_some() && !loaded.is_compiled() {
        let message = "`--fence-text` is for programs in C and Rust";
        let help = "leave it out: a model has a word of its own for a fence";
        return Err(vec![Diagnostic::new(Span::NONE, message).help(help)]);
    }
    Ok(())
}
