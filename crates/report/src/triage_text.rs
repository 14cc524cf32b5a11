//! What matters to an author, for people: what it comes to, a line for each question with what it means, and
//! the run of the worst violation.

use std::fmt::Write;

use analysis::{Statistics, Verdict};
use program::{Program, Sources};
use workspace::{Accepted, Concern, Triage, Weight};

use crate::next_step;
use crate::search_text::{doubt, figures};
use crate::suppressed;
use crate::table::align;
use crate::terminal::verdict;
use crate::triage::{asked, in_a_line, meanings, verdict_word, why};
use crate::undecided::place;
use crate::witness_text::witness;

/// An answer about one input.
pub(crate) fn render(
    file: &str,
    program: &Program,
    sources: &Sources,
    (triage, accepted): (&Triage, &[Accepted]),
    colour: bool,
) -> String {
    let (word, line) = in_a_line(program, triage);
    let mark = triage.worst().and_then(|worst| worst.accepted(accepted));
    let mark = suppressed::mark(mark);
    let mut text = format!("{file}: {}{mark} {line}\n", verdict(word));
    let mut rows = Vec::new();
    for (concern, means) in triage.concerns.iter().zip(meanings(&triage.concerns)) {
        let name = asked(concern.matter).to_owned();
        let why = why(program, concern, triage.seen);
        let mark = suppressed::mark(concern.accepted(accepted));
        rows.push(vec![name, verdict(verdict_word(concern)) + mark, why]);
        rows.extend(means.map(|means| vec![String::new(), String::new(), means]));
    }
    text.push_str(&align(&rows, 2));
    if let Some(worst) = triage.worst() {
        text.push_str(&details(program, sources, worst, colour));
    }
    for concern in &triage.concerns {
        text.push_str(&suppressed::lines(sources, concern.accepted(accepted)));
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
