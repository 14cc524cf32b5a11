//! Final states for people: one per line, what SC does not have marked, then the answer to the
//! program's question; or one of them, with the way there.

use std::fmt::Write;

use analysis::final_states::{FailedRun, State, Witness};
use axiomatic::{Violation, WhyNot};
use frontend::Language;
use program::{Program, Sources};
use semantics::Machine;
use workspace::outcomes::model_name as name;
use workspace::{OutcomesAnswer, Shown};

use crate::execution_text::letter;
use crate::next_step;
use crate::outcomes::{Answer, Place, place, word};
use crate::search_text::{counted, doubt, figures};
use crate::terminal::line;
use crate::{execution_text, reason_text, run_text};

/// An answer about one input.
pub fn render(
    file: &str,
    program: &Program,
    sources: &Sources,
    (answer, language): (&OutcomesAnswer, Language),
    colour: bool,
) -> String {
    let found = match &answer.states {
        Ok(found) => found,
        Err(reason) => return reason_text::render(file, reason),
    };
    let file = &line(file);
    let answer =
        &Answer::new(found, (answer.shown.as_ref(), answer.reference), (program, language));
    let mut text = match answer.asked {
        None => states(file, program, sources, answer, colour),
        Some(asked) => one(file, program, sources, answer, asked, colour),
    };
    let states = answer.states;
    text.push_str(&flags(program, sources, answer));
    if let Some(remark) = answer.remark() {
        let _ = writeln!(text, "  {remark}");
    }
    text.push_str(&next_step::after_outcomes(program, language, answer));
    if let Some(candidates) = states.candidates {
        let seconds = states.statistics.elapsed.as_secs_f64();
        let asked = counted(candidates, "candidate execution");
        let _ = writeln!(text, "  fencewright asked the axioms about {asked} in {seconds:.2} s");
    } else if states.statistics.states > 0 {
        let _ = writeln!(text, "  {}", figures(&states.statistics, "fencewright"));
    }
    text
}

/// What the model flags: in full if it leaves nothing defined, by name if not.
fn flags(program: &Program, sources: &Sources, answer: &Answer<'_>) -> String {
    let mut text = String::new();
    for (flag, raised) in &answer.states.flags {
        if !raised.undefined {
            let _ = writeln!(text, "  flag of the model: {flag}");
            continue;
        }
        let pairs = raised.pairs.iter().map(|(from, to)| {
            let (from, to) = (execution_text::letter(*from), execution_text::letter(*to));
            if from == to { from } else { format!("{from} and {to}") }
        });
        let pairs: Vec<String> = pairs.collect();
        let graph = execution_text::render(program, sources, &raised.execution);
        let _ = write!(text, "\n  {flag}: {} here:\n\n{graph}\n", pairs.join(", "));
    }
    text
}

/// How many executions would lead to a final state if they were allowed.
pub(crate) fn counted_candidates(why: &WhyNot) -> String {
    if why.candidates == 0 && why.others {
        return String::new();
    }
    if why.candidates == 0 {
        return "  even if each cell is looked at separately, the values that threads can read do not lead there\n"
            .to_owned();
    }
    let candidates = counted(why.candidates, "candidate execution");
    let they = if why.candidates == 1 { "it is" } else { "they are" };
    format!("  {candidates} would end like that; {they} forbidden by\n")
}

/// An axiom, and the cycle that it excludes.
pub(crate) fn forbidden_by(violation: &Violation) -> String {
    let step = |(from, relation, _): &(usize, String, usize)| {
        let relation = if relation.is_empty() { String::new() } else { format!(" {relation}") };
        format!("{}{relation} →", letter(*from))
    };
    let steps: Vec<String> = violation.cycle.iter().map(step).collect();
    let first = violation.cycle.first().map_or_else(String::new, |(from, _, _)| letter(*from));
    format!("{}: {} {first}", violation.axiom, steps.join(" "))
}

/// Why there is no final state of some kind: each kind of reason with an execution.
fn why_not(program: &Program, sources: &Sources, why: &WhyNot) -> String {
    let mut text = counted_candidates(why);
    if why.candidates == 0 {
        return text;
    }
    for (number, (execution, violation)) in why.kinds.values().enumerate() {
        let _ = writeln!(text, "\n  {}. {}\n", number + 1, forbidden_by(violation));
        text.push_str(&execution_text::render(program, sources, execution));
    }
    text.push('\n');
    text
}

