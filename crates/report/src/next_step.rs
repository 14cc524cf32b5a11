//! What to do about a violation, in a line: the command that repairs it, where fences help, and how to look at the run.

use analysis::{Checked, Criterion, Ending, Verdict};
use semantics::Model;
use workspace::{LookedFor, Matter, ReachAnswer, Triage, Weight};

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
