//! The program's text with what matters marked: accesses of a violation, lines that a repair adds or removes.

use std::collections::BTreeMap;
use std::fmt::Write;

use program::index::Idx;
use program::{SourceId, Sources, Span};
use similar::{DiffTag, group_diff_ops};

use crate::diff::{lines, operations};
use crate::svg::escaped;

/// Texts with more lines are shown around what matters alone.
const WHOLE: usize = 400;
/// How many lines around it.
const AROUND: usize = 12;

/// Remarks about places; an empty one says nothing.
pub(super) type Marks = Vec<(Span, String)>;

/// What is said about a line.
#[derive(Default)]
struct Line<'a> {
    /// That it is part of what is wrong.
    marks: Vec<&'a str>,
    /// What else there is to say.
    others: Vec<&'a str>,
}

/// Every text that something is said about: `marks` are part of what is wrong, `others` are not.
pub(super) fn marked(sources: &Sources, marks: &Marks, others: &Marks) -> String {
    let mut files: BTreeMap<SourceId, BTreeMap<usize, Line<'_>>> = BTreeMap::new();
    let marks = marks.iter().map(|(span, said)| (span, said, true));
    for (span, said, is_mark) in marks.chain(others.iter().map(|(span, said)| (span, said, false)))
    {
        if let Some(source) = span.source {
            let line = sources.line_column(source, span.start).0;
            let line = files.entry(source).or_default().entry(line).or_default();
            let remarks = if is_mark { &mut line.marks } else { &mut line.others };
            if !said.is_empty() && !remarks.contains(&said.as_str()) {
                remarks.push(said);
            }
        }
    }
    files.iter().map(|(source, lines)| file(sources, *source, lines)).collect()
}

fn file(sources: &Sources, source: SourceId, lines: &BTreeMap<usize, Line<'_>>) -> String {
    let text = sources.text(source);
    let is_whole = text.lines().count() <= WHOLE;
    let mut html = opened(sources.name(source));
    let mut left_out = false;
    for (number, line) in text.lines().enumerate().map(|(number, line)| (number + 1, line)) {
        let first = number.saturating_sub(AROUND);
        if !is_whole && lines.range(first..=number + AROUND).next().is_none() {
            left_out = true;
            continue;
        }
        if std::mem::take(&mut left_out) {
            html.push_str("<li><span class=\"number\">⋮</span></li>\n");
        }
        let about = lines.get(&number);
        let is_marked = about.is_some_and(|line| !line.marks.is_empty());
        let class = if is_marked { " class=\"marked\"" } else { "" };
        let _ = write!(
            html,
            "<li{class} data-at=\"{}:{number}\"><span class=\"number\">{number}</span>{}",
            index(source),
            escaped(line)
        );
        let remarks = about.map(|line| [("said", &line.marks), ("said other", &line.others)]);
        for (class, remarks) in remarks.into_iter().flatten().filter(|(_, said)| !said.is_empty()) {
            let _ = write!(html, "<span class=\"{class}\">{}</span>", escaped(&remarks.join("; ")));
        }
        html.push_str("</li>\n");
    }
    html.push_str("</ol></div>\n");
    html
}

/// A text beside what a repair makes of it.
pub(super) fn changed(sources: &Sources, source: SourceId, new: &str) -> String {
    let mut html = opened(sources.name(source));
    let (before, after) = (lines(sources.text(source)), lines(new));
    let operations = operations(&before, &after);
    let groups =
        if before.len() <= WHOLE { vec![operations] } else { group_diff_ops(operations, AROUND) };
    let row = |html: &mut String, (class, sign): (&str, &str), number: usize, line: &str| {
        let (number, text) = (number + 1, escaped(line.trim_end_matches(['\r', '\n'])));
        let _ =
            writeln!(html, "<li{class}><span class=\"number\">{sign}{number}</span>{text}</li>");
    };
    for (number, group) in groups.iter().enumerate() {
        if number > 0 {
            html.push_str("<li><span class=\"number\">⋮</span></li>\n");
        }
        for operation in group {
            let is_kept = operation.tag() == DiffTag::Equal;
            for at in operation.old_range().filter(|_| !is_kept) {
                row(&mut html, (" class=\"removed\"", "− "), at, before[at]);
            }
            let how = if is_kept { ("", "") } else { (" class=\"added\"", "+ ") };
            for at in operation.new_range() {
                row(&mut html, how, at, after[at]);
            }
        }
    }
    html.push_str("</ol></div>\n");
    html
}

fn opened(name: &str) -> String {
    let name = escaped(name);
    format!(
        "<h3 class=\"mono\">{name}</h3>\n<div class=\"source mono\" tabindex=\"0\" aria-label=\"{name}\"><ol>\n"
    )
}

/// What a text is called in the page's data.
pub(super) fn index(source: SourceId) -> String {
    source.index().to_string()
}
