//! What to do about a violation, in a line: the command that repairs it, where fences help, and how to look at the run.

use analysis::final_states::{FailedRun, Witness};
use analysis::{Checked, Criterion, Ending, Verdict};
use axiomatic::{AnyModel, Model as Machine};
use frontend::Language;
use program::{Program, Quantifier, Sources};
use semantics::Model;
use workspace::cycles::Confirmed;
use workspace::{CyclesAnswer, LookedFor, Matter, ReachAnswer, Triage, Weight};

use crate::outcomes::Answer;

const STEPPER: &str = "`--format html` steps through the run";

fn repaired_by(command: &str) -> String {
    format!("  next: `{command}` finds the cheapest repair; {STEPPER}\n")
}

fn look() -> String {
    format!("  next: {STEPPER}\n")
}

fn robust() -> String {
    repaired_by("fencewright fence")
}

fn safe() -> String {
    repaired_by("fencewright fence --criterion safety")
}

/// After what matters to an author.
pub(crate) fn after_triage(triage: &Triage) -> String {
    let Some(worst) = triage.worst() else { return String::new() };
    match (worst.weight, worst.matter) {
        (Weight::Harm, Matter::Errors) if !worst.is_under_sc() => safe(),
        (Weight::Harm, Matter::Results) => robust(),
        (Weight::Harm, _) => look(),
        (Weight::Unknown | Weight::Harmless | Weight::Fine, _) => String::new(),
    }
}

/// After what `check` has found: the strongest criterion that was asked for and is violated is to be repaired.
pub(crate) fn after_check(findings: &[Checked]) -> String {
    let violated = |criterion: Criterion| {
        findings.iter().any(|finding| {
            finding.criterion == criterion && matches!(finding.verdict, Verdict::Violated(_))
        })
    };
    if violated(Criterion::Robustness) {
        return robust();
    }
    let by_fences = [Criterion::Trf, Criterion::Persistence, Criterion::States];
    if let Some(criterion) = by_fences.into_iter().find(|criterion| violated(*criterion)) {
        return repaired_by(&format!("fencewright fence --criterion {criterion}"));
    }
    if violated(Criterion::Drf) { look() } else { String::new() }
}

/// After final states: how to see one that SC does not have and to exclude it, or why one that was asked for is not
/// among them.
pub(crate) fn after_outcomes(program: &Program, language: Language, answer: &Answer<'_>) -> String {
    if let Some(asked) = answer.asked {
        return match (&asked.found, &asked.why_not) {
            (Some((_, Witness::Run(_))), _) => look(),
            (Some((_, Witness::Graph(_))), _) => "  next: `--format html` draws it\n".to_owned(),
            (None, Some(why)) if !why.kinds.is_empty() => {
                "  next: `--format html` draws them\n".to_owned()
            }
            (None, _) => String::new(),
        };
    }
    let states = answer.states;
    if states.undefined().is_some() {
        return String::new();
    }
    let Some(weak) = states.states.iter().find(|state| state.only_weak == Some(true)) else {
        return without_weak_states(answer);
    };
    let asked = asked_for(program, language, answer, &weak.values);
    let look = asked.map_or_else(
        || "`--format html` shows executions that end like this".to_owned(),
        |asked| format!("`--show '{asked}'` shows an execution that ends like this"),
    );
    let repair = match states.model {
        AnyModel::BuiltIn(Machine::Tso) => "; `fencewright fence --criterion states` excludes it",
        AnyModel::BuiltIn(Machine::Power) => "; `fencewright fence --arch power` excludes it",
        AnyModel::BuiltIn(Machine::ArmV7) => "; `fencewright fence --arch armv7` excludes it",
        AnyModel::BuiltIn(Machine::AArch64 | Machine::AArch64Lse) => {
            "; `fencewright fence --arch aarch64` excludes it"
        }
        AnyModel::BuiltIn(Machine::RiscV) => "; `fencewright fence --arch riscv` excludes it",
        AnyModel::BuiltIn(Machine::Pso) => "; `fencewright fence --arch pso` excludes it",
        AnyModel::BuiltIn(Machine::Rmo) => "; `fencewright fence --arch rmo` excludes it",
        AnyModel::BuiltIn(Machine::Sc | Machine::Rc11 | Machine::Imm) | AnyModel::File(_) => "",
    };
    format!("  next: {look}{repair}\n")
}

/// After final states that SC has as well.
fn without_weak_states(answer: &Answer<'_>) -> String {
    let states = answer.states;
    let is_weak = |error: &FailedRun| error.only_weak == Some(true);
    if matches!(states.model, AnyModel::BuiltIn(Machine::Tso)) && states.errors.iter().any(is_weak)
    {
        return "  next: `fencewright reach --model tso` shows a run with the error; \
                `fencewright fence --criterion safety` finds the cheapest repair\n"
            .to_owned();
    }
    let Some(known) = states.answer.filter(|_| states.doubt.is_none()) else {
        return String::new();
    };
    let often = match known.quantifier {
        Quantifier::Exists | Quantifier::Never if known.positive == 0 => "never",
        Quantifier::Always if known.negative == 0 => "always",
        Quantifier::Exists | Quantifier::Never | Quantifier::Always => return String::new(),
    };
    format!("  next: `--format html` shows why the condition is {often} true\n")
}

/// The longest condition that is worth repeating.
const LONGEST: usize = 80;

/// A final state as a condition that can be typed, if it can.
fn asked_for(
    program: &Program,
    language: Language,
    answer: &Answer<'_>,
    values: &[program::Value],
) -> Option<String> {
    let equals = if language == Language::Litmus { "=" } else { " == " };
    let parts = answer.states.shown.iter().zip(values).map(|(seen, value)| {
        let (name, value) = (answer.words.observable(*seen), answer.words.value(*seen, *value));
        format!("{name}{equals}{value}")
    });
    let text = parts.collect::<Vec<_>>().join(" && ");
    let mut sources = Sources::new();
    let source = sources.add("--show", text.as_str());
    let is_read = frontend::condition(&sources, source, language, program).is_ok();
    (is_read && text.len() <= LONGEST && !text.contains('\'')).then_some(text)
}

/// After static delays that nothing was done about.
pub(crate) fn after_delays(answer: &CyclesAnswer) -> String {
    let is_answered = answer.confirmed.as_ref().is_some_and(Confirmed::is_robust);
    if answer.found.is_robust() || answer.repair.is_some() || answer.audit.is_some() || is_answered
    {
        return String::new();
    }
    let arch = answer.arch.name();
    let ask = match answer.confirmed {
        Some(_) => "",
        None => "; `--delays` says which of the delays can happen",
    };
    format!(
        "  next: `fencewright fence --method static --arch {arch}` finds the cheapest fences against them{ask}\n"
    )
}

/// After what `reach` has found: a fence helps where a store has to wait for it.
pub(crate) fn after_reach(answer: &ReachAnswer) -> String {
    let Verdict::Violated(execution) = &answer.verdict else { return String::new() };
    if execution.computation.model == Model::Sc {
        return look();
    }
    match &execution.ending {
        Ending::Fault { .. } | Ending::Terminated => safe(),
        Ending::Goal | Ending::StepLimit if answer.looked_for.contains(&LookedFor::Forbidden) => {
            safe()
        }
        Ending::History(history) => {
            repaired_by(&format!("fencewright fence --criterion {}", history.asked.name()))
        }
        Ending::Goal | Ending::StepLimit | Ending::Limit { .. } | Ending::Deadlock(_) => look(),
    }
}
