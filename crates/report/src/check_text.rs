//! Whether TSO differs from SC, for people: the verdict first, then the run that shows it with its
//! explanation, then what the search did.

use std::fmt::Write;

use analysis::parameterised::is_parameterised;
use analysis::robustness::AttackTable;
use analysis::{Checked, Criterion, Evidence, Verdict};
use program::{Program, Sources};
use semantics::{Machine, Model};

use workspace::{Accepted, CheckAnswer, Rule};

use crate::check::{headline, instance, meaning, remark, shown_in, verdict};
use crate::narrator::Narrator;
use crate::next_step;
use crate::search_text::{counted, doubt, figures};
use crate::suppressed;
use crate::table::align;
use crate::terminal::{self, line};
use crate::triage_text;
use crate::undecided::{advice, place};
use crate::witness_text::witness;

/// An answer about one input.
pub fn render(
    file: &str,
    program: &Program,
    sources: &Sources,
    answer: &CheckAnswer,
    colour: bool,
) -> String {
    let file = &line(file);
    let teller = Teller { program, sources, answer, engine: answer.engine.name(), colour };
    let mut text = match (&answer.triage, answer.results.as_slice()) {
        (Some(triage), _) => {
            triage_text::render(file, program, sources, (triage, &answer.accepted), colour)
        }
        (None, [one]) => teller.one(file, one),
        (None, several) => teller.several(file, several),
    };
    if let Some(table) = &answer.attacks {
        text.push('\n');
        text.push_str(&teller.attacks(table));
    }
    if let Some(delays) = &answer.delays {
        text.push('\n');
        text.push_str(&crate::delays_text::render(program, sources, delays, colour));
    }
    text
}

struct Teller<'a> {
    program: &'a Program,
    sources: &'a Sources,
    answer: &'a CheckAnswer,
    engine: &'static str,
    colour: bool,
}

/// A verdict in one word.
pub(crate) const fn word(verdict: &Verdict<Evidence>) -> &'static str {
    match verdict {
        Verdict::Holds(_) => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Undecided(_) => "undecided",
    }
}

