//! Findings that the source itself accepts.
//!
//! A comment `// fencewright: allow(not-robust): why` accepts findings of one kind ([`Rule`]) at one line. It changes no
//! verdict: what is violated stays violated, and every format shows it as suppressed. It changes what the answer comes to,
//! and only if every violation of that kind is accepted:
//!
//! - Where all violations can be listed, they are: the attacks of ESOP'13 one by one for robustness, all pairs for races of
//!   plain accesses, all pairs for critical cycles. If each has an accepted access, the answer comes to
//!   [`Conclusion::Suppressed`]; if one has not, it is violated, by that one.
//! - Everywhere else a search ends with the first violation that it meets, and what else there is nobody has looked for.
//!   Then the answer comes to *undecided*: a comment about one line says nothing of the others.
//!
//! A violation is at the accesses that it is told by: the store and the load of an attack, the two accesses of a race, the
//! instruction of an error. It is accepted if one of them is.

mod comments;

use std::collections::BTreeSet;

use analysis::parameterised::is_parameterised;
use analysis::robustness::{AttackTable, per_attack};
use analysis::{Ending, Evidence, Execution, Options, Verdict, plain_races};
use program::{EdgeId, Order, Program, Sources, Span, TemplateId};
use semantics::Move;
use web_time::Instant;

use crate::Conclusion;
use crate::check::CheckAnswer;
use crate::cycles::CyclesAnswer;
use crate::notes::{Note, NoteCode};
use crate::rule::Rule;
use crate::store::Subject;
use crate::triage::share;

pub use comments::Suppression;

/// The comments of a program that accept findings.
#[derive(Clone, Debug, Default)]
pub struct Suppressions(Vec<Suppression>);

/// What comments accept of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The kind of finding.
    pub rule: Rule,
    /// The comments, in the order of the text.
    pub by: Vec<Suppression>,
    /// What there is besides.
    pub others: Others,
}

/// The violations of one kind that no comment accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Others {
    /// There are none: of so many violations all are accepted.
    None(usize),
    /// These: each with the place where it is and the other access.
    These(Vec<[Span; 2]>),
    /// Nobody has looked for them.
    NotLookedFor,
    /// They were looked for, and it is not known whether all were found.
    Unknown,
}

impl Accepted {
    /// What a violation comes to of which this is accepted.
    pub const fn conclusion(&self) -> Conclusion {
        match self.others {
            Others::None(_) => Conclusion::Suppressed,
            Others::These(_) => Conclusion::Violated,
            Others::NotLookedFor | Others::Unknown => Conclusion::Undecided,
        }
    }
}

impl Suppressions {
    /// Those of these texts.
    pub fn of(sources: &Sources) -> Self {
        Self(comments::suppressions(sources))
    }

    /// The comment that accepts a finding of this kind at one of these places.
    pub fn covering(&self, sources: &Sources, rule: Rule, places: &[Span]) -> Option<&Suppression> {
        let covers = |one: &Suppression, place: &Span| {
            let Some(source) = place.source else { return false };
            let line = |offset| sources.line_column(source, offset).0;
            // A comment can stand behind a statement of several lines.
            let last = place.end.saturating_sub(1).max(place.start);
            one.span.source == Some(source)
                && (one.line == line(place.start) || one.line == line(last))
        };
        let mut of_rule = self.0.iter().filter(|one| one.rules.contains(&rule));
        of_rule.find(|one| places.iter().any(|place| covers(one, place)))
    }

    /// What is said of comments that accept nothing, since they name no kind of finding.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let unknown = self.0.iter().flat_map(|one| one.unknown.iter().map(|name| (one.span, name)));
        let note = |(span, name): (Span, &String)| {
            let kinds = Rule::ALL.into_iter().filter(|rule| rule.can_be_accepted());
            let kinds: Vec<&str> = kinds.map(Rule::id).collect();
            let text = format!(
                "`{name}` accepts nothing: a suppression is `fencewright: allow(KIND): reason`, with one of {}",
                kinds.join(", ")
            );
            Note { code: NoteCode::Suppression, span, text }
        };
        unknown.map(note).collect()
    }

    const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The places that a violation is told by, the first where it is shown.
