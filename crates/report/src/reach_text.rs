//! Whether something can be reached, for people: the verdict first, then the run that shows it, then
//! what the search did.

use std::fmt::Write;

use analysis::parameterised::is_parameterised;
use analysis::{Basis, Criterion, Ending, Execution, Histories, Proof, Verdict};
use program::{Program, Sources};
use semantics::{Machine, Model};

use workspace::{LookedFor, ReachAnswer};

use crate::check::instance;
use crate::history_text;
use crate::next_step;
use crate::pointers;
use crate::run_text;
use crate::search_text::{doubt, figures};
use crate::suppressed;
use crate::terminal::{line, verdict};
use crate::undecided::explained;

/// An answer about one input.
pub fn render(
    file: &str,
    program: &Program,
    sources: &Sources,
    answer: &ReachAnswer,
    colour: bool,
) -> String {
    let file = &line(file);
    let model = match answer.model {
        Model::Sc => "SC",
        Model::Tso => "TSO",
    };
    // Who asks for a goal does not say that it is wrong to reach it.
    let is_goal = answer.looked_for == [LookedFor::Goal];
    let mut text = match &answer.verdict {
        Verdict::Holds(proof) => {
            let why = reason_to_hold(proof).map_or_else(String::new, |why| format!("  {why}\n"));
            let holds = verdict("holds");
            let any = if is_parameterised(program) { ", for every number of threads" } else { "" };
            let never = never(&answer.looked_for);
            if is_goal {
                format!("{file}: {never} under {model}{any} ({holds})\n{why}")
            } else {
                format!("{file}: {holds} under {model}: {never}{any}\n{why}")
            }
        }
        Verdict::Violated(execution) => {
            let with = answer.instance.as_deref().map(instance);
            let with = with.map_or_else(String::new, |with| format!(", {with}"));
            let program = run_of(program, answer);
            let machine = Machine::new(program, execution.computation.model)
                .expect("a run of a program with a definite number of threads");
            let found = found(program, (execution, &answer.looked_for), &machine);
            let run = run_text::render(program, sources, execution, &machine, colour);
            let no_buffer = match (answer.model, execution.computation.model) {
                (Model::Tso, Model::Sc) if is_goal => ", and no store has to wait in a buffer",
                (Model::Tso, Model::Sc) => " (and no store has to wait in a buffer)",
                (Model::Tso, Model::Tso) | (Model::Sc, _) => "",
            };
            let violated = verdict("violated") + suppressed::mark(answer.accepted.as_ref());
            if is_goal {
                format!("{file}: {found} under {model}{no_buffer}{with} ({violated})\n\n{run}\n")
            } else {
                format!("{file}: {violated} under {model}: {found}{no_buffer}{with}\n\n{run}\n")
            }
        }
        Verdict::Undecided(reason) => {
            let why = explained(reason);
            let doubt = doubt(why.at, why.advice.as_deref(), sources, colour);
            let undecided = verdict("undecided");
            format!("{file}: {undecided} under {model}: {reason}\n{doubt}")
        }
    };
    text.push_str(&suppressed::lines(sources, answer.accepted.as_ref()));
    text.push_str(&next_step::after_reach(answer));
    if answer.statistics.states > 0 {
        let _ = writeln!(text, "  {}", figures(&answer.statistics, answer.engine.name()));
    }
    text
}

/// The program that the run of an answer is of.
pub(crate) fn run_of<'a>(program: &'a Program, answer: &'a ReachAnswer) -> &'a Program {
    answer.instance.as_ref().map_or(program, |instance| &instance.program)
}

/// The verdict in a word, and why.
pub(crate) fn in_a_line(program: &Program, answer: &ReachAnswer) -> (&'static str, String) {
    match &answer.verdict {
        Verdict::Holds(_) => ("holds", never(&answer.looked_for)),
        Verdict::Violated(execution) => {
            let program = run_of(program, answer);
            let machine = Machine::new(program, execution.computation.model)
                .expect("a run of a program with a definite number of threads");
            ("violated", found(program, (execution, &answer.looked_for), &machine))
        }
        Verdict::Undecided(reason) => ("undecided", reason.to_string()),
    }
}

