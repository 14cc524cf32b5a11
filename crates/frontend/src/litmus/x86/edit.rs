//! Stores that become exchanges, and exchanges that become stores.

use std::collections::BTreeSet;
use std::ops::Range;

use program::index::Idx;
use program::{
    AccessWidth, Diagnostic, Expr, LabelId, Observable, Program, RegisterId, Span, Template,
    TemplateId,
};

use super::syntax::{Code, Line, Operand, Operation};
use super::{Dialect, print_line, register};
use crate::edit::{no_locked_store, no_store};

/// The text of an instruction that is to be changed, and what it belongs to.
pub(in crate::litmus) struct Store<'a> {
    pub(in crate::litmus) dialect: Dialect,
    pub(in crate::litmus) text: &'a str,
    pub(in crate::litmus) program: &'a Program,
    pub(in crate::litmus) span: Span,
}

/// Its thread, and what has been read there.
type Found<'a> = Option<(usize, &'a Code)>;

/// The parts of an instruction with two operands, one of them in memory.
struct Parts<'a> {
    /// `L`, `Q` or nothing.
    suffix: &'a str,
    upper: bool,
    memory: &'a str,
    other: &'a str,
    /// The comma, with its blanks.
    comma: &'a str,
}

/// The two instructions that a store becomes: a free register gets the value, and is exchanged.
pub(in crate::litmus) fn locked(
    store: &Store<'_>,
    found: Found<'_>,
) -> Result<(String, String), Box<Diagnostic>> {
    let (thread, line) = line(store, found).ok_or_else(|| Box::new(no_store(store.span)))?;
    let is_store = line.operation == Operation::Move && !line.locked;
    let parts = parts(store, line, "mov").filter(|_| is_store).ok_or_else(|| {
        let help = "only `MOV` can become an exchange; put a fence after it instead";
        Box::new(no_store(store.span).help(help))
    })?;
    let template = &store.program.templates()[TemplateId::new(thread)];
    let bits = line.bits.unwrap_or_else(|| cell_bits(store, template));
    let used = |name: &str| template.registers().iter().any(|register| register.name == name);
    let free = register::general(store.dialect).into_iter().find(|name| !used(name));
    let free = free.and_then(|whole| register::part_name(whole, bits)).ok_or_else(|| {
        let message = "an exchange needs a register, and this thread uses them all";
        let help = "put a fence after the store instead";
        Box::new(Diagnostic::new(store.span, message).help(help))
    })?;
    let free = match store.dialect {
        Dialect::Intel if parts.upper => free.to_ascii_uppercase(),
        Dialect::Intel => free.to_ascii_lowercase(),
        Dialect::Att => format!("%{free}"),
    };
    let value = parts.written(store.dialect, "mov", &free, parts.other);
    let exchange = format!("{} {}{}{free}", parts.mnemonic("xchg"), parts.memory, parts.comma);
    Ok((value, exchange))
}

/// The store that an exchange becomes whose result nobody uses.
pub(in crate::litmus) fn unlocked(
    store: &Store<'_>,
    found: Found<'_>,
) -> Result<String, Box<Diagnostic>> {
    let (thread, line) = line(store, found).ok_or_else(|| Box::new(no_locked_store(store.span)))?;
    let parts =
        parts(store, line, "xchg").filter(|_| line.operation == Operation::Exchange).ok_or_else(
            || Box::new(no_locked_store(store.span).help("only `XCHG` can become a `MOV`")),
        )?;
    let template = TemplateId::new(thread);
    if is_result_used(store.program, template, store.span) {
        let message = format!("the result of this exchange is used: `{}`", parts.other);
        let help = "an ordinary store reads nothing; keep the exchange";
        return Err(Box::new(Diagnostic::new(store.span, message).help(help)));
    }
    Ok(parts.written(store.dialect, "mov", parts.memory, parts.other))
}

fn line<'a>(store: &Store<'_>, found: Found<'a>) -> Option<(usize, &'a Line)> {
    let (thread, code) = found?;
    let line = code.lines.iter().find(|line| line.span == store.span)?;
    Some((thread, line))
}

