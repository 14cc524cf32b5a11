//! Answers about many programs that several commands have given, each about every Nth program (`--shard I/N`).
//!
//! Each command writes the documents of its programs, and at the end one of schema `fencewright.shard/1`, which says what
//! was asked, which part it is, and what its programs came to. Without that document a part is not complete: the command was
//! ended. So whoever merges parts knows whether all of them are there, and an answer about some programs is never
//! taken for one about all.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::search_text::counted;
use crate::terminal;

const SCHEMA: &str = "fencewright.shard/1";
const BATCH: &str = "fencewright.batch/1";

/// What the programs of a part came to: how many of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Those that hold, were repaired, or were done.
    pub fine: usize,
    /// Those that are violated, where comments in the source accept every violation.
    #[serde(default)]
    pub suppressed: usize,
    /// Those that are violated.
    pub violated: usize,
    /// Those that are undecided.
    pub undecided: usize,
    /// Those that could not be read.
    pub refused: usize,
}

impl Counts {
    /// All of them.
    pub const fn sum(&self) -> usize {
        self.fine + self.suppressed + self.violated + self.undecided + self.refused
    }

    fn add(&mut self, other: &Self) {
        self.fine += other.fine;
        self.suppressed += other.suppressed;
        self.violated += other.violated;
        self.undecided += other.undecided;
        self.refused += other.refused;
    }
}

/// The last document of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    schema: String,
    /// The version of Fencewright that wrote it.
    version: String,
    /// Which part it is, from 1 on,
    #[serde(rename = "part")]
    number: usize,
    /// and of how many.
    of: usize,
    /// The arguments of the command, without the part.
    asked: String,
    /// How many programs there are in all parts.
    programs: usize,
    /// What those of this part came to.
    #[serde(flatten)]
    counts: Counts,
}

impl Part {
    /// The end of a part.
    pub fn new(
        (number, of): (usize, usize),
        asked: String,
        programs: usize,
        counts: Counts,
    ) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { schema: SCHEMA.to_owned(), version, number, of, asked, programs, counts }
    }

    /// As a line of JSON.
    pub fn json(&self) -> String {
        let mut line = serde_json::to_string(self).expect("plain data can be serialised");
        line.push('\n');
        line
    }
}

/// Parts that were put together.
#[derive(Clone, Debug, Default)]
pub struct Merged {
    /// The documents, in the order of the names of their programs, as they were written.
    pub documents: Vec<String>,
    /// What all programs came to.
    pub counts: Counts,
    /// Which parts are missing or have not come to their end, for people.
    pub missing: Vec<String>,
}

/// Whether these are answers of commands other than `batch`; an error if they are mixed.
pub fn are_answers(texts: &[String]) -> Result<bool, String> {
    let mut schemas = texts.iter().flat_map(|text| text.lines()).filter_map(schema_of);
    let Some(first) = schemas.next() else { return Ok(false) };
    let is_of_batch = first == BATCH;
    if schemas.any(|schema| (schema == BATCH) != is_of_batch) {
        return Err("results of `batch` and answers of other commands are not merged".to_owned());
    }
    Ok(!is_of_batch)
}

fn schema_of(line: &str) -> Option<String> {
    let document: Value = serde_json::from_str(line).ok()?;
    document["schema"].as_str().map(str::to_owned)
}

/// Puts the parts in these texts together, each with the name of its file. Where a part is there twice the last one
/// counts; a part without an end counts, but is missed.
pub fn merged(texts: &[(String, String)]) -> Result<Merged, String> {
    let mut parts: BTreeMap<usize, (Part, Vec<(String, String)>)> = BTreeMap::new();
    let mut unfinished = Vec::new();
    let mut missing = Vec::new();
    for (name, text) in texts {
        let mut documents = Vec::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let Ok(document) = serde_json::from_str::<Value>(line) else {
                missing.push(format!("{name}: line {number} is no whole document"));
                continue;
            };
            if document["schema"] != SCHEMA {
                let Some(file) = document["file"].as_str() else {
                    return Err(format!("{name}:{number}: this is no answer about a program"));
                };
                documents.push((file.to_owned(), format!("{line}\n")));
                continue;
            }
            let part: Part = serde_json::from_value(document)
                .map_err(|problem| format!("{name}:{number}: {problem}"))?;
            if let Some((known, _)) = parts.values().next() {
                same_question(known, &part).map_err(|why| format!("{name}: {why}"))?;
            }
            parts.insert(part.number, (part, std::mem::take(&mut documents)));
        }
        if !documents.is_empty() {
            missing.push(format!("{name} has no end: its command was ended"));
            unfinished.append(&mut documents);
        }
    }
    let (of, programs) = parts.values().next().map_or((1, 0), |(part, _)| (part.of, part.programs));
    missing.extend(
        (1..=of)
            .filter(|part| !parts.contains_key(part))
            .map(|part| format!("part {part} of {of} is not there")),
    );
    let mut merged = Merged { missing, ..Merged::default() };
    let mut documents = unfinished;
    for (part, of_part) in parts.into_values() {
        merged.counts.add(&part.counts);
        documents.extend(of_part);
    }
    if merged.missing.is_empty() && merged.counts.sum() != programs {
        let (found, programs) = (merged.counts.sum(), counted(programs as u64, "program"));
        merged.missing.push(format!("the parts have {found} of {programs}"));
    }
    documents.sort_by(|(one, _), (other, _)| one.cmp(other));
    merged.documents = documents.into_iter().map(|(_, document)| document).collect();
    Ok(merged)
}

