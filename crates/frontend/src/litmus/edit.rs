//! Changing the text of a litmus test: its table, to be exact.
//!
//! A fence is a cell of a new row; fences of several threads between the same two rows share one. A
//! label before which a fence is put moves to it. A store is locked by an exchange, which needs a
//! register that its thread does not use otherwise.

use program::{Diagnostic, Diagnostics, Program, SourceId, Sources, Span};

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
    if header.arch == Arch::C {
        let message = "fences can be put into tables of instructions only, not into C";
        return Err(vec![Diagnostic::new(Span::NONE, message)]);
    }
    let (tokens, errors) = crate::token::tokens(&text[..header.end_of_test], header.end, source);
    let file = super::parse::file(&tokens, errors);
    let arch = header.arch;
    let table = Table::of(text, &file);
    let mut editor = Editor { arch, source, file: &file, table, errors: Vec::new() };
    for span in std::mem::take(&mut plan.remove) {
        editor.remove_fence(span, plan.puts_back(span));
    }
    if let Some(dialect) = dialect(arch) {
        editor.stores(dialect, text, &program, &plan);
    } else {
        let refused = |span: &Span| {
            let message = "stores become exchanges, and exchanges stores, on x86 only";
            Diagnostic::new(*span, message).help("put a fence after the store instead")
        };
        editor.errors.extend(plan.lock.iter().chain(&plan.unlock).map(refused));
    }
    for offset in plan.before {
        editor.fence_before(offset);
    }
    for offset in plan.after {
        editor.fence_after(offset);
    }
    if editor.errors.is_empty() { Ok(editor.table.text()) } else { Err(editor.errors) }
}

/// How instructions of x86 are written.
const fn dialect(arch: Arch) -> Option<Dialect> {
    match arch {
        Arch::X86 => Some(Dialect::Intel),
        Arch::X86_64 => Some(Dialect::Att),
        Arch::AArch64 | Arch::Arm | Arch::Ppc | Arch::RiscV | Arch::C => None,
    }
}

struct Editor<'a> {
    arch: Arch,
    source: SourceId,
    file: &'a File<'a>,
    table: Table<'a>,
    errors: Diagnostics,
}

impl Editor<'_> {
    /// Stores that become exchanges, and the other way round.
    fn stores(&mut self, dialect: Dialect, text: &str, program: &Program, plan: &Plan) {
        let file = self.file;
        let decode = |column| dialect.decode(column, &mut Vec::new());
        let codes: Vec<_> = file.threads.iter().map(decode).collect();
        let store = |span| Store { dialect, text, program, span };
        for span in &plan.lock {
            let cell = self.instruction(|found| found == *span);
            match x86::locked(&store(*span), cell.map(|(_, column)| (column, &codes[column]))) {
                Ok((first, second)) => self.exchange(cell, first, second),
                Err(error) => self.errors.push(*error),
            }
        }
        for span in &plan.unlock {
            let cell = self.instruction(|found| found == *span);
            match x86::unlocked(&store(*span), cell.map(|(_, column)| (column, &codes[column]))) {
                Ok(instruction) => self.replace(cell, instruction),
                Err(error) => self.errors.push(*error),
            }
        }
    }

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
            let word = instruction.split_whitespace().next().unwrap_or_default();
            let is_fence = fences(self.arch).iter().any(|fence| word.eq_ignore_ascii_case(fence));
            if is_fence {
                if !put_back {
                    instruction.clear();
                } else if !instruction.eq_ignore_ascii_case(full) {
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
        let is_lower =
            words.next().is_some_and(|word| word.bytes().all(|byte| !byte.is_ascii_uppercase()));
        match (self.arch, is_lower) {
            (Arch::X86 | Arch::X86_64, true) => "mfence",
            (Arch::X86 | Arch::X86_64, false) => "MFENCE",
            (Arch::AArch64, true) => "dmb sy",
            (Arch::AArch64, false) => "DMB SY",
            (Arch::Arm, true) => "dmb",
            (Arch::Arm, false) => "DMB",
            (Arch::Ppc, _) => "sync",
            (Arch::RiscV, _) => "fence rw,rw",
            (Arch::C, _) => "atomic_thread_fence(memory_order_seq_cst);",
        }
    }
}

/// What fences are called.
const fn fences(arch: Arch) -> &'static [&'static str] {
    match arch {
        Arch::X86 | Arch::X86_64 => &["mfence", "sfence", "lfence"],
        Arch::AArch64 | Arch::Arm => &["dmb", "dsb", "isb"],
        Arch::Ppc => &["sync", "lwsync", "eieio", "isync"],
        Arch::RiscV => &["fence", "fence.tso", "fence.i"],
        Arch::C => &["atomic_thread_fence"],
    }
}
