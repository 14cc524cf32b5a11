//! Does TSO differ from SC?

use analysis::parameterised::{self, Unknown, is_parameterised};
use analysis::portfolio::{Abstraction, Method, Portfolio, Task};
use analysis::robustness::{AttackTable, per_attack};
use analysis::{Checked, Criterion, Depth, Engine, Evidence, Options, Reason, Statistics, Verdict};
use program::{Diagnostic, Diagnostics, Span};

use crate::Conclusion;
use crate::delays::{JudgedDelay, judged};
use crate::inputs::{Loaded, Premises, Refused};
use crate::misplaced;
use crate::notes::{Note, X86, error_note, notes};
use crate::rule::Rule;
use crate::spin::{BySpin, NoAnswer};
use crate::store::{ProgramId, Subject, Workspace};
use crate::suppression::{self, Accepted};
use crate::triage::{Triage, triage};

/// The question.
#[derive(Clone, Debug)]
pub struct Check {
    /// In which senses the program must not differ from SC. None means what fits the program: of a model
    /// robustness, and of C and Rust what matters to its author ([`crate::triage`]).
    pub criteria: Vec<Criterion>,
    /// How that is found out.
    pub method: CheckMethod,
    /// Whether each attack is asked about by itself as well.
    pub per_attack: bool,
    /// Whether each static delay is asked about by itself as well.
    pub delays: bool,
    /// How to search, and how much may be spent on it.
    pub options: Options,
}

impl Default for Check {
    /// What fits the program, by whatever is enough.
    fn default() -> Self {
        Self {
            criteria: Vec::new(),
            method: CheckMethod::Auto,
            per_attack: false,
            delays: false,
            options: Options::default(),
        }
    }
}

/// Which methods are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckMethod {
    /// What is known without looking at values first, then the exact ones.
    Auto,
    /// The exact ones, the cheapest first.
    Exact,
    /// Abstraction, for persistence: shows that it holds, and the program itself is tried as far as it is
    /// small.
    Abstraction(Depth),
    /// Spin, for robustness and persistence.
    Spin,
}

impl CheckMethod {
    /// Who explores states then.
    pub const fn engine(self) -> Engine {
        match self {
            Self::Auto | Self::Exact | Self::Abstraction(_) => Engine::Fencewright,
            Self::Spin => Engine::Spin,
        }
    }
}

/// The answer.
#[derive(Debug)]
pub struct CheckAnswer {
    /// Who searched.
    pub engine: Engine,
    /// What came out, for each criterion that was asked about, in their order.
    pub results: Vec<Checked>,
    /// What matters to the author, if no criterion was asked about and the program is in C or Rust.
    pub triage: Option<Triage>,
    /// What became of each attack, if that was asked.
    pub attacks: Option<AttackTable>,
    /// What became of each static delay, if that was asked.
    pub delays: Option<Vec<JudgedDelay>>,
    /// What comments in the source accept of it.
    pub accepted: Vec<Accepted>,
    /// What it rests on.
    pub premises: Premises,
    /// What else a reader should know.
    pub notes: Vec<Note>,
}

impl CheckAnswer {
    /// That nothing is known, for this reason.
    pub fn undecided(criteria: &[Criterion], engine: Engine, reason: &Reason) -> Self {
        let criteria = named(criteria);
        let asked = Criterion::ALL.into_iter().filter(|criterion| criteria.contains(criterion));
        let results = asked.map(|criterion| Checked {
            criterion,
            verdict: Verdict::Undecided(reason.clone()),
            methods: Vec::new(),
            remark: None,
            statistics: Statistics::default(),
            instance: None,
        });
        let (premises, notes) = (Premises::default(), Vec::new());
        let (results, accepted) = (results.collect(), Vec::new());
        let (triage, attacks, delays) = (None, None, None);
        Self { engine, results, triage, attacks, delays, accepted, premises, notes }
    }

