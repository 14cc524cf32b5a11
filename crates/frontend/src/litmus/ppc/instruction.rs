//! Reading Power instructions.

use super::super::load_store::Cell;
use super::super::load_store::syntax::{Flow, Line, Step};
use super::mnemonic::{self, Operation};
use super::{compute, control, memory};
use crate::token::Parsed;

pub(super) fn line(cell: &mut Cell<'_>) -> Parsed<Line> {
    let word = cell.mnemonic()?;
    let Some((operation, records)) = mnemonic::find(&word) else { return cell.unknown() };
    let steps = match operation {
        Operation::Compute(operation) => compute::steps(cell, operation, records)?,
        Operation::Compare { bits, is_unsigned, immediate } => {
            vec![control::compare(cell, bits, is_unsigned, immediate)?]
        }
        Operation::Load { .. }
        | Operation::Store { .. }
        | Operation::LoadReserve { .. }
        | Operation::StoreConditional { .. } => memory::steps(cell, operation)?,
        Operation::Fence(kind) => vec![Step::Fence(kind)],
        Operation::Jump => return Ok(Line::leading(Flow::Jump(cell.label()?), cell.span())),
        Operation::Branch(condition) => {
            return Ok(Line::leading(control::branch(cell, condition)?, cell.span()));
        }
        Operation::Return => return Ok(Line::leading(Flow::Return, cell.span())),
        Operation::Nothing => Vec::new(),
        Operation::Cache => {
            memory::indexed_address(cell)?;
            Vec::new()
        }
        Operation::Refused(what) => {
            return cell.unsupported(what, "write single accesses instead");
        }
    };
    Ok(Line::new(steps, cell.span()))
}