/// Why what holds under SC holds under TSO.
pub(crate) const fn reason_to_hold(proof: &Proof) -> Option<&'static str> {
    match proof.implied_by() {
        Some(Criterion::Drf) => Some("it has no data race, so TSO adds nothing"),
        Some(Criterion::Trf) => Some("it has no triangular race, so TSO adds nothing"),
        Some(Criterion::Robustness) => Some("the program is robust, so TSO adds nothing"),
        Some(Criterion::Persistence) => Some("the program is persistent, so TSO adds nothing"),
        Some(Criterion::States) => Some("TSO has the states of SC"),
        None => match proof.basis() {
            Basis::AnyLength => Some("store buffers may have any length"),
            Basis::ControlFlow
            | Basis::NoCriticalCycle
            | Basis::AnyNumber
            | Basis::Exhausted { .. }
            | Basis::Abstraction { .. }
            | Basis::ImpliedBy { .. } => None,
        },
    }
}

/// What a run found, in one word for machines.
pub(crate) const fn found_in_a_word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Fault { .. } | Ending::Limit { .. } => "fault",
        Ending::Deadlock(_) => "deadlock",
        Ending::Goal | Ending::StepLimit => "goal",
        Ending::History(_) => "history",
        Ending::Terminated => "final_state",
    }
}

fn noun(looked_for: LookedFor) -> String {
    match looked_for {
        LookedFor::Goal => "goal".to_owned(),
        LookedFor::Forbidden => "forbidden state".to_owned(),
        LookedFor::Fault => "error".to_owned(),
        LookedFor::Deadlock => "deadlock".to_owned(),
        LookedFor::RuledOut(word) => format!("final state that `{word}` rules out"),
        LookedFor::History(asked) => history_text::noun(asked).to_owned(),
    }
}

fn never(looked_for: &[LookedFor]) -> String {
    if let [LookedFor::History(asked)] = looked_for {
        return match asked {
            Histories::Linearizable => "every history is linearizable".to_owned(),
            Histories::SequentiallyConsistent => {
                "every history is sequentially consistent".to_owned()
            }
        };
    }
    if looked_for == [LookedFor::Goal] {
        return "the goal cannot be reached".to_owned();
    }
    let nouns: Vec<String> = looked_for.iter().map(|one| noun(*one)).collect();
    match nouns.as_slice() {
        [] => "nothing was looked for".to_owned(),
        [one] => format!("no {one} can be reached"),
        [first @ .., last] => format!("no {} or {last} can be reached", first.join(", ")),
    }
}

fn found(
    program: &Program,
    (execution, looked_for): (&Execution, &[LookedFor]),
    machine: &Machine<'_>,
) -> String {
    match &execution.ending {
        Ending::Fault { thread, edge, fault } | Ending::Limit { thread, edge, fault } => {
            let why = pointers::why(machine, *thread, *edge, *fault);
            format!("{}: {why}", machine.threads()[*thread].name)
        }
        Ending::Deadlock(_) => "a deadlock can be reached".to_owned(),
        Ending::Goal | Ending::StepLimit if looked_for.contains(&LookedFor::Forbidden) => {
            "a forbidden state can be reached".to_owned()
        }
        Ending::Goal | Ending::StepLimit => "the goal can be reached".to_owned(),
        Ending::History(history) => format!("a {} is possible", history_text::noun(history.asked)),
        Ending::Terminated => {
            let quantifier =
                program.question().condition.as_ref().map(|(quantifier, _)| quantifier);
            let by = quantifier.map_or_else(String::new, |it| format!(" that `{it}` rules out"));
            format!("a final state{by} can be reached")
        }
    }
}