    /// What it comes to.
    pub fn conclusion(&self) -> Conclusion {
        if let Some(triage) = &self.triage {
            return triage.conclusion(&self.accepted);
        }
        let of = |one: &Checked| match &one.verdict {
            Verdict::Violated(_) => self
                .accepted(Rule::Violated(one.criterion))
                .map_or(Conclusion::Violated, Accepted::conclusion),
            Verdict::Holds(_) | Verdict::Undecided(_) => Conclusion::of(&one.verdict),
        };
        self.results.iter().map(of).max().unwrap_or(Conclusion::Fine)
    }

    /// What comments accept of the findings of one kind.
    pub fn accepted(&self, rule: Rule) -> Option<&Accepted> {
        self.accepted.iter().find(|accepted| accepted.rule == rule)
    }
}

impl Workspace<'_> {
    /// Whether TSO differs from SC.
    pub fn check(&mut self, id: ProgramId, question: &Check) -> Result<CheckAnswer, Refused> {
        let mut subject = self.subject(id);
        let loaded = subject.loaded;
        let mut answer = answer(&mut subject, question).map_err(|errors| loaded.refuse(errors))?;
        let (accepted, of_comments) =
            suppression::of_check(&mut subject, &answer, &question.options);
        if let Some(triage) = &mut answer.triage {
            triage.rank(&accepted);
        }
        answer.accepted = accepted;
        answer.premises = loaded.premises.clone();
        answer.notes = notes(&mut subject, X86, &question.options);
        // A triage tells of errors itself.
        if answer.triage.is_none() {
            answer.notes.extend(error_note(&mut subject, &question.options));
        }
        answer.notes.extend(of_comments);
        Ok(answer)
    }
}

/// The criteria that are meant where a program is asked about criteria.
fn named(criteria: &[Criterion]) -> &[Criterion] {
    if criteria.is_empty() { &[Criterion::Robustness] } else { criteria }
}

/// Whether a question is answered by what matters to the author.
fn asks_for_triage(loaded: &Loaded, question: &Check) -> bool {
    let can_be_answered = match question.method {
        CheckMethod::Auto | CheckMethod::Exact => true,
        CheckMethod::Abstraction(_) | CheckMethod::Spin => false,
    };
    question.criteria.is_empty()
        && loaded.is_compiled()
        && can_be_answered
        && !question.per_attack
        && !question.delays
        && !is_parameterised(&loaded.program)
}

fn answer(subject: &mut Subject<'_, '_>, question: &Check) -> Result<CheckAnswer, Diagnostics> {
    misplaced::for_x86(subject.loaded, "`check`")?;
    let found = if asks_for_triage(subject.loaded, question) {
        let is_exact = question.method == CheckMethod::Exact;
        triage(subject, &question.options, is_exact)
            .map(|(triage, robustness)| (vec![robustness], Some(triage)))
    } else {
        results(subject, question).map(|results| (results, None))
    };
    let (results, triage) = match found {
        Ok(found) => found,
        Err(NoAnswer::Refused(errors)) => return Err(errors),
        Err(NoAnswer::Parameterised(parameterised)) => {
            let reason = Reason::Parameterised(parameterised);
            let engine = Engine::Fencewright;
            return Ok(CheckAnswer::undecided(&question.criteria, engine, &reason));
        }
    };
    let program = &subject.loaded.program;
    let attacks = question.per_attack.then(|| {
        if is_parameterised(program) {
            return parameterised::per_attack(program, &question.options, &mut *subject.watch);
        }
        per_attack(program, &question.options).expect("a definite number of threads")
    });
    agree(&results, attacks.as_ref())?;
    let program = &subject.loaded.program;
    let delays = if question.delays { judged(program, &question.options) } else { None };
    agree_on_delays(&results, delays.as_deref())?;
    let (premises, notes) = (Premises::default(), Vec::new());
    // Small searches are not worth an engine elsewhere, and then it is not one that answers.
    let searched = results.iter().map(|result| result.statistics.engine);
    let engine = searched.max().unwrap_or_default().max(question.method.engine());
    let accepted = Vec::new();
    Ok(CheckAnswer { engine, results, triage, attacks, delays, accepted, premises, notes })
}

