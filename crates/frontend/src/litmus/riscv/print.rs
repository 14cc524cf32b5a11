//! Printing RISC-V instructions.
//!
//! Orders, as in the table of the RISC-V memory model (A.6): an acquire load is followed by `fence
//! r,rw`, a `seq_cst` one also preceded by `fence rw,rw`; a release or `seq_cst` store is preceded by
//! `fence rw,w`. AMOs, `lr` and `sc` have `.aq` and `.rl`. Fences: the sets that each kind orders,
//! `fence.tso` for a lightweight one, `fence.i` for control.

use program::{Architecture, FenceKind, IntType, Order, Target, Value};

use super::super::fence;
use super::super::load_store::print::Bits;
use super::super::load_store::print::assembler::{
    Address, Arithmetic, Assembler, How, Lines, Operand, Reg, Relation, Rmw, Spare, acquires,
    releases,
};
use super::super::machine::Arch;
use super::print_update;

/// Prints instructions that compute with this many bits.
pub(in crate::litmus) struct Printer {
    bits: Bits,
}

const FIRST: usize = 5;

/// A register.
pub(super) fn reg(register: Reg) -> String {
    format!("x{}", register.0 + FIRST)
}

impl Printer {
    pub(in crate::litmus) const fn new(bits: Bits) -> Self {
        Self { bits }
    }

    /// The letter of instructions on words.
    const fn word(&self) -> &'static str {
        if self.bits == 32 { "w" } else { "" }
    }
}

fn memory(address: Address) -> String {
    format!("{}({})", address.offset, reg(address.base))
}

const fn letter(int: IntType) -> &'static str {
    match int.bits() {
        8 => "b",
        16 => "h",
        32 => "w",
        _ => "d",
    }
}

impl Assembler for Printer {
    fn arch(&self) -> Arch {
        Arch::RiscV
    }

    fn registers(&self) -> Vec<String> {
        (FIRST..32).map(|number| format!("x{number}")).collect()
    }

    fn takes_number(&self, op: Arithmetic, value: Value) -> bool {
        match op {
            Arithmetic::Add | Arithmetic::And | Arithmetic::Or | Arithmetic::Xor => {
                (-2048..=2047).contains(&value)
            }
            Arithmetic::ShiftLeft | Arithmetic::ShiftRight => true,
            Arithmetic::Sub | Arithmetic::Mul => false,
        }
    }

    fn compares_with(&self, value: Value) -> bool {
        value == 0
    }

    fn constant(&self, to: Reg, value: Value) -> Lines {
        vec![format!("li {},{value}", reg(to))]
    }

    fn copy(&self, to: Reg, from: Reg) -> Lines {
        vec![format!("mv {},{}", reg(to), reg(from))]
    }

    fn arithmetic(&self, op: Arithmetic, to: Reg, left: Reg, right: Operand) -> Lines {
        // Of operands that are words with their sign, bitwise operations make words again.
        let (stem, word) = match op {
            Arithmetic::Add => ("add", self.word()),
            Arithmetic::Sub => ("sub", self.word()),
            Arithmetic::Mul => ("mul", self.word()),
            Arithmetic::And => ("and", ""),
            Arithmetic::Or => ("or", ""),
            Arithmetic::Xor => ("xor", ""),
            Arithmetic::ShiftLeft => ("sll", self.word()),
            Arithmetic::ShiftRight => ("sra", self.word()),
        };
        let (number, right) = match right {
            Operand::Register(register) => ("", reg(register)),
            Operand::Number(value) => ("i", value.to_string()),
        };
        vec![format!("{stem}{number}{word} {},{},{right}", reg(to), reg(left))]
    }

    fn compares_by_difference(&self) -> bool {
        false
    }

    fn truth(&self, relation: Relation, to: Reg, (left, right): (Reg, Reg), _: Reg) -> Lines {
        let (to, left, right) = (reg(to), reg(left), reg(right));
        let first = match relation {
            Relation::Equal | Relation::NotEqual => format!("xor {to},{left},{right}"),
            Relation::Less | Relation::GreaterOrEqual => format!("slt {to},{left},{right}"),
            Relation::Greater | Relation::LessOrEqual => format!("slt {to},{right},{left}"),
        };
        // Not with `seqz` and `snez`, which herd does not know.
        let is_not_zero = || format!("sltu {to},x0,{to}");
        let negated = || format!("xori {to},{to},1");
        match relation {
            Relation::Equal => vec![first, is_not_zero(), negated()],
            Relation::NotEqual => vec![first, is_not_zero()],
            Relation::GreaterOrEqual | Relation::LessOrEqual => vec![first, negated()],
            Relation::Less | Relation::Greater => vec![first],
        }
    }

