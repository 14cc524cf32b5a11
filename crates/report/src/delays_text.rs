//! Static delays for people, with what the exact method says of each.

use std::fmt::Write;

use analysis::Verdict;
use program::{Program, Sources};
use semantics::{Machine, Model};
use workspace::JudgedDelay;

use crate::narrator::Narrator;
use crate::search_text::counted;
use crate::table::align;
use crate::witness_text::witness;

/// The delays: a table, and a run for each that is confirmed.
pub(crate) fn render(
    program: &Program,
    sources: &Sources,
    delays: &[JudgedDelay],
    colour: bool,
) -> String {
    let Ok(machine) = Machine::new(program, Model::Tso) else { return String::new() };
    let narrator = Narrator::new(program, sources, &machine);
    let count = u64::try_from(delays.len()).unwrap_or(u64::MAX);
    let mut text = format!("{} on static critical cycles", counted(count, "delay"));
    if delays.is_empty() {
        text.push('\n');
        return text;
    }
    text.push_str(":\n");
    let header = ["", "thread", "line", "store", "line", "load that may overtake it"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for delay in delays {
        let thread = delay.attack.thread;
        let mut row = vec![word(delay).to_owned(), machine.threads()[thread].name.clone()];
        for edge in [delay.attack.store, delay.attack.load] {
            row.push(narrator.line_of(thread, edge));
            row.push(narrator.instruction(thread, edge));
        }
        rows.push(row);
    }
    text.push_str(&align(&rows, 2));
    for delay in delays {
        match &delay.verdict {
            Verdict::Holds(_) => {}
            Verdict::Violated(evidence) => {
                let _ =
                    writeln!(text, "\n{}", witness(program, sources, evidence, colour).trim_end());
            }
            Verdict::Undecided(reason) => {
                let _ = writeln!(text, "  undecided: {reason}");
            }
        }
    }
    text
}

/// What became of a delay.
pub(crate) const fn word(delay: &JudgedDelay) -> &'static str {
    match &delay.verdict {
        Verdict::Holds(_) => "refuted",
        Verdict::Violated(_) => "confirmed",
        Verdict::Undecided(_) => "undecided",
    }
}
