//! Changing the text of a litmus test: its table, to be exact.
//!
//! A fence is a cell of a new row; fences of several threads between the same two rows share one. A
//! label before which a fence is put moves to it. A store is locked by an exchange, which needs a
//! register that its thread does not use otherwise.

use program::{Diagnostics, SourceId, Sources, Span};

use super::ast::File;
use super::header;
use super::machine::{Arch, Machine};
use super::table::{Place, Table, label_tokens};
use super::x86::{self, Dialect, Store};
use crate::edit::{Plan, no_fence, no_insertion};

/// The text with changes, or why they cannot be made.
pub(crate) fn edit(
    sources: &Sources,
    source: SourceId,
    mut plan: Plan,
) -> Result<String, Diagnostics> {
    let text = sources.text(source);
    let program = super::load(sources, source)?;
    let header = header::read(text, source)?;
    let (tokens, errors) = crate::token::tokens(text, header.end, source);
    let file = super::parse::file(&tokens, errors);
    let dialect = match header.arch {
        Arch::X86 => Dialect::Intel,
        Arch::X86_64 => Dialect::Att,
    };
    let mut errors = Vec::new();
    let codes: Vec<_> =
        file.threads.iter().map(|column| dialect.decode(column, &mut errors)).collect();
    let mut editor = Editor { source, file: &file, table: Table::of(text, &file), errors };
    for span in std::mem::take(&mut plan.remove) {
        editor.remove_fence(span, plan.puts_back(span));
    }
    let stores = |span| Store { dialect, text, program: &program, span };
    for span in plan.lock {
        let cell = editor.instruction(|found| found == span);
        match x86::locked(&stores(span), cell.map(|(_, column)| (column, &codes[column]))) {
            Ok((first, second)) => editor.exchange(cell, first, second),
            Err(error) => editor.errors.push(*error),
        }
    }
    for span in plan.unlock {
        let cell = editor.instruction(|found| found == span);
        match x86::unlocked(&stores(span), cell.map(|(_, column)| (column, &codes[column]))) {
            Ok(instruction) => editor.replace(cell, instruction),
            Err(error) => editor.errors.push(*error),
        }
    }
    for offset in plan.before {
        editor.fence_before(offset);
    }
    for offset in plan.after {
        editor.fence_after(offset);
    }
    if editor.errors.is_empty() { Ok(editor.table.text()) } else { Err(editor.errors) }
}

struct Editor<'a> {
    source: SourceId,
    file: &'a File<'a>,
    table: Table<'a>,
    errors: Diagnostics,
}

impl Editor<'_> {
    /// The row and the column of the instruction whose span is the one looked for.
    fn instruction(&self, is_it: impl Fn(Span) -> bool) -> Option<(usize, usize)> {
        self.cells().find_map(|(row, column, tokens)| {
            let [first, ..] = &tokens[label_tokens(tokens)..] else { return None };
            let span = tokens.last().map_or(first.span, |last| first.span.to(last.span));
            (row > 0 && is_it(span)).then_some((row, column))
        })
    }

    fn cells(&self) -> impl Iterator<Item = (usize, usize, &[super::lex::Token<'_>])> {
        self.file.rows.iter().enumerate().flat_map(|(number, row)| {
            row.cells.iter().enumerate().map(move |(column, cell)| (number, column, *cell))
        })
    }

    fn fence_before(&mut self, offset: u32) {
        let Some((row, column)) = self.instruction(|span| span.start == offset) else {
            return self.fence_last(offset);
        };
        let cell = self.table.change(row, column);
        let labels = std::mem::take(&mut cell.labels);
        let gap = if labels.is_empty() { "" } else { " " };
        let fence = format!("{labels}{gap}{}", self.fence());
        self.table.add(row, column, Place::Before, fence);
    }

    /// A fence at the end of a thread: after its last cell, which may be its name or a label.
    fn fence_last(&mut self, offset: u32) {
        let found = self.cells().find_map(|(row, column, tokens)| {
            let end = |token: Option<&super::lex::Token<'_>>| token.map(|token| token.span.end);
            let name = tokens.len().checked_sub(2).and_then(|name| tokens.get(name));
            let ends = end(tokens.last()) == Some(offset) || end(name) == Some(offset);
            ends.then_some((row, column))
        });
        match found {
            Some((row, column)) => {
                let fence = self.fence().to_owned();
                self.table.add(row + 1, column, Place::After, fence);
            }
            None => self.errors.push(no_insertion(self.source, offset)),
        }
    }

    fn fence_after(&mut self, offset: u32) {
        match self.instruction(|span| span.end == offset) {
            Some((row, column)) => {
                let fence = self.fence().to_owned();
                self.table.add(row + 1, column, Place::After, fence);
            }
            None => self.errors.push(no_insertion(self.source, offset)),
        }
    }

    fn remove_fence(&mut self, span: Span, put_back: bool) {
        let found = self.instruction(|found| found == span);
        let full = self.fence();
        if let Some((row, column)) = found {
            let instruction = &mut self.table.change(row, column).instruction;
            let word = instruction.to_ascii_lowercase();
            if ["mfence", "sfence", "lfence"].contains(&word.as_str()) {
                if !put_back {
                    instruction.clear();
                } else if word != "mfence" {
                    full.clone_into(instruction);
                }
                return;
            }
        }
        self.errors.push(no_fence(span));
    }

    fn exchange(&mut self, cell: Option<(usize, usize)>, first: String, second: String) {
        self.replace(cell, first);
        if let Some((row, column)) = cell {
            self.table.add(row + 1, column, Place::Continuing, second);
        }
    }

    fn replace(&mut self, cell: Option<(usize, usize)>, instruction: String) {
        if let Some((row, column)) = cell {
            self.table.change(row, column).instruction = instruction;
        }
    }

    /// A fence in the case of the other instructions.
    fn fence(&self) -> &'static str {
        let mut words = self
            .cells()
            .filter(|(row, ..)| *row > 0)
            .filter_map(|(_, _, tokens)| tokens.get(label_tokens(tokens)).map(|first| first.text));
        match words.next() {
            Some(word) if word.bytes().all(|byte| !byte.is_ascii_uppercase()) => "mfence",
            Some(_) | None => "MFENCE",
        }
    }
}