    fn select(&self, _: Reg, _: Reg, _: (Reg, Reg)) -> Option<Lines> {
        None
    }

    fn extend(&self, to: Reg, from: Reg, int: IntType) -> Lines {
        let (to, from) = (reg(to), reg(from));
        if int.signed() && int.bits() == 32 {
            return vec![format!("sext.w {to},{from}")];
        }
        let by = 64 - int.bits();
        let right = if int.signed() { "srai" } else { "srli" };
        vec![format!("slli {to},{from},{by}"), format!("{right} {to},{to},{by}")]
    }

    fn add_index(&self, to: Reg, base: Reg, index: Reg) -> Lines {
        vec![format!("add {},{},{}", reg(to), reg(base), reg(index))]
    }

    fn add_offset(&self, to: Reg, base: Reg, offset: Value) -> Lines {
        vec![format!("addi {},{},{offset}", reg(to), reg(base))]
    }

    /// No access has a second register in its address.
    fn reaches(&self, address: Address, how: How) -> bool {
        address.index.is_none() && (address.offset == 0 || !how.exclusive)
    }

    fn load(&self, to: Reg, address: Address, how: How) -> Lines {
        let mut lines = Vec::new();
        if how.exclusive {
            let (letter, order) = (letter(how.int), ordered(how.order));
            lines.push(format!("lr.{letter}{order} {},({})", reg(to), reg(address.base)));
            if !how.int.signed() && how.int.bits() < 64 {
                lines.extend(self.extend(to, to, how.int));
            }
            return lines;
        }
        if how.order == Order::SeqCst {
            lines.push("fence rw,rw".to_owned());
        }
        let unsigned = if how.int.signed() || how.int.bits() == 64 { "" } else { "u" };
        lines.push(format!("l{}{unsigned} {},{}", letter(how.int), reg(to), memory(address)));
        if acquires(how.order) {
            lines.push("fence r,rw".to_owned());
        }
        lines
    }

    fn store(&self, value: Reg, address: Address, how: How) -> Lines {
        let store = format!("s{} {},{}", letter(how.int), reg(value), memory(address));
        let fence = releases(how.order).then(|| "fence rw,w".to_owned());
        fence.into_iter().chain([store]).collect()
    }

    fn store_exclusive(
        &self,
        status: Reg,
        value: Reg,
        address: Address,
        how: How,
        _: &Spare,
    ) -> Lines {
        let (letter, order, base) = (letter(how.int), ordered(how.order), reg(address.base));
        vec![format!("sc.{letter}{order} {},{},({base})", reg(status), reg(value))]
    }

    fn update(&self, old: Reg, address: Reg, rmw: Rmw, how: How, spare: &Spare) -> Option<Lines> {
        matches!(how.int.bits(), 32 | 64)
            .then(|| print_update::lines(self, old, address, rmw, how, spare))
    }

    fn fence(&self, kind: FenceKind) -> Lines {
        let written = fence::instruction(Architecture::RiscV, Target::RiscV.fence(kind));
        written.map(str::to_owned).into_iter().collect()
    }

    fn branch(&self, relation: Relation, left: Reg, right: Operand, label: &str) -> Lines {
        let right = match right {
            Operand::Register(register) => reg(register),
            Operand::Number(_) => "x0".to_owned(),
        };
        let mnemonic = match relation {
            Relation::Equal => "beq",
            Relation::NotEqual => "bne",
            Relation::Less => "blt",
            Relation::GreaterOrEqual => "bge",
            Relation::LessOrEqual => "ble",
            Relation::Greater => "bgt",
        };
        vec![format!("{mnemonic} {},{right},{label}", reg(left))]
    }

    fn reserves(&self, bits: u8) -> bool {
        matches!(bits, 32 | 64)
    }

    fn compares_unsigned(&self, _: u8) -> bool {
        true
    }

    fn jump(&self, label: &str) -> String {
        format!("j {label}")
    }

    fn nothing(&self) -> String {
        "nop".to_owned()
    }
}

/// The suffix of an atomic access.
pub(super) const fn ordered(order: Order) -> &'static str {
    match (acquires(order), releases(order)) {
        (true, true) => ".aq.rl",
        (true, false) => ".aq",
        (false, true) => ".rl",
        (false, false) => "",
    }
}
