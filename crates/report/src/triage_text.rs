//! What matters to an author, for people: what it comes to, a line for each question with what it means, and
//! the run of the worst violation.

use std::fmt::Write;

use analysis::{Statistics, Verdict};
use program::{Program, Sources};
use workspace::{Concern, Triage, Weight};

use crate::next_step;
use crate::search_text::{doubt, figures};
use crate::table::align;
use crate::terminal::verdict;
use crate::triage::{asked, in_a_line, means, verdict_word, why};
use crate::undecided::place;
use crate::witness_text::witness;

/// An answer about one input.
pub(crate) fn render(
    file: &str,
    program: &Program,
    sources: &Sources,
    triage: &Triage,
    colour: bool,
) -> String {
    let (word, line) = in_a_line(program, triage);
    let mut text = format!("{file}: {} {line}\n", verdict(word));
    let mut rows = Vec::new();
    for concern in &triage.concerns {
        let name = asked(concern.matter).to_owned();
        let why = why(program, concern, triage.seen);
        rows.push(vec![name, verdict(verdict_word(concern)), why]);
        rows.extend(means(concern).map(|means| vec![String::new(), String::new(), means]));
    }
    text.push_str(&align(&rows, 2));
    if let Some(worst) = triage.worst() {
        text.push_str(&details(program, sources, worst, colour));
    }
    text.push_str(&next_step::after_triage(triage));
    let mut all = Statistics::default();
    triage.concerns.iter().for_each(|concern| all.include(&concern.statistics));
    if all.states > 0 {
        let _ = writeln!(text, "  {}", figures(&all, "fencewright"));
    }
    text
}

/// The run of the worst, if it is one that harms.
fn details(program: &Program, sources: &Sources, worst: &Concern, colour: bool) -> String {
    match (&worst.verdict, worst.weight) {
        (Verdict::Violated(evidence), Weight::Harm) => {
            format!("\n{}\n", witness(program, sources, evidence, colour))
        }
        (Verdict::Undecided(reason), Weight::Unknown) => {
            doubt(place(reason), None, sources, colour)
        }
        (Verdict::Violated(_) | Verdict::Undecided(_) | Verdict::Holds(_), _) => String::new(),
    }
}
