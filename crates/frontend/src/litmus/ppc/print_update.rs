//! Printing atomic updates as loops with a reservation.

use program::{FetchOp, IntType};

use super::super::load_store::print::assembler::{
    Address, Arithmetic, Assembler, How, Lines, Operand, Reg, Relation, Rmw, Spare, acquires,
};
use super::print::{Printer, access_letter, fence_after_update, fence_before, reg};

pub(super) fn lines(
    printer: &Printer,
    old: Reg,
    address: Reg,
    rmw: Rmw,
    how: How,
    spare: &Spare,
) -> Lines {
    let (again, done) = (&spare.labels[0], &spare.labels[1]);
    let place = Address { base: address, index: None, offset: 0 };
    let mut lines: Lines = fence_before(how.order, false).into_iter().collect();
    lines.push(format!("{again}:"));
    let reserve = How { order: program::Order::Plain, exclusive: true, ..how };
    lines.extend(printer.load(old, place, reserve));
    let [result, _] = spare.registers;
    let store = |new: Reg| {
        let letter = access_letter(how.int);
        [format!("st{letter}cx. {},r0,{}", reg(new), reg(address)), format!("bne {again}")]
    };
    match rmw {
        Rmw::Exchange(value) => lines.extend(store(value)),
        Rmw::CompareAndSwap { expected, new } => {
            let expected = Operand::Register(expected);
            lines.extend(printer.branch(Relation::NotEqual, old, expected, done));
            lines.extend(store(new));
            // A failure that does not acquire passes the fence by.
            if !acquires(how.failure) {
                lines.extend(fence_after_update(how.order));
            }
            lines.push(format!("{done}:"));
            lines.extend(fence_after_update(how.failure));
            return lines;
        }
        Rmw::Fetch(op, value) => {
            lines.extend(computed(printer, (op, how.int), (result, old, value), done));
            lines.extend(store(result));
        }
    }
    lines.extend(fence_after_update(how.order));
    lines
}

/// Puts what an update writes into a register.
fn computed(
    printer: &Printer,
    (op, held): (FetchOp, IntType),
    (result, old, value): (Reg, Reg, Reg),
    label: &str,
) -> Lines {
    let simple = |op| printer.arithmetic(op, result, old, Operand::Register(value));
    let least = |relation| {
        let mut lines = printer.copy(result, old);
        let int = op.compared(held);
        let mut branch = printer.branch(relation, old, Operand::Register(value), label);
        if !int.signed() {
            let letter = if int.bits() == 64 { "d" } else { "w" };
            branch[0] = format!("cmpl{letter} {},{}", reg(old), reg(value));
        }
        lines.extend(branch);
        lines.extend(printer.copy(result, value));
        lines.push(format!("{label}:"));
        lines
    };
    match op {
        FetchOp::Add => simple(Arithmetic::Add),
        FetchOp::Sub => simple(Arithmetic::Sub),
        FetchOp::And => simple(Arithmetic::And),
        FetchOp::Or => simple(Arithmetic::Or),
        FetchOp::Xor => simple(Arithmetic::Xor),
        FetchOp::Nand => {
            vec![format!("nand {},{},{}", reg(result), reg(old), reg(value))]
        }
        FetchOp::Min | FetchOp::MinAs(_) => least(Relation::LessOrEqual),
        FetchOp::Max | FetchOp::MaxAs(_) => least(Relation::GreaterOrEqual),
    }
}
