//! The table of a litmus test as it is laid out: cells with their blanks, so that it can be changed
//! and still be a table.
//!
//! New rows get the widths of the columns; where a new cell is wider, and all rows of its column
//! were of one width, the column grows.

use std::fmt::Write;

use super::ast::File;
use super::lex::{Kind, Token, comment_length};
use crate::edit::patch::newline;

/// The table and what stands around it.
#[derive(Debug)]
pub(super) struct Table<'t> {
    before: &'t str,
    rows: Vec<Row<'t>>,
    after: &'t str,
    newline: &'static str,
    /// For each row and the end, the cells to be put before it: their columns, what comes first of
    /// those in one column, and what they say.
    added: Vec<Vec<(usize, Place, String)>>,
}

/// Which of the new cells in one column and between two rows comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// Part of what stands before.
    Continuing,
    /// After what stands before.
    After,
    /// Before what comes next.
    Before,
}

#[derive(Debug)]
struct Row<'t> {
    /// What stands between the row before and the line on which this one begins.
    lead: &'t str,
    cells: Vec<Cell<'t>>,
    changed: bool,
}

/// A cell: blanks, labels, an instruction, blanks.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell<'t> {
    blanks: &'t str,
    pub(super) labels: String,
    pub(super) instruction: String,
    rest: &'t str,
    /// What stood between labels and instruction.
    gap: &'t str,
    /// How many characters it had, on its last line.
    width: usize,
}

impl<'t> Table<'t> {
    /// The table of a test that has been parsed without errors.
    pub(super) fn of(text: &'t str, file: &File<'_>) -> Self {
        let mut rows: Vec<Row<'t>> = Vec::new();
        let mut done = 0;
        for row in &file.rows {
            let first = row.cells.iter().flat_map(|cell| cell.iter()).map(|token| token.span.start);
            let first = first.chain(row.ends.iter().map(|end| end.start)).min();
            let first = first.map_or(done, |first| first as usize);
            let start = text[done..first].rfind('\n').map_or(done, |end| done + end + 1);
            let lead = &text[done..start];
            done = start;
            let mut cells = Vec::new();
            for (tokens, end) in row.cells.iter().zip(&row.ends) {
                cells.push(Cell::of(text, done, tokens, end.start as usize));
                done = end.end as usize;
            }
            rows.push(Row { lead, cells, changed: false });
        }
        let before = rows.first_mut().map_or("", |first| std::mem::take(&mut first.lead));
        let added = vec![Vec::new(); rows.len() + 1];
        Self { before, rows, after: &text[done..], newline: newline(text), added }
    }

    /// Puts a cell into a new row before row `row`.
    pub(super) fn add(&mut self, row: usize, column: usize, place: Place, text: String) {
        self.added[row].push((column, place, text));
    }

    /// A cell, to be changed.
    pub(super) fn change(&mut self, row: usize, column: usize) -> &mut Cell<'t> {
        self.rows[row].changed = true;
        &mut self.rows[row].cells[column]
    }

    /// The whole test.
    pub(super) fn text(mut self) -> String {
        let columns = self.rows.first().map_or(0, |names| names.cells.len());
        let old: Vec<Option<usize>> = (0..columns).map(|column| self.width(column)).collect();
        let mut added = Vec::new();
        for (at, cells) in std::mem::take(&mut self.added).into_iter().enumerate() {
            added.push(self.new_rows(at, cells, &old));
        }
        let lengths = |column: usize| {
            let new = added.iter().flatten().map(move |row: &Vec<String>| &row[column]);
            new.map(|cell| length(cell)).max().unwrap_or(0)
        };
        let widths: Vec<Option<usize>> = old
            .iter()
            .enumerate()
            .map(|(column, old)| {
                let changed = self.rows.iter().filter(|row| row.changed);
                let changed = changed.map(|row| row.cells[column].needs()).max().unwrap_or(0);
                old.map(|old| old.max(lengths(column)).max(changed))
            })
            .collect();
        let mut text = self.before.to_owned();
        let mut lead = String::new();
        let ends = self.rows.iter().map(Some).chain([None]);
        for ((row, new), number) in ends.zip(added).zip(0..) {
            let next = row.map_or(self.after, |row| row.lead);
            // The rest of the line of a row that vanished is no line.
            let (line, rest) = first_line(next).unwrap_or(("", next));
            if lead.ends_with('\n') && line.trim().is_empty() {
                lead.push_str(rest);
            } else {
                lead.push_str(next);
            }
            for cells in new {
                lead = if let Some((line, rest)) = first_line(&lead) {
                    text.push_str(line);
                    format!("{}{rest}", self.newline)
                } else {
                    text.push_str(self.newline);
                    std::mem::take(&mut lead)
                };
                write_row(&mut text, cells, &widths);
            }
            let Some(row) = row else { break };
            if number == 0 || !row.changed || row.cells.iter().any(|cell| !cell.is_blank()) {
                text.push_str(&std::mem::take(&mut lead));
                write_row(&mut text, row.cells.iter().map(Cell::text).collect(), &widths);
            }
        }
        text.push_str(&lead);
        text
    }

    /// How wide all cells of a column are, if they are alike.
    fn width(&self, column: usize) -> Option<usize> {
        let mut widths = self.rows.iter().map(|row| row.cells[column].width);
        let first = widths.next()?;
        widths.all(|width| width == first).then_some(first)
    }

    /// New rows before row `at`: the first cell of each column in the first row, and so on.
    fn new_rows(
        &self,
        at: usize,
        mut cells: Vec<(usize, Place, String)>,
        widths: &[Option<usize>],
    ) -> Vec<Vec<String>> {
        cells.sort_by_key(|(column, place, _)| (*column, *place));
        let near = &self.rows[at.max(1) - 1].cells;
        let names = &self.rows[0].cells;
        let blank = |column: usize| {
            let width = widths[column].unwrap_or(near[column].width);
            " ".repeat(width)
        };
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut counts = vec![0; widths.len()];
        for (column, _, text) in cells {
            let row = counts[column];
            counts[column] += 1;
            if row == rows.len() {
                rows.push((0..widths.len()).map(blank).collect());
            }
            let like = if near[column].is_blank() { &names[column] } else { &near[column] };
            let indent = like.blanks.rsplit('\n').next().unwrap_or("");
            let indent = if indent.trim().is_empty() { indent } else { " " };
            let cell = format!("{indent}{text} ");
            let width = length(&rows[row][column]);
            rows[row][column] = format!("{cell:width$}");
        }
        rows
    }
}

