//! Printing atomic updates as LSE instructions.

use program::FetchOp;

use super::super::load_store::print::assembler::{
    Address, Arithmetic, Assembler, How, Lines, Operand, Reg, Relation, Rmw, Spare, acquires,
    releases,
};
use super::print::{Printer, suffix};

pub(super) fn lines(
    printer: &Printer,
    old: Reg,
    address: Reg,
    rmw: Rmw,
    how: How,
    spare: &Spare,
) -> Lines {
    let order = match (acquires(how.order), releases(how.order)) {
        (true, true) => "AL",
        (true, false) => "A",
        (false, true) => "L",
        (false, false) => "",
    };
    let instruction = |stem: &str, first: Reg, second: Reg| {
        let (first, second) = (Printer::sized(first, how.int), Printer::sized(second, how.int));
        format!("{stem}{order}{} {first},{second},[X{}]", suffix(how.int), address.0)
    };
    let [operand, _] = spare.registers;
    let lines = match rmw {
        Rmw::Exchange(value) => vec![instruction("SWP", value, old)],
        Rmw::CompareAndSwap { expected, new } => {
            let mut lines = printer.copy(old, expected);
            lines.push(instruction("CAS", old, new));
            lines
        }
        Rmw::Fetch(op, value) => {
            let signed = op.compared(how.int).signed();
            let (stem, changed) = match op {
                FetchOp::Add => ("LDADD", None),
                FetchOp::Sub => ("LDADD", Some("NEG")),
                FetchOp::And => ("LDCLR", Some("MVN")),
                FetchOp::Or => ("LDSET", None),
                FetchOp::Xor => ("LDEOR", None),
                FetchOp::Min | FetchOp::MinAs(_) if signed => ("LDSMIN", None),
                FetchOp::Min | FetchOp::MinAs(_) => ("LDUMIN", None),
                FetchOp::Max | FetchOp::MaxAs(_) if signed => ("LDSMAX", None),
                FetchOp::Max | FetchOp::MaxAs(_) => ("LDUMAX", None),
                FetchOp::Nand => return nand(printer, old, address, value, how, spare),
            };
            let mut lines = Vec::new();
            let mut operand_register = value;
            if let Some(mnemonic) = changed {
                let sized = |register| Printer::sized(register, how.int);
                lines.push(format!("{mnemonic} {},{}", sized(operand), sized(value)));
                operand_register = operand;
            }
            lines.push(instruction(stem, operand_register, old));
            lines
        }
    };
    printer.completed(lines, old, how.int)
}

/// The complement of the "and", which no single instruction computes: a loop with exclusives.
fn nand(printer: &Printer, old: Reg, address: Reg, value: Reg, how: How, spare: &Spare) -> Lines {
    let [new, status] = spare.registers;
    let again = &spare.labels[0];
    let place = Address { base: address, index: None, offset: 0 };
    let how = How { exclusive: true, ..how };
    let mut lines = vec![format!("{again}:")];
    lines.extend(printer.load(old, place, how));
    lines.extend(printer.arithmetic(Arithmetic::And, new, old, Operand::Register(value)));
    let sized = Printer::sized(new, how.int);
    lines.push(format!("MVN {sized},{sized}"));
    lines.extend(printer.store_exclusive(status, new, place, how, spare));
    lines.extend(printer.branch(Relation::NotEqual, status, Operand::Number(0), again));
    lines
}
