//! Changing the text of a litmus test: its table, to be exact. Tests in C have none, and are changed by `c::edit`.
//!
//! A fence is a cell of a new row; fences of several threads between the same two rows share one. A
//! label before which a fence is put moves to it. A store is locked by an exchange, which needs a
//! register that its thread does not use otherwise.

use std::borrow::Cow;

use program::{
    Architecture, Diagnostic, Diagnostics, Edge, FenceKind, Instruction, Program, SourceId,
    Sources, Span, Template,
};

use super::ast::File;
use super::fence;
use super::header;
use super::machine::{Arch, Machine};
use super::table::{Place, Table, label_tokens};
use super::x86::{self, Dialect, Store};
use crate::edit::{Edited, Fences, Plan, no_fence, no_insertion, no_orders};

/// The text with changes, or why they cannot be made.
pub(crate) fn edit(
    sources: &Sources,
    source: SourceId,
    mut plan: Plan,
) -> Result<Edited, Diagnostics> {
    let text = sources.text(source);
    let program = super::load(sources, source)?;
    let header = header::read(text, source)?;
    let Some(architecture) = header.arch.instruction_set() else {
        return super::c::edit(&header, sources, source, plan);
    };
    if !plan.orders.is_empty() {
        return Err(plan.orders.iter().map(|change| no_orders(change.span)).collect());
    }
    let (tokens, errors) = crate::token::tokens(&text[..header.end_of_test], header.end, source);
    let file = super::parse::file(&tokens, errors);
    let arch = header.arch;
    let table = Table::of(text, &file);
    let errors = plan
        .refuse_kinds(source, arch.name(), |kind| fence::instruction(architecture, kind).is_some());
    let mut editor = Editor { architecture, source, file: &file, table, errors };
    for span in std::mem::take(&mut plan.remove) {
        let put_back = plan.puts_back(span);
        // However it is spelled: `DMB ISH` is as full as `DMB SY`.
        if put_back.is_none_or(|kind| fences_at(&program, span) != [kind]) {
            editor.remove_fence(span, put_back);
        }
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
    for (offset, kind) in each(&plan.before) {
        editor.fence_before(offset, kind);
    }
    for (offset, kind) in each(&plan.after) {
        editor.fence_after(offset, kind);
    }
    if !editor.errors.is_empty() {
        return Err(editor.errors);
    }
    // A table is written anew.
    Ok(Edited { text: editor.table.text(), inserted: Vec::new() })
}

/// How instructions of x86 are written.
const fn dialect(arch: Arch) -> Option<Dialect> {
    match arch {
        Arch::X86 => Some(Dialect::Intel),
        Arch::X86_64 => Some(Dialect::Att),
        Arch::AArch64 | Arch::Arm | Arch::Ppc | Arch::RiscV | Arch::C => None,
    }
}

/// What kinds of fences an instruction is.
fn fences_at(program: &Program, span: Span) -> Vec<FenceKind> {
    let edges = program.templates().iter().flat_map(Template::edges);
    let fence = |edge: &Edge| match edge.instruction {
        Instruction::Fence(kind) => Some(kind),
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Lock
        | Instruction::Unlock => None,
    };
    edges.filter(|edge| edge.span == span).filter_map(fence).collect()
}

/// The fences to be put in, in the order in which they stand.
fn each(fences: &Fences) -> impl Iterator<Item = (u32, FenceKind)> {
    fences.iter().flat_map(|(offset, kinds)| kinds.iter().map(|kind| (*offset, *kind)))
}

struct Editor<'a> {
    architecture: Architecture,
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

    fn fence_before(&mut self, offset: u32, kind: FenceKind) {
        let Some((row, column)) = self.instruction(|span| span.start == offset) else {
            return self.fence_last(offset, kind);
        };
        let cell = self.table.change(row, column);
        // The first of several fences takes them all.
        let labels = std::mem::take(&mut cell.labels);
        let gap = if labels.is_empty() { "" } else { " " };
        let fence = format!("{labels}{gap}{}", self.fence(kind));
        self.table.add(row, column, Place::Before, fence);
    }

    /// A fence at the end of a thread: after its last cell, which may be its name or a label.
    fn fence_last(&mut self, offset: u32, kind: FenceKind) {
        let found = self.cells().find_map(|(row, column, tokens)| {
            let end = |token: Option<&super::lex::Token<'_>>| token.map(|token| token.span.end);
            let name = tokens.len().checked_sub(2).and_then(|name| tokens.get(name));
            let ends = end(tokens.last()) == Some(offset) || end(name) == Some(offset);
            ends.then_some((row, column))
        });
        self.add_after(found, Place::Before, offset, kind);
    }

    fn fence_after(&mut self, offset: u32, kind: FenceKind) {
        let found = self.instruction(|span| span.end == offset);
        self.add_after(found, Place::After, offset, kind);
    }

    /// Puts a fence below a cell.
    fn add_after(
        &mut self,
        cell: Option<(usize, usize)>,
        place: Place,
        offset: u32,
        kind: FenceKind,
    ) {
        match cell {
            Some((row, column)) => {
                let fence = self.fence(kind).into_owned();
                self.table.add(row + 1, column, place, fence);
            }
            None => self.errors.push(no_insertion(self.source, offset)),
        }
    }

    /// Takes a fence out, or replaces it by another.
    fn remove_fence(&mut self, span: Span, put_back: Option<FenceKind>) {
        let found = self.instruction(|found| found == span);
        let instead = put_back.map(|kind| self.fence(kind));
        if let Some((row, column)) = found {
            let instruction = &mut self.table.change(row, column).instruction;
            if fence::is_fence(self.architecture, instruction) {
                *instruction = instead.unwrap_or_default().into_owned();
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

    /// A fence of a kind that the architecture has, in the case of the other instructions. Power
    /// and RISC-V know one case only.
    fn fence(&self, kind: FenceKind) -> Cow<'static, str> {
        let fence = fence::instruction(self.architecture, kind).unwrap_or_default();
        let mut words = self
            .cells()
            .filter(|(row, ..)| *row > 0)
            .filter_map(|(_, _, tokens)| tokens.get(label_tokens(tokens)).map(|first| first.text));
        let is_lower =
            words.next().is_some_and(|word| word.bytes().all(|byte| !byte.is_ascii_uppercase()));
        match self.architecture {
            Architecture::X86 | Architecture::AArch64 | Architecture::Arm if !is_lower => {
                Cow::Owned(fence.to_ascii_uppercase())
            }
            Architecture::X86
            | Architecture::AArch64
            | Architecture::Arm
            | Architecture::Power
            | Architecture::RiscV => Cow::Borrowed(fence),
        }
    }
}
