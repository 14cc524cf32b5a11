//! Many packages: what is known of each on each machine, on a line of JSON and on a line of text, and a summary
//! with the columns of CAV'14, Fig. 11 (lines of code, nodes, fences and time for each machine).
//!
//! A line is made of what `fence --method static --format json` prints, so that whoever reads old results has
//! nothing to do with how they were found.

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::search_text::counted;
use crate::table::align;
use crate::terminal;

const SCHEMA: &str = "fencewright.batch/1";

/// What is asked about a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Asked {
    /// Its name.
    pub package: String,
    /// Its files and options, as the list has them.
    pub arguments: String,
    /// The machine.
    pub arch: String,
    /// What else the answer depends on: the options for all, and the version of the program.
    pub how: String,
}

/// What is known of a package on a machine: a line of schema `fencewright.batch/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    schema: String,
    /// What was asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// `holds`, `repaired`, `undecided`, or `refused` if it was not understood.
    pub verdict: String,
    /// Why it is undecided or refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Lines of code.
    pub lines: u64,
    /// Shared accesses.
    pub events: u64,
    /// Kinds of threads.
    pub threads: u64,
    /// Delays without fences.
    pub delays: u64,
    /// How many fences there are of each kind.
    pub fences: BTreeMap<String, u64>,
    /// What they cost.
    pub cost: u64,
    /// Whether nothing cheaper does.
    pub optimal: bool,
    /// The rows of the integer program.
    pub rows: u64,
    /// How many pairs of accesses no fence can order.
    pub left: u64,
    /// How long it took, compilers included.
    pub seconds: f64,
}

impl Row {
    /// What the answer of a run comes to: what it printed, and how long it took.
    pub fn of_output(asked: Asked, printed: &str, complaint: &str, seconds: f64) -> Self {
        let mut documents = printed.lines().filter_map(|line| serde_json::from_str(line).ok());
        let (first, second): (Option<Value>, Option<Value>) = (documents.next(), documents.next());
        let mut row = Self {
            schema: SCHEMA.to_owned(),
            asked,
            verdict: "refused".to_owned(),
            reason: None,
            lines: 0,
            events: 0,
            threads: 0,
            delays: 0,
            fences: BTreeMap::new(),
            cost: 0,
            optimal: false,
            rows: 0,
            left: 0,
            seconds,
        };
        match (first, second) {
            (Some(document), None) => row.fill(&document),
            (Some(_), Some(_)) => row.reason = Some("a line is about one program".to_owned()),
            (None, _) => {
                let said = complaint.lines().find(|line| !line.trim().is_empty());
                row.reason = Some(said.unwrap_or("it ended without an answer").trim().to_owned());
            }
        }
        row
    }

    fn fill(&mut self, document: &Value) {
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let Some(verdict) = text(&document["verdict"]) else {
            self.reason = text(&document["errors"][0]["message"]);
            return;
        };
        self.verdict = verdict;
        self.reason = text(&document["reason"]);
        self.lines = number(&document["lines"]);
        self.events = number(&document["events"]);
        self.threads = number(&document["threads"]);
        self.delays = number(&document["delays"]);
        let repair = &document["repair"];
        if let Some(kinds) = repair["kinds"].as_object() {
            self.fences = kinds.iter().map(|(kind, count)| (kind.clone(), number(count))).collect();
        }
        self.cost = number(&repair["cost"]);
        self.optimal = repair["optimal"].as_bool().unwrap_or(false);
        self.rows = number(&repair["rows"]);
        self.left = repair["left"]
            .as_array()
            .map_or(0, |left| u64::try_from(left.len()).unwrap_or(u64::MAX));
        if self.left > 0 && self.reason.is_none() {
            let pairs = counted(self.left, "pair");
            self.reason = Some(format!("no fence can order {pairs} of accesses"));
        }
    }

    /// How many fences there are.
    pub fn fences(&self) -> u64 {
        self.fences.values().sum()
    }

    /// As a line of JSON.
    pub fn json(&self) -> String {
        let mut line = serde_json::to_string(self).expect("plain data can be serialised");
        line.push('\n');
        line
    }