pub fn places(program: &Program, evidence: &Evidence) -> Vec<Span> {
    let steps = &evidence.execution().computation.steps;
    let of_step = |step: usize| match steps[step].taken {
        Move::Execute { thread, edge, .. } => span(program, thread_template(program, thread), edge),
        Move::Commit { .. } => Span::NONE,
    };
    match evidence {
        Evidence::Cycle(witness) => vec![of_step(witness.issue_step), of_step(witness.load_step)],
        Evidence::Overtaking(one) => vec![of_step(one.issue_step), of_step(one.load_step)],
        Evidence::Race(race) => race
            .accesses
            .iter()
            .map(|access| span(program, thread_template(program, access.thread), access.edge))
            .collect(),
        Evidence::TsoOnly(elsewhere) => vec![ends_at(program, &elsewhere.execution)],
    }
}

/// Where an error is that ends a run, or the last instruction.
pub fn ends_at(program: &Program, execution: &Execution) -> Span {
    let at = |thread, edge| span(program, thread_template(program, thread), edge);
    match &execution.ending {
        Ending::Fault { thread, edge, .. } | Ending::Limit { thread, edge, .. } => {
            at(*thread, *edge)
        }
        Ending::Terminated
        | Ending::Goal
        | Ending::StepLimit
        | Ending::History(_)
        | Ending::Deadlock(_) => {
            let executed = |taken: Move| match taken {
                Move::Execute { thread, edge, .. } => Some(at(thread, edge)),
                Move::Commit { .. } => None,
            };
            let steps = execution.computation.steps.iter().rev();
            let mut spans = steps.filter_map(|step| executed(step.taken));
            spans.find(|span| span.source.is_some()).unwrap_or(Span::NONE)
        }
    }
}

fn thread_template(program: &Program, thread: program::ThreadId) -> TemplateId {
    let threads = program.threads().expect("a run of a program with a definite number of threads");
    threads[thread].template
}

fn span(program: &Program, template: TemplateId, edge: EdgeId) -> Span {
    program.template(template).edge(edge).span
}

/// What is accepted of what `check` found, and what else there is.
pub(crate) fn of_check(
    subject: &mut Subject<'_, '_>,
    answer: &CheckAnswer,
    options: &Options,
) -> (Vec<Accepted>, Vec<Note>) {
    let loaded = subject.loaded;
    let (program, sources) = (&loaded.program, &loaded.sources);
    let known = Suppressions::of(sources);
    if known.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut violated: Vec<(Rule, &Program, &Evidence)> = Vec::new();
    match &answer.triage {
        Some(triage) => violated.extend(triage.concerns.iter().filter_map(|concern| {
            let evidence = violation(&concern.verdict)?;
            let rule = Rule::of_matter(concern.matter, &evidence.execution().ending);
            Some((rule, program, evidence))
        })),
        None => violated.extend(answer.results.iter().filter_map(|checked| {
            let instance = checked.instance.as_ref().map_or(program, |instance| &instance.program);
            Some((Rule::Violated(checked.criterion), instance, violation(&checked.verdict)?))
        })),
    }
    // Where nobody asked for a long search, listing all violations is none either.
    let options = match &answer.triage {
        Some(_) => &share(options, 1, Instant::now()),
        None => options,
    };
    let mut accepted = Vec::new();
    for (rule, shown_in, evidence) in violated {
        let Some(by) = known.covering(sources, rule, &places(shown_in, evidence)) else { continue };
        let pairs = match rule {
            _ if is_parameterised(program) => None,
            Rule::Violated(analysis::Criterion::Robustness) => {
                Some(attacks(program, answer.attacks.as_ref(), options))
            }
            Rule::PlainRace => Some(races(program, options, subject)),
            Rule::Violated(_)
            | Rule::Error
            | Rule::Deadlock
            | Rule::FinalState
            | Rule::Goal
            | Rule::History
            | Rule::MissingFence
            | Rule::WeakOrder
            | Rule::MoreThanNeeded
            | Rule::CriticalCycle
            | Rule::Undecided
            | Rule::Input => None,
        };
        accepted.push(match pairs {
            Some(pairs) => split(&known, sources, rule, (by, pairs)),
            None => Accepted { rule, by: vec![by.clone()], others: Others::NotLookedFor },
        });
    }
    (accepted, known.notes())
}

