//! What matters to the author of a program in C or Rust, the worst first.
//!
//! Four questions, each about more than the one before: does a plain access race, so that the program has no
//! meaning ([`Matter::Races`]); can it fail on x86 ([`Matter::Errors`]); can it end there as it never does
//! under SC ([`Matter::Results`]); and can TSO be told from SC at all ([`Matter::Visibility`])? The last is
//! robustness, which decides the two before it if it holds, as persistence does, and so is asked first. If
//! it is violated and nothing else is, the answer is *holds*: no result shows the difference, and a fence
//! would cost time for nothing.
//!
//! All questions share one budget. Each gets an equal part of the time that is left when its turn comes;
//! where no limit is set each gets a number of states, since nobody asked for a long search.

use std::cmp::Reverse;

use analysis::portfolio::{Portfolio, Task};
use analysis::tso_only::Seen;
use analysis::{Checked, Criterion, Evidence, Limits, Options, Proof, Statistics, Verdict, triage};
use program::Parameterised;
use semantics::Model;
use web_time::Instant;

use crate::Conclusion;
use crate::rule::Rule;
use crate::store::Subject;
use crate::suppression::Accepted;

/// Something that matters to an author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Matter {
    /// A plain access races with another one: undefined behaviour.
    Races,
    /// An assertion fails, memory is misused, or a deadlock is reached, on x86.
    Errors,
    /// The program can end on x86 as it never does under SC.
    Results,
    /// An execution on x86 is none of SC, whether a result shows it or not.
    Visibility,
}

impl Matter {
    /// All of them, the worst first.
    pub const ALL: [Self; 4] = [Self::Races, Self::Errors, Self::Results, Self::Visibility];

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Races => "races",
            Self::Errors => "errors",
            Self::Results => "final_states",
            Self::Visibility => "robustness",
        }
    }
}

/// How much an answer matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Something is wrong.
    Harm,
    /// Something may be wrong.
    Unknown,
    /// TSO differs from SC, and no result shows it.
    Harmless,
    /// It is as it should be.
    Fine,
}

impl Weight {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Harm => "harm",
            Self::Unknown => "unknown",
            Self::Harmless => "harmless",
            Self::Fine => "fine",
        }
    }
}

/// The answer to one of the questions.
#[derive(Clone, Debug)]
pub struct Concern {
    /// What it is about.
    pub matter: Matter,
    /// The verdict.
    pub verdict: Verdict<Evidence>,
    /// How much it matters, given all the others.
    pub weight: Weight,
    /// What was done for it.
    pub statistics: Statistics,
}

impl Concern {
    /// What it comes to, if comments accept this.
    fn conclusion(&self, accepted: &[Accepted]) -> Conclusion {
        match self.weight {
            Weight::Harm => {
                self.accepted(accepted).map_or(Conclusion::Violated, Accepted::conclusion)
            }
            Weight::Unknown => Conclusion::Undecided,
            Weight::Harmless | Weight::Fine => Conclusion::Fine,
        }
    }

    /// What comments accept of it, if it is violated.
    pub fn accepted<'a>(&self, accepted: &'a [Accepted]) -> Option<&'a Accepted> {
        let Verdict::Violated(evidence) = &self.verdict else { return None };
        let rule = Rule::of_matter(self.matter, &evidence.execution().ending);
        accepted.iter().find(|one| one.rule == rule)
    }

    /// Whether something goes wrong that does so under SC already.
    pub fn is_under_sc(&self) -> bool {
        match &self.verdict {
            Verdict::Violated(evidence) => evidence.execution().computation.model == Model::Sc,
            Verdict::Holds(_) | Verdict::Undecided(_) => false,
        }
    }
}

/// The answers to all of the questions, the worst first.
#[derive(Clone, Debug)]
pub struct Triage {
    /// The answers.
    pub concerns: Vec<Concern>,
    /// What was seen of final states: where the program shows values of its local variables to somebody, all
    /// of them, otherwise what it leaves behind in its global variables.
    pub seen: Seen,
}