impl Teller<'_> {
    /// One criterion, in full.
    fn one(&self, file: &str, finding: &Checked) -> String {
        let (word, summary) = (self.word(finding), self.summary(finding));
        let mut text = format!("{file}: {}\n", verdict(finding.criterion, &word, &summary));
        text.push_str(&self.details(finding));
        text.push_str(&next_step::after_check(std::slice::from_ref(finding)));
        if finding.statistics.states > 0 {
            let _ = writeln!(text, "  {}", figures(&finding.statistics, self.engine));
        }
        text
    }

    /// The verdict, and whether comments accept it.
    fn word(&self, finding: &Checked) -> String {
        terminal::verdict(word(&finding.verdict)) + suppressed::mark(self.accepted(finding))
    }

    /// What comments accept of it.
    fn accepted(&self, finding: &Checked) -> Option<&Accepted> {
        self.answer.accepted(Rule::Violated(finding.criterion))
    }

    /// Why, in a line.
    fn summary(&self, finding: &Checked) -> String {
        match &finding.verdict {
            Verdict::Holds(_) => match finding.implied_by() {
                Some(by) => format!("implied by {by}"),
                None if is_parameterised(self.program) => {
                    format!("for every number of threads, {}", meaning(finding.criterion))
                }
                None => meaning(finding.criterion).to_owned(),
            },
            Verdict::Violated(evidence) => {
                let headline = headline(shown_in(self.program, finding), evidence);
                let with = finding.instance.as_deref().map(instance);
                with.map_or_else(|| headline.clone(), |with| format!("{headline}, {with}"))
            }
            Verdict::Undecided(reason) => reason.to_string(),
        }
    }

    /// What follows the line with the verdict.
    fn details(&self, finding: &Checked) -> String {
        let mut text = match &finding.verdict {
            Verdict::Holds(_) => String::new(),
            Verdict::Violated(evidence) => {
                let shown =
                    witness(shown_in(self.program, finding), self.sources, evidence, self.colour);
                format!("\n{shown}\n")
            }
            Verdict::Undecided(reason) => {
                doubt(place(reason), advice(reason).as_deref(), self.sources, self.colour)
            }
        };
        if let Some(remark) = remark(finding) {
            let _ = writeln!(text, "  {remark}");
        }
        text.push_str(&suppressed::lines(self.sources, self.accepted(finding)));
        text
    }

    /// Several criteria: a line for each, then what the weakest of the violated ones look like.
    /// Whoever violates a criterion violates those that imply it, and its run says more.
    fn several(&self, file: &str, findings: &[Checked]) -> String {
        let rows: Vec<Vec<String>> = findings
            .iter()
            .map(|finding| {
                vec![finding.criterion.to_string(), self.word(finding), self.summary(finding)]
            })
            .collect();
        let mut text = format!("{file}: TSO compared with SC\n{}", align(&rows, 2));
        let violated = |finding: &&Checked| matches!(finding.verdict, Verdict::Violated(_));
        let is_weakest = |one: &Checked| {
            let mut weaker = findings.iter().filter(violated);
            !weaker.any(|other| one.criterion.implies_in_the_end(other.criterion))
        };
        let mut left_out: Vec<Criterion> = Vec::new();
        let mut told: Vec<String> = Vec::new();
        for finding in findings {
            match &finding.verdict {
                Verdict::Holds(_) => {}
                Verdict::Violated(_) if !is_weakest(finding) => left_out.push(finding.criterion),
                Verdict::Violated(_) | Verdict::Undecided(_) => {
                    let (details, summary) = (self.details(finding), self.summary(finding));
                    // One limit keeps many answers from being known, and is explained once.
                    if !details.is_empty() && !told.contains(&summary) {
                        told.push(summary.clone());
                        let line = verdict(finding.criterion, &self.word(finding), &summary);
                        let _ = write!(text, "\n{line}\n");
                        text.push_str(details.trim_end_matches('\n'));
                        text.push('\n');
                    }
                }
            }
        }
        let mut footer = String::new();
        if !left_out.is_empty() {
            let names: Vec<String> =
                left_out.iter().map(|criterion| format!("`--criterion {criterion}`")).collect();
            let verb = if names.len() == 1 { "shows" } else { "show" };
            let _ = writeln!(footer, "  {} {verb} more", names.join(" and "));
        }
        let mut explored = findings.iter().filter(|finding| finding.statistics.states > 0);
        if let Some(first) = explored.next() {
            let mut all = first.statistics;
            explored.for_each(|finding| all.include(&finding.statistics));
            let _ = writeln!(footer, "  {}", figures(&all, self.engine));
        }
        if findings.iter().any(|finding| violated(&finding)) {
            text.push('\n');
        }
        text.push_str(&next_step::after_check(findings));
        text + &footer
    }

    /// The columns of Table 2 of ESOP'13, and the attacks that are feasible.
    fn attacks(&self, table: &AttackTable) -> String {
        let mut rows = vec![
            vec!["attacks".to_owned(), "NR1".to_owned(), "NR2".to_owned(), "R".to_owned()],
            vec![
                table.attacks.to_string(),
                table.refuted_by_control_flow.to_string(),
                table.refuted_by_search.to_string(),
                table.feasible.len().to_string(),
            ],
        ];
        if table.undecided > 0 {
            rows[0].push("undecided".to_owned());
            rows[1].push(table.undecided.to_string());
        }
        let mut text = align(&rows, 2);
        text.push_str("  NR1: refuted by control flow alone, NR2: by a search, R: feasible\n");
        if let Some(reason) = &table.reason {
            let _ = writeln!(text, "  undecided: {reason}");
        }
        let program = table.instance.as_deref().unwrap_or(self.program);
        let Ok(machine) = Machine::new(program, Model::Tso) else { return text };
        if table.feasible.is_empty() {
            return text;
        }
        let narrator = Narrator::new(program, self.sources, &machine);
        let feasible = u64::try_from(table.feasible.len()).unwrap_or(u64::MAX);
        let _ = writeln!(text, "\n{}:", counted(feasible, "feasible attack"));
        let header = ["thread", "line", "delayed store", "line", "load that overtakes it"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for attack in &table.feasible {
            let mut row = vec![machine.threads()[attack.thread].name.clone()];
            for edge in [attack.store, attack.load] {
                row.push(narrator.line_of(attack.thread, edge));
                row.push(narrator.instruction(attack.thread, edge));
            }
            rows.push(row);
        }
        text.push_str(&align(&rows, 2));
        text
    }
}
