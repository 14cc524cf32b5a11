//! Reading A64 instructions.

use super::super::arm::{barrier, condition};
use super::super::load_store::Cell;
use super::super::load_store::syntax::{Flow, Line, Term};
use super::mnemonic::{self, Operation};
use super::{atomic, compute, control, memory, pair};
use crate::token::Parsed;

pub(super) fn line(cell: &mut Cell<'_>) -> Parsed<Line> {
    let word = cell.mnemonic()?;
    if let Some(line) = barrier::line(&word, barrier::Set::A64, cell) {
        return line;
    }
    let suffix = word.strip_prefix("b.").or_else(|| word.strip_prefix('b'));
    if let Some(condition) = suffix.and_then(condition::find) {
        let flow = Flow::Branch(Term::Condition(condition), cell.label()?);
        return Ok(Line::leading(flow, cell.span()));
    }
    let Some(operation) = mnemonic::find(&word) else { return cell.unknown() };
    let steps = match operation {
        Operation::Compute(operation) => compute::steps(cell, operation)?,
        Operation::Load { .. }
        | Operation::LoadExclusive { .. }
        | Operation::Store { .. }
        | Operation::StoreExclusive { .. } => memory::steps(cell, operation)?,
        Operation::Atomic { atomic, bits, order } => atomic::steps(cell, atomic, bits, order)?,
        Operation::Pair(pair) => pair::steps(cell, pair)?,
        Operation::Control(control) => {
            return Ok(Line::leading(control::flow(cell, control)?, cell.span()));
        }
        Operation::Nothing => Vec::new(),
        Operation::Refused(what, help) => return cell.unsupported(what, help),
    };
    Ok(Line::new(steps, cell.span()))
}