fn parts<'a>(store: &Store<'a>, line: &Line, mnemonic: &str) -> Option<Parts<'a>> {
    let range = |range: Range<u32>| &store.text[range.start as usize..range.end as usize];
    let instruction = range(store.span.start..store.span.end);
    let memory = line.operands.iter().find_map(|operand| match operand {
        Operand::Memory(memory) => Some(memory.span),
        Operand::Register(..) | Operand::Immediate(_) | Operand::Address(_) => None,
    })?;
    let is_destination = matches!(line.operands.first(), Some(Operand::Memory(_)));
    if !is_destination && line.operation != Operation::Exchange {
        return None;
    }
    let blank = char::is_whitespace;
    let mut words = instruction.split(blank).filter(|word| !word.is_empty());
    let word = words.find(|word| !word.eq_ignore_ascii_case("lock"))?;
    let start = instruction.find(word)? + word.len();
    let start = store.span.start + u32::try_from(start).ok()?;
    let (before, after) = (range(start..memory.start), range(memory.end..store.span.end));
    let suffix = word.get(mnemonic.len()..)?;
    // The comma stands on the side of the other operand.
    let (comma, other) = if let Some(comma) = after.find(',') {
        let end = comma + 1;
        let blanks = after[end..].len() - after[end..].trim_start().len();
        (&after[..end + blanks], after[end + blanks..].trim())
    } else {
        let comma = before.rfind(',')?;
        (&before[comma..], before[..comma].trim())
    };
    let upper = word.bytes().any(|byte| byte.is_ascii_uppercase());
    Some(Parts { suffix, upper, memory: range(memory.start..memory.end), other, comma })
}

impl Parts<'_> {
    fn mnemonic(&self, word: &str) -> String {
        let word = if self.upper { word.to_ascii_uppercase() } else { word.to_owned() };
        format!("{word}{}", self.suffix)
    }

    /// An instruction that writes `to`.
    fn written(&self, dialect: Dialect, word: &str, to: &str, from: &str) -> String {
        let (first, second) = match dialect {
            Dialect::Intel => (to, from),
            Dialect::Att => (from, to),
        };
        format!("{} {first}{}{second}", self.mnemonic(word), self.comma)
    }
}

/// How wide the cell is that the store writes.
fn cell_bits(store: &Store<'_>, template: &Template) -> u8 {
    let edges = template.edges().iter().filter(|edge| edge.span == store.span);
    let mut accesses = edges.filter_map(|edge| edge.instruction.memory_access());
    match accesses.next().map(|(_, access)| access.width) {
        Some(AccessWidth::Bytes(bytes)) => bytes * 8,
        Some(AccessWidth::Across(int)) => int.bits(),
        Some(AccessWidth::Cell) | None => {
            // All cells are alike.
            let mut locations = store.program.memory().locations().iter();
            let first = locations.next().map(|location| location.domain);
            first.map_or(32, |domain| print_line::width(domain, store.dialect))
        }
    }
}

/// Whether what the instruction with this span writes into a register is read later.
fn is_result_used(program: &Program, id: TemplateId, span: Span) -> bool {
    let template = &program.templates()[id];
    let own: Vec<_> = template.edges().iter().filter(|edge| edge.span == span).collect();
    let written = own.iter().filter_map(|edge| edge.instruction.written_register());
    let results: BTreeSet<RegisterId> = written.collect();
    let inside: BTreeSet<LabelId> = own.iter().map(|edge| edge.from).collect();
    let ends = own.iter().map(|edge| edge.to).filter(|to| !inside.contains(to));
    let ends: Vec<LabelId> = ends.collect();
    results.iter().any(|register| {
        let asked = asks(program, id, *register);
        ends.iter().any(|end| is_read_from(template, *end, *register, asked))
    })
}

/// Whether a register is read, or kept until the end if that counts, from a label on.
fn is_read_from(template: &Template, from: LabelId, register: RegisterId, at_end: bool) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut next = vec![from];
    while let Some(label) = next.pop() {
        let outgoing = template.outgoing(label);
        if outgoing.len() == 0 && at_end {
            return true;
        }
        for edge in outgoing.map(|edge| template.edge(edge)) {
            let reads = |expr: &&Expr| expr.registers().contains(&register);
            if edge.instruction.expressions().iter().any(reads) {
                return true;
            }
            if edge.instruction.written_register() != Some(register) && seen.insert(edge.to) {
                next.push(edge.to);
            }
        }
    }
    false
}

/// Whether the question of the test is about a register.
fn asks(program: &Program, template: TemplateId, register: RegisterId) -> bool {
    let found = std::cell::Cell::new(false);
    let _ = program.question().map(&|observable| {
        match observable {
            Observable::Register { template: at, register: of, .. } => {
                found.set(found.get() || (at, of) == (template, register));
            }
            Observable::Cell(_) | Observable::Across(..) => {}
        }
        observable
    });
    found.get()
}
