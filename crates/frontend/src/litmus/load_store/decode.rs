//! Reading the cells of a thread.

use std::collections::BTreeMap;

use program::{Diagnostic, Diagnostics, Span};

use super::super::ast::{Column, Item};
use super::syntax::{Code, Line};
use super::{Cell, InstructionSet};

/// The instructions of a thread. What cannot be read is left out.
pub(super) fn code(
    isa: &impl InstructionSet,
    column: &Column<'_>,
    errors: &mut Diagnostics,
) -> Code {
    let mut code =
        Code { lines: Vec::new(), labels: Vec::new(), end: column.name.span, counts_lines: false };
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for item in &column.items {
        match item {
            Item::Label(name) => {
                if let Some(first) = seen.insert(&name.text, name.span) {
                    let message = format!("label `{}` is defined twice", name.text);
                    let error = Diagnostic::new(name.span, message);
                    errors.push(error.related(first, "first defined here"));
                }
                code.labels.push((name.clone(), code.lines.len()));
                code.end = name.span;
            }
            Item::Instruction(tokens) => {
                let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { continue };
                let span = first.span.to(last.span);
                code.end = last.span;
                code.lines.extend(line(isa, Cell::new(isa, tokens, span, errors)));
            }
        }
    }
    super::relative::resolve(&mut code, errors);
    super::code::simplify(&mut code);
    code
}

fn line(isa: &impl InstructionSet, mut cell: Cell<'_>) -> Option<Line> {
    let line = isa.line(&mut cell).ok()?;
    cell.finish().ok()?;
    Some(line)
}
