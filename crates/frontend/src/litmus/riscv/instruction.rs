//! Reading RISC-V instructions.

use super::super::load_store::Cell;
use super::super::load_store::syntax::{Flow, Line, Step};
use super::mnemonic::{self, Operation};
use super::{atomic, compute, control, fence, memory};
use crate::token::Parsed;

pub(super) fn line(cell: &mut Cell<'_>) -> Parsed<Line> {
    let word = cell.mnemonic()?;
    let Some(operation) = mnemonic::find(&word) else { return cell.unknown() };
    let steps = match operation {
        Operation::Compute(operation) => vec![compute::step(cell, operation)?],
        Operation::Load { bits, extension, order } => memory::load(cell, bits, extension, order)?,
        Operation::Store { bits, order } => memory::store(cell, bits, order)?,
        Operation::LoadReserved { bits, order } => {
            vec![atomic::load_reserved(cell, bits, order)?]
        }
        Operation::StoreConditional { bits, order } => {
            vec![atomic::store_conditional(cell, bits, order)?]
        }
        Operation::Atomic { change, bits, order } => {
            vec![atomic::update(cell, change, bits, order)?]
        }
        Operation::Fence => fence::kinds(cell)?.into_iter().map(Step::Fence).collect(),
        Operation::FenceOf(kind) => vec![Step::Fence(kind)],
        Operation::Nothing => Vec::new(),
        Operation::Branch(branch) => {
            return Ok(Line::leading(control::branch(cell, branch)?, cell.span()));
        }
        Operation::Jump => return Ok(Line::leading(Flow::Jump(cell.label()?), cell.span())),
        Operation::Return => return Ok(Line::leading(Flow::Return, cell.span())),
        Operation::Refused(what, help) => return cell.unsupported(what, help),
    };
    Ok(Line::new(steps, cell.span()))
}