impl Triage {
    fn new(seen: Seen, answers: [(Matter, Verdict<Evidence>, Statistics); 4]) -> Self {
        // What goes wrong under SC already is nothing that TSO adds.
        let adds = |(matter, verdict, _): &(Matter, Verdict<Evidence>, Statistics)| match (
            matter, verdict,
        ) {
            (Matter::Races | Matter::Visibility, _) | (_, Verdict::Holds(_)) => Weight::Harmless,
            (Matter::Errors | Matter::Results, Verdict::Undecided(_)) => Weight::Unknown,
            (Matter::Errors | Matter::Results, Verdict::Violated(evidence)) => {
                match evidence.execution().computation.model {
                    Model::Sc => Weight::Harmless,
                    Model::Tso => Weight::Harm,
                }
            }
        };
        let if_visible = answers.iter().map(adds).min().unwrap_or(Weight::Harmless);
        let weight = |matter: Matter, verdict: &Verdict<Evidence>| match (verdict, matter) {
            (Verdict::Holds(_), _) => Weight::Fine,
            (Verdict::Violated(_), Matter::Races | Matter::Errors | Matter::Results) => {
                Weight::Harm
            }
            (Verdict::Violated(_), Matter::Visibility) => if_visible,
            // Where it is known that no result shows it, the rest need not be.
            (Verdict::Undecided(_), Matter::Visibility) if if_visible == Weight::Harmless => {
                Weight::Harmless
            }
            (Verdict::Undecided(_), _) => Weight::Unknown,
        };
        let weights = answers.each_ref().map(|(matter, verdict, _)| weight(*matter, verdict));
        let concerns = answers.into_iter().zip(weights);
        let mut concerns: Vec<Concern> = concerns
            .map(|((matter, verdict, statistics), weight)| Concern {
                matter,
                verdict,
                weight,
                statistics,
            })
            .collect();
        concerns.sort_by_key(|concern| (concern.weight, concern.matter));
        Self { concerns, seen }
    }

    /// The worst of them.
    pub fn worst(&self) -> Option<&Concern> {
        self.concerns.first()
    }

    /// What it comes to, if comments accept this: what no result shows is no violation.
    pub fn conclusion(&self, accepted: &[Accepted]) -> Conclusion {
        let all = self.concerns.iter().map(|concern| concern.conclusion(accepted));
        all.max().unwrap_or(Conclusion::Fine)
    }

    /// Puts the worst first that is left if comments accept this.
    pub(crate) fn rank(&mut self, accepted: &[Accepted]) {
        self.concerns.sort_by_key(|concern| {
            (Reverse(concern.conclusion(accepted)), concern.weight, concern.matter)
        });
    }
}

/// How many states each question may take where no limit is set: a second or two.
const MOST_STATES: u64 = 1_000_000;

/// What the next question may spend, if so many are left.
pub(crate) fn share(options: &Options, left: u32, now: Instant) -> Options {
    let Limits { deadline, states, .. } = options.limits;
    let limits = match (deadline, states) {
        (None, None) => Limits { states: Some(MOST_STATES), ..options.limits },
        (Some(end), _) => {
            let part = end.saturating_duration_since(now) / left.max(1);
            Limits { deadline: Some(now + part), ..options.limits }
        }
        (None, Some(_)) => options.limits,
    };
    Options { limits, ..*options }
}

/// Answers the questions by the methods of a portfolio, and gives what it says of robustness.
pub(crate) fn triage<Refusal: From<Parameterised>>(
    subject: &mut Subject<'_, '_>,
    options: &Options,
    is_exact: bool,
) -> Result<(Triage, Checked), Refusal> {
    let Subject { loaded, checked, watch, .. } = subject;
    let program = &loaded.program;
    let portfolio: Portfolio<'_, Refusal> =
        if is_exact { Portfolio::exact() } else { Portfolio::automatic() };
    let mut portfolio = portfolio.knowing(checked.iter().cloned());
    let mut ask = |criterion: Criterion, left: u32| -> Result<Checked, Refusal> {
        let options = &share(options, left, Instant::now());
        let criteria = &[criterion];
        let mut task = Task { program, criteria, options, watch: &mut **watch };
        let answered = portfolio.answer(&mut task)?.into_iter().next();
        Ok(answered.unwrap_or_else(|| unreachable!("a criterion that was asked about")))
    };
    let robustness = ask(Criterion::Robustness, 5)?;
    let mut same_states = implies(&robustness);
    if same_states.is_none() {
        same_states = implies(&ask(Criterion::Persistence, 4)?);
    }
    **checked = portfolio.into_known();
    let options = |left| share(options, left, Instant::now());
    let races = triage::plain_race(program, &options(3), &mut **watch)?;
    let errors = triage::errors(program, same_states.clone(), &options(2), &mut **watch)?;
    let seen = loaded.seen();
    let results = triage::results(program, seen, same_states, &options(1), &mut **watch)?;
    let answers = [
        (Matter::Races, races.0, races.1),
        (Matter::Errors, errors.0, errors.1),
        (Matter::Results, results.0, results.1),
        (Matter::Visibility, robustness.verdict.clone(), robustness.statistics),
    ];
    Ok((Triage::new(seen, answers), robustness))
}

/// The proof that TSO has the final states of SC, if a criterion holds that implies it.
fn implies(checked: &Checked) -> Option<Proof> {
    match &checked.verdict {
        Verdict::Holds(proof) => Some(proof.clone().implies(checked.criterion)),
        Verdict::Violated(_) | Verdict::Undecided(_) => None,
    }
}
