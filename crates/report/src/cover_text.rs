//! Whether a net can cover a target, for people: the answer, the run, and what the searches did.

use std::fmt::Write;

use coverability::{Answer, Marking, Net, Run};
use workspace::CoverAnswer;

use crate::terminal::line;

/// An answer about one input.
pub fn render(file: &str, answer: &CoverAnswer) -> String {
    let file = &line(file);
    let net = &answer.net;
    let mut text = match &answer.answer {
        Answer::NotCoverable => format!(
            "{file}: not coverable: no marking that can be reached has the tokens of a target, whatever \
             the net begins with\n"
        ),
        Answer::Coverable(run) => {
            let steps = run.transitions.len();
            let noun = if steps == 1 { "step" } else { "steps" };
            format!("{file}: coverable in {steps} {noun}\n\n{}\n", told(net, run))
        }
        Answer::Stopped(limit) => format!("{file}: undecided: {limit}\n"),
    };
    let did = &answer.statistics;
    let _ = writeln!(
        text,
        "  {} places, {} transitions; backward: {} markings tested, {} minimal; forward: {} markings; \
         {:.2} s",
        net.places.len(),
        net.transitions.len(),
        did.tested,
        did.minimal,
        did.markings,
        answer.elapsed.as_secs_f64()
    );
    text
}

/// The run: what it begins with, and what each step takes and puts.
fn told(net: &Net, run: &Run) -> String {
    let mut text = format!("  begins with  {}\n", tokens(net, &run.initial));
    let width = run.transitions.len().to_string().len();
    for (number, transition) in run.transitions.iter().enumerate() {
        let transition = &net.transitions[*transition];
        let (take, put) = (tokens(net, &transition.take), tokens(net, &transition.put));
        let _ = writeln!(text, "  {:>width$}  {take}  ->  {put}", number + 1);
    }
    let _ = writeln!(text, "  covers       {}", tokens(net, &net.targets[run.target]));
    text
}

/// Places with their numbers of tokens, where these are more than one.
fn tokens(net: &Net, marking: &Marking) -> String {
    let one = |(place, count): &(u32, u32)| {
        let name = line(&net.places[*place as usize]);
        if *count == 1 { name } else { format!("{count} {name}") }
    };
    let all: Vec<String> = marking.tokens().iter().map(one).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}