const fn violation(verdict: &Verdict<Evidence>) -> Option<&Evidence> {
    match verdict {
        Verdict::Violated(evidence) => Some(evidence),
        Verdict::Holds(_) | Verdict::Undecided(_) => None,
    }
}

/// What is accepted of what `reach` found.
pub(crate) fn of_run(
    sources: &Sources,
    program: &Program,
    verdict: &Verdict<Execution>,
) -> (Option<Accepted>, Vec<Note>) {
    let known = Suppressions::of(sources);
    let accepted = match verdict {
        Verdict::Violated(execution) => {
            let rule = Rule::of_ending(&execution.ending);
            let by = known.covering(sources, rule, &[ends_at(program, execution)]);
            by.map(|by| Accepted { rule, by: vec![by.clone()], others: Others::NotLookedFor })
        }
        Verdict::Holds(_) | Verdict::Undecided(_) => None,
    };
    (accepted, known.notes())
}

/// What is accepted of the pairs that the static method leaves open.
pub(crate) fn of_cycles(sources: &Sources, answer: &CyclesAnswer) -> (Option<Accepted>, Vec<Note>) {
    let known = Suppressions::of(sources);
    let shown = &answer.found.shown;
    let pairs = Pairs {
        all: shown.iter().map(|delay| [delay.first.span, delay.second.span]).collect(),
        is_complete: shown.len() == answer.found.delays && answer.found.stretches.is_empty(),
    };
    let rule = Rule::CriticalCycle;
    let by = pairs.all.iter().find_map(|pair| known.covering(sources, rule, pair)).cloned();
    (by.map(|by| split(&known, sources, rule, (&by, pairs))), known.notes())
}

/// Violations, each by its two accesses, and whether that is all of them.
struct Pairs {
    all: BTreeSet<[Span; 2]>,
    is_complete: bool,
}

/// Those that are accepted, one of them by this comment, and the others.
fn split(
    known: &Suppressions,
    sources: &Sources,
    rule: Rule,
    (first, pairs): (&Suppression, Pairs),
) -> Accepted {
    let mut by = vec![first.clone()];
    let mut others = Vec::new();
    let count = pairs.all.len();
    for pair in pairs.all {
        match known.covering(sources, rule, &pair) {
            Some(one) if by.contains(one) => {}
            Some(one) => by.push(one.clone()),
            None => others.push(pair),
        }
    }
    by.sort_by_key(|one| one.span);
    let others = match others.as_slice() {
        [] if pairs.is_complete => Others::None(count),
        [] => Others::Unknown,
        [_, ..] => Others::These(others),
    };
    Accepted { rule, by, others }
}

/// All attacks that are feasible.
fn attacks(program: &Program, known: Option<&AttackTable>, options: &Options) -> Pairs {
    let asked = if known.is_none() { per_attack(program, options).ok() } else { None };
    let Some(table) = known.or(asked.as_ref()) else {
        return Pairs { all: BTreeSet::new(), is_complete: false };
    };
    let pair = |attack: &instrument::Attack| {
        let template = thread_template(program, attack.thread);
        [attack.store, attack.load].map(|edge| span(program, template, edge))
    };
    Pairs {
        all: table.feasible.iter().map(pair).collect(),
        is_complete: table.undecided == 0 && table.reason.is_none(),
    }
}

/// All races in which an access is plain.
fn races(program: &Program, options: &Options, subject: &mut Subject<'_, '_>) -> Pairs {
    let Ok(races) = plain_races(program, options, &mut *subject.watch) else {
        return Pairs { all: BTreeSet::new(), is_complete: false };
    };
    let is_plain = |(template, edge): (TemplateId, EdgeId)| {
        let access = program.template(template).edge(edge).instruction.memory_access();
        access.is_some_and(|(_, access)| access.order == Order::Plain)
    };
    let undefined = races.pairs.iter().filter(|pair| pair.iter().any(|place| is_plain(*place)));
    let pair = |pair: &[(TemplateId, EdgeId); 2]| {
        // Neither access comes first.
        let mut pair = pair.map(|(template, edge)| span(program, template, edge));
        pair.sort_unstable();
        pair
    };
    Pairs { all: undefined.map(pair).collect(), is_complete: races.is_complete }
}