/// All final states.
fn states(
    file: &str,
    program: &Program,
    sources: &Sources,
    answer: &Answer<'_>,
    colour: bool,
) -> String {
    let (all, model) = (answer.states, name(&answer.states.model));
    let reference = answer.reference.shown();
    let only_weak = all.states.iter().map(|state| state.only_weak);
    let only_weak = only_weak.chain(all.errors.iter().map(|error| error.only_weak));
    let new = only_weak.clone().filter(|only| *only == Some(true)).count();
    let unknown = only_weak.clone().any(|only| only.is_none());
    let lists_any = only_weak.count() > 0;
    let count = |number: usize, noun| counted(u64::try_from(number).unwrap_or(u64::MAX), noun);
    let mut many = count(all.states.len(), "final state");
    if !all.errors.is_empty() {
        many = format!("{many} and {}", count(all.errors.len(), "error"));
    }
    let mut text = match (&answer.doubt, all.undefined()) {
        (_, Some((flag, _))) => format!(
            "{file}: undefined under {model}: {flag}, so everything is possible; {many} otherwise\n"
        ),
        (None, None) if new > 0 => {
            format!("{file}: {many} under {model}, {new} not under {reference}\n")
        }
        (None, None) => format!("{file}: {many} under {model}\n"),
        (Some(why), None) => {
            let reason = &why.reason;
            let mut text = format!("{file}: undecided under {model}: {reason}\n");
            text.push_str(&doubt(why.at, why.advice.as_deref(), sources, colour));
            if lists_any {
                let _ = writeln!(text, "  {many} so far:");
            }
            text
        }
    };
    if lists_any {
        text.push('\n');
    }
    for state in &all.states {
        let _ = writeln!(text, "  {} {}", mark(state.only_weak), seen(answer, state));
    }
    for error in &all.errors {
        let told = failed(program, sources, error);
        let _ = writeln!(text, "  {} error: {told}", mark(error.only_weak));
    }
    if lists_any {
        text.push('\n');
    } else if answer.doubt.is_none() && program.question().filter.is_none() {
        text.push_str("  no run ends\n");
    }
    if new > 0 {
        let _ = writeln!(text, "  * not under {reference}");
    }
    if unknown {
        let _ = writeln!(text, "  ? not seen under {reference}, of which not all states are known");
    }
    if let Some(asked) = &all.answer {
        let often = match asked.observation {
            None if all.undefined().is_some() => "everything is possible".to_owned(),
            Some(observation) => {
                let (yes, no) = (asked.positive, asked.negative);
                format!("{} ({yes} yes, {no} no)", word(observation))
            }
            None => "not known".to_owned(),
        };
        let holds = match asked.holds {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "is undecided",
        };
        let _ = writeln!(text, "  observation: {often}; `{}` {holds}", asked.quantifier);
    }
    text
}

const fn mark(only_weak: Option<bool>) -> &'static str {
    match only_weak {
        Some(true) => "*",
        Some(false) => " ",
        None => "?",
    }
}

/// An error: whose, which, and where.
fn failed(program: &Program, sources: &Sources, error: &FailedRun) -> String {
    let Place { thread, span, why } = place(program, error);
    let at = match span.source {
        Some(source) => {
            let (line, _) = sources.line_column(source, span.start);
            format!(" ({}, line {line})", sources.name(source))
        }
        None => String::new(),
    };
    format!("{thread}: {why}{at}")
}

fn seen(answer: &Answer<'_>, state: &State) -> String {
    if answer.states.shown.is_empty() {
        return "all threads end, and no variable outlives them".to_owned();
    }
    let shown = answer.states.shown.iter().copied();
    answer.state(shown.zip(state.values.iter().copied()))
}

/// One final state that was asked for.
fn one(
    file: &str,
    program: &Program,
    sources: &Sources,
    answer: &Answer<'_>,
    asked: &Shown,
    colour: bool,
) -> String {
    let model = name(&answer.states.model);
    let condition = &asked.condition;
    let Some((values, witness)) = &asked.found else {
        return match (&answer.doubt, answer.states.undefined()) {
            (_, Some((flag, _))) => {
                format!("{file}: undefined under {model}: {flag}, so `{condition}` is possible\n")
            }
            (None, None) => {
                let why = asked.why_not.as_ref();
                let why = why.map(|why| why_not(program, sources, why)).unwrap_or_default();
                format!("{file}: no final state under {model} satisfies `{condition}`\n{why}")
            }
            (Some(why), None) => {
                let reason = &why.reason;
                let advice = doubt(why.at, why.advice.as_deref(), sources, colour);
                format!(
                    "{file}: undecided under {model}: {reason}\n{advice}  no final state so far \
                     satisfies `{condition}`\n"
                )
            }
        };
    };
    let state = answer.state(values.iter().copied());
    let mut text = format!("{file}: a final state under {model}: {state}\n\n");
    match witness {
        Witness::Run(run) => {
            let machine = Machine::new(program, run.computation.model)
                .expect("a run of a program with a definite number of threads");
            text.push_str(&run_text::render(program, sources, run, &machine, colour));
        }
        Witness::Graph(execution) => {
            text.push_str(&execution_text::render(program, sources, execution));
        }
    }
    text.push('\n');
    text
}