fn same_question(one: &Part, other: &Part) -> Result<(), String> {
    if one.asked != other.asked {
        return Err(format!("it was asked `{}`, and another part `{}`", other.asked, one.asked));
    }
    if (one.of, one.programs) != (other.of, other.programs) {
        return Err(format!(
            "it is of {} parts and {} programs, and another one of {} and {}",
            other.of, other.programs, one.of, one.programs
        ));
    }
    if one.version != other.version {
        return Err(format!(
            "it is by version {}, and another part by {}",
            other.version, one.version
        ));
    }
    Ok(())
}

/// A document for people, on one line.
pub fn line(document: &str) -> String {
    let Ok(document) = serde_json::from_str::<Value>(document) else { return String::new() };
    let text = |value: &Value| value.as_str().map(terminal::line);
    let file = text(&document["file"]).unwrap_or_default();
    if let Some(message) = text(&document["errors"][0]["message"]) {
        return format!("{file}: not read: {message}\n");
    }
    let verdict = |of: &Value| {
        let is_accepted = of["suppressed"]["others"] == "none";
        let mark = if is_accepted { " (suppressed)" } else { "" };
        of["verdict"].as_str().map(terminal::verdict).unwrap_or_default() + mark
    };
    let said = if let Some(results) = document["results"].as_array() {
        let one = |result: &Value| {
            let criterion = text(&result["criterion"]).unwrap_or_default();
            format!("{criterion} {}", verdict(result))
        };
        results.iter().map(one).collect::<Vec<_>>().join(", ")
    } else {
        let criterion = text(&document["criterion"]).map_or(String::new(), |name| name + " ");
        let fences = document["fences"].as_array().map_or(0, Vec::len) as u64;
        let fences =
            if fences > 0 { format!(", {}", counted(fences, "fence")) } else { String::new() };
        format!("{criterion}{}{fences}", verdict(&document))
    };
    format!("{file}: {said}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(file: &str) -> String {
        format!(
            "{{\"schema\":\"fencewright.reach/1\",\"file\":\"{file}\",\"verdict\":\"holds\"}}\n"
        )
    }

    fn end(part: usize, of: usize, asked: &str, programs: usize, fine: usize) -> String {
        let counts = Counts { fine, ..Counts::default() };
        Part::new((part, of), asked.to_owned(), programs, counts).json()
    }

    fn of(texts: &[&str]) -> Result<Merged, String> {
        let texts: Vec<(String, String)> =
            (1..).zip(texts).map(|(n, text)| (format!("f{n}"), (*text).to_owned())).collect();
        merged(&texts)
    }

    #[test]
    fn parts_become_the_whole_or_are_missed() {
        let first = answer("a") + &answer("c") + &end(1, 2, "reach", 3, 2);
        let second = answer("b") + &end(2, 2, "reach", 3, 1);
        let whole = of(&[&second, &first]).unwrap();
        assert_eq!(whole.documents, [answer("a"), answer("b"), answer("c")]);
        assert_eq!((whole.counts.fine, whole.missing.len()), (3, 0));
        // A part that is there twice counts once.
        assert_eq!(of(&[&first, &second, &second]).unwrap().counts.fine, 3);
        let missed = |texts: &[&str]| of(texts).unwrap().missing;
        assert_eq!(missed(&[&second]), ["part 1 of 2 is not there"]);
        let ended = answer("a");
        assert_eq!(
            missed(&[&ended, &second]),
            ["f1 has no end: its command was ended", "part 1 of 2 is not there"]
        );
        let torn = format!("{}{}", answer("a"), &answer("c")[..20]);
        assert_eq!(missed(&[&torn, &second])[0], "f1: line 2 is no whole document");
        let fewer = answer("a") + &end(1, 2, "reach", 3, 1);
        assert_eq!(missed(&[&fewer, &second]), ["the parts have 2 of 3 programs"]);
    }

    #[test]
    fn parts_of_different_questions_are_not_merged() {
        let first = answer("a") + &end(1, 2, "reach", 3, 2);
        for other in [end(2, 2, "check", 3, 1), end(2, 3, "reach", 3, 1), end(2, 2, "reach", 4, 1)]
        {
            assert!(of(&[&first, &other]).is_err(), "{other}");
        }
        assert!(of(&["{\"schema\":\"other\"}\n"]).is_err());
        let batch = "{\"schema\":\"fencewright.batch/1\"}\n".to_owned();
        assert_eq!(are_answers(std::slice::from_ref(&batch)), Ok(false));
        assert_eq!(are_answers(std::slice::from_ref(&first)), Ok(true));
        assert!(are_answers(&[batch, first]).is_err());
    }
}