fn results(subject: &mut Subject<'_, '_>, question: &Check) -> Result<Vec<Checked>, NoAnswer> {
    let Subject { host, loaded, checked, watch } = subject;
    let (criteria, options) = (named(&question.criteria), &question.options);
    let has_any_number = is_parameterised(&loaded.program);
    match question.method {
        CheckMethod::Auto | CheckMethod::Exact if has_any_number => {
            let critical_cycles = question.method == CheckMethod::Auto;
            let options = Options { critical_cycles, ..*options };
            return Ok(parameterised::check(&loaded.program, criteria, &options, &mut **watch));
        }
        CheckMethod::Abstraction(_) if has_any_number => {
            let reason = Reason::AnyNumber(Unknown::Abstraction);
            return Ok(CheckAnswer::undecided(criteria, Engine::Fencewright, &reason).results);
        }
        CheckMethod::Auto
        | CheckMethod::Exact
        | CheckMethod::Abstraction(_)
        | CheckMethod::Spin => {}
    }
    let mut task = Task { program: &loaded.program, criteria, options, watch: &mut **watch };
    let by = |method: Box<dyn Method<NoAnswer> + '_>, task: &mut Task<'_, '_>| {
        Portfolio::new(vec![method]).answer(task)
    };
    match question.method {
        CheckMethod::Auto | CheckMethod::Exact => {
            let portfolio = match question.method {
                CheckMethod::Auto => Portfolio::<NoAnswer>::automatic(),
                CheckMethod::Exact | CheckMethod::Abstraction(_) | CheckMethod::Spin => {
                    Portfolio::exact()
                }
            };
            let mut portfolio = portfolio.knowing(checked.iter().cloned());
            let results = portfolio.answer(&mut task)?;
            **checked = portfolio.into_known();
            Ok(results)
        }
        CheckMethod::Abstraction(depth) => by(Box::new(Abstraction { depth }), &mut task),
        CheckMethod::Spin => by(Box::new(BySpin { host: *host }), &mut task),
    }
}

/// One search for all attacks and one for each must not contradict each other.
fn agree(results: &[Checked], attacks: Option<&AttackTable>) -> Result<(), Diagnostics> {
    let Some(table) = attacks else { return Ok(()) };
    let robustness = results.iter().find(|one| one.criterion == Criterion::Robustness);
    let contradicts = match robustness.map(|one| &one.verdict) {
        Some(Verdict::Holds(_)) => !table.feasible.is_empty(),
        Some(Verdict::Violated(_)) => table.feasible.is_empty() && table.reason.is_none(),
        Some(Verdict::Undecided(_)) | None => false,
    };
    if contradicts { Err(disagreement("The search for one attack")) } else { Ok(()) }
}

/// Static delays must leave room for every violation.
fn agree_on_delays(results: &[Checked], delays: Option<&[JudgedDelay]>) -> Result<(), Diagnostics> {
    let Some(delays) = delays else { return Ok(()) };
    let robustness = results.iter().find(|one| one.criterion == Criterion::Robustness);
    let is_some = |is: fn(&Verdict<Evidence>) -> bool| delays.iter().any(|one| is(&one.verdict));
    let contradicts = match robustness.map(|one| &one.verdict) {
        Some(Verdict::Holds(_)) => is_some(|one| matches!(one, Verdict::Violated(_))),
        Some(Verdict::Violated(_)) => !is_some(|one| !matches!(one, Verdict::Holds(_))),
        Some(Verdict::Undecided(_)) | None => false,
    };
    if contradicts { Err(disagreement("The static analysis")) } else { Ok(()) }
}

/// Two ways to decide something came to different ends.
pub(crate) fn disagreement(who: &str) -> Diagnostics {
    let message = format!("{who} and the search for all attacks disagree");
    vec![
        Diagnostic::new(Span::NONE, message)
            .help("this is a bug in Fencewright, please report it with the program"),
    ]
}