    /// For people, on one line.
    pub fn line(&self) -> String {
        let mut text = format!(
            "{} on {}: {}",
            terminal::line(&self.asked.package),
            self.asked.arch,
            terminal::verdict(&self.verdict)
        );
        if let Some(reason) = &self.reason {
            let _ = write!(text, ": {}", terminal::line(reason));
        }
        if self.verdict != "refused" {
            let kinds: Vec<String> =
                self.fences.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            let kinds =
                if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
            let _ = write!(
                text,
                "; {}{kinds}, cost {}{}; {}, {}, {}",
                counted(self.fences(), "fence"),
                self.cost,
                if self.optimal || self.cost == 0 { "" } else { ", perhaps not the least" },
                counted(self.lines, "line"),
                counted(self.events, "event"),
                counted(self.delays, "delay"),
            );
        }
        let _ = writeln!(text, "; {:.1} s", self.seconds);
        text
    }
}

/// The results that a file has; lines that are none are left out, such as one that was being written when the
/// work was ended.
pub fn read(text: &str) -> Vec<Row> {
    let rows = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    rows.filter(|row: &Row| row.schema == SCHEMA).collect()
}

/// A table of packages and machines.
pub fn summary(rows: &[Row], packages: &[String], machines: &[String]) -> String {
    let mut heads = vec!["package".to_owned(), "lines".to_owned(), "nodes".to_owned()];
    heads.extend(machines.iter().flat_map(|arch| [format!("{arch}: fences"), "time".to_owned()]));
    let mut table = vec![heads];
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for package in packages {
        let of = |arch: &String| {
            rows.iter().find(|row| row.asked.package == *package && row.asked.arch == *arch)
        };
        let most = |of_row: fn(&Row) -> u64| {
            let most = machines.iter().filter_map(of).map(of_row).max().unwrap_or(0);
            if most == 0 { "–".to_owned() } else { most.to_string() }
        };
        let mut line = vec![terminal::line(package), most(|row| row.lines), most(|row| row.events)];
        for arch in machines {
            let Some(row) = of(arch) else {
                line.extend(["–".to_owned(), "–".to_owned()]);
                continue;
            };
            *counts.entry(&row.verdict).or_default() += 1;
            line.push(match (row.verdict.as_str(), row.left) {
                ("refused", _) => "refused".to_owned(),
                ("undecided", 0) => "undecided".to_owned(),
                ("undecided", left) => format!("{} ({left} left)", row.fences()),
                (_, _) => row.fences().to_string(),
            });
            line.push(format!("{:.1} s", row.seconds));
        }
        table.push(line);
    }
    let counts: Vec<String> =
        counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    format!("\n{}\n  {}\n", align(&table, 2), counts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(package: &str) -> Asked {
        Asked {
            package: package.to_owned(),
            arguments: format!("{package}.c"),
            arch: "x86".to_owned(),
            how: "0".to_owned(),
        }
    }

    #[test]
    fn results_are_what_was_printed_and_can_be_read_again() {
        let printed = "{\"verdict\":\"undecided\",\"lines\":10,\"events\":4,\"threads\":2,\"delays\":3,\
                       \"repair\":{\"cost\":2,\"optimal\":true,\"rows\":1,\"kinds\":{\"full\":1},\"left\":[{}]}}\n";
        let row = Row::of_output(asked("a"), printed, "", 0.25);
        assert_eq!(
            terminal::text(&row.line(), false),
            "a on x86: undecided: no fence can order 1 pair of accesses; 1 fence (1 full), cost 2; 10 lines, \
             4 events, 3 delays; 0.2 s\n"
        );
        let refused = "{\"errors\":[{\"message\":\"no such file\"}]}\n";
        let refused = Row::of_output(asked("b"), refused, "", 0.0);
        assert_eq!(refused.reason.as_deref(), Some("no such file"));
        let crashed = Row::of_output(asked("c"), "", "\nout of memory\n", 0.0);
        assert_eq!(crashed.reason.as_deref(), Some("out of memory"));
        let file = [row.json(), refused.json(), "{\"schema\":\"fencew".to_owned()].concat();
        assert_eq!(read(&file), [row, refused]);
    }
}