fn write_row(text: &mut String, cells: Vec<String>, widths: &[Option<usize>]) {
    let last = cells.len();
    for (number, (cell, width)) in cells.into_iter().zip(widths).enumerate() {
        let missing = width.unwrap_or(0).saturating_sub(length(&cell));
        let end = if number + 1 == last { ';' } else { '|' };
        let _ = write!(text, "{cell}{:missing$}{end}", "");
    }
}

impl<'t> Cell<'t> {
    fn of(text: &'t str, start: usize, tokens: &[Token<'_>], end: usize) -> Self {
        let raw = &text[start..end];
        let [first, ..] = tokens else {
            return Self { blanks: raw, width: length(raw), ..Self::default() };
        };
        let begin = first.span.start as usize;
        let (labels, instruction) = tokens.split_at(label_tokens(tokens));
        let labels_end = labels.last().map_or(begin, |colon| colon.span.end as usize);
        let (from, to) = match instruction {
            [] => (labels_end, labels_end),
            [first, ..] => {
                let last = instruction.last().unwrap_or(first);
                (first.span.start as usize, last.span.end as usize)
            }
        };
        Self {
            blanks: &text[start..begin],
            labels: text[begin..labels_end].to_owned(),
            gap: &text[labels_end..from],
            instruction: text[from..to].to_owned(),
            rest: &text[to..end],
            width: length(raw),
        }
    }

    fn is_blank(&self) -> bool {
        self.text().trim().is_empty()
    }

    fn text(&self) -> String {
        let Self { blanks, labels, instruction, rest, gap, width } = self;
        let comment = if gap.trim().is_empty() { "" } else { gap };
        let gap = if labels.is_empty() || instruction.is_empty() { comment } else { gap };
        let mut text = format!("{blanks}{labels}{gap}{instruction}");
        // The blanks at the end give way, as long as one is left.
        let content = rest.trim_end_matches(' ');
        text.push_str(content);
        let least = usize::from(content.len() < rest.len());
        let missing = width.saturating_sub(length(&text)).max(least);
        text.extend(std::iter::repeat_n(' ', missing));
        text
    }

    /// How wide the column must be for it.
    fn needs(&self) -> usize {
        length(&self.text())
    }
}

/// How many tokens of a cell are its labels.
pub(super) fn label_tokens(tokens: &[Token<'_>]) -> usize {
    let is_label = |pair: &&[Token<'_>]| matches!(pair, [name, colon] if name.kind == Kind::Word && colon.kind == Kind::Colon);
    tokens.chunks(2).take_while(is_label).count() * 2
}

/// How many characters the last line has.
fn length(text: &str) -> usize {
    text.rsplit('\n').next().unwrap_or("").chars().count()
}

/// A text up to and including its first line break that is in no comment, and the rest.
fn first_line(text: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        if rest.starts_with("(*") {
            at += comment_length(rest)?;
        } else if rest.starts_with("//") || rest.starts_with('\n') {
            return Some(text.split_at(at + rest.find('\n')? + 1));
        } else {
            at += rest.chars().next()?.len_utf8();
        }
    }
}
