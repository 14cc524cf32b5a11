//! Printing atomic updates as AMOs or, where there is none, as loops with `lr` and `sc`.

use program::{FetchOp, Order};

use super::super::load_store::print::assembler::{
    Assembler, How, Lines, Reg, Rmw, Spare, acquires, releases,
};
use super::print::{Printer, ordered, reg};

pub(super) fn lines(
    printer: &Printer,
    old: Reg,
    address: Reg,
    rmw: Rmw,
    how: How,
    spare: &Spare,
) -> Lines {
    let letter = if how.int.bits() == 64 { "d" } else { "w" };
    let order = ordered(how.order);
    let amo = |stem: &str, operand: Reg| {
        format!("amo{stem}.{letter}{order} {},{},({})", reg(old), reg(operand), reg(address))
    };
    let [operand, status] = spare.registers;
    let (again, done) = (&spare.labels[0], &spare.labels[1]);
    // As the manual maps C11: only a seq_cst operation has both marks on its `lr`.
    let reserve_order = match how.order {
        Order::SeqCst => ".aq.rl",
        order if acquires(order) => ".aq",
        Order::Plain | Order::Volatile | Order::Relaxed | Order::Release => "",
        Order::Acquire | Order::AcquireRelease => ".aq",
    };
    let store_order = if releases(how.order) { ".rl" } else { "" };
    let reserve = format!("lr.{letter}{reserve_order} {},({})", reg(old), reg(address));
    let store = |new: Reg| {
        [
            format!("sc.{letter}{store_order} {},{},({})", reg(status), reg(new), reg(address)),
            format!("bne {},x0,{again}", reg(status)),
        ]
    };
    let mut lines = Vec::new();
    match rmw {
        Rmw::Exchange(value) => lines.push(amo("swap", value)),
        Rmw::Fetch(FetchOp::Add, value) => lines.push(amo("add", value)),
        Rmw::Fetch(FetchOp::Sub, value) => {
            lines.push(format!("neg {},{}", reg(operand), reg(value)));
            lines.push(amo("add", operand));
        }
        Rmw::Fetch(FetchOp::And, value) => lines.push(amo("and", value)),
        Rmw::Fetch(FetchOp::Or, value) => lines.push(amo("or", value)),
        Rmw::Fetch(FetchOp::Xor, value) => lines.push(amo("xor", value)),
        Rmw::Fetch(op @ (FetchOp::Min | FetchOp::MinAs(_)), value) => {
            lines.push(amo(if op.compared(how.int).signed() { "min" } else { "minu" }, value));
        }
        Rmw::Fetch(op @ (FetchOp::Max | FetchOp::MaxAs(_)), value) => {
            lines.push(amo(if op.compared(how.int).signed() { "max" } else { "maxu" }, value));
        }
        Rmw::Fetch(FetchOp::Nand, value) => {
            lines.push(format!("{again}:"));
            lines.push(reserve);
            lines.push(format!("and {},{},{}", reg(operand), reg(old), reg(value)));
            lines.push(format!("not {},{}", reg(operand), reg(operand)));
            lines.extend(store(operand));
        }
        Rmw::CompareAndSwap { expected, new } => {
            lines.push(format!("{again}:"));
            lines.push(reserve);
            if !how.int.signed() && how.int.bits() == 32 {
                lines.extend(printer.extend(old, old, how.int));
            }
            lines.push(format!("bne {},{},{done}", reg(old), reg(expected)));
            lines.extend(store(new));
            lines.push(format!("{done}:"));
            return lines;
        }
    }
    if !how.int.signed() && how.int.bits() == 32 {
        lines.extend(printer.extend(old, old, how.int));
    }
    lines
}
