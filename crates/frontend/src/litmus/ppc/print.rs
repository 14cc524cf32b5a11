//! Printing Power instructions.
//!
//! Orders, in the usual mapping of C11: an acquire load is followed by `lwsync`, a `seq_cst` one also
//! preceded by `sync`; a release store is preceded by `lwsync`, a `seq_cst` one by `sync`. Atomic
//! updates are loops with `lwarx` and `stwcx.`, followed by `isync` if they acquire. Fences: `sync`
//! where stores are ordered before loads, `eieio` for stores before stores, `isync` for control,
//! otherwise `lwsync`.

use program::{Architecture, FenceKind, IntType, Order, Target, Value};

use super::super::fence;
use super::super::load_store::print::Bits;
use super::super::load_store::print::assembler::{
    Address, Arithmetic, Assembler, How, Lines, Operand, Reg, Relation, Rmw, Spare, acquires,
};
use super::super::machine::Arch;
use super::print_update;

/// Prints instructions that compute with this many bits.
pub(in crate::litmus) struct Printer {
    bits: Bits,
}

/// A register. `r0` is left out, since it is no base.
pub(super) fn reg(register: Reg) -> String {
    format!("r{}", register.0 + 1)
}

impl Printer {
    pub(in crate::litmus) const fn new(bits: Bits) -> Self {
        Self { bits }
    }

    /// The letter of instructions of this width.
    pub(super) const fn letter(&self) -> &'static str {
        if self.bits == 64 { "d" } else { "w" }
    }
}

/// The letter of accesses of this width.
pub(super) const fn access_letter(int: IntType) -> &'static str {
    match int.bits() {
        8 => "b",
        16 => "h",
        32 => "w",
        _ => "d",
    }
}

/// The fence before an access.
pub(super) fn fence_before(order: Order, loads: bool) -> Option<String> {
    match order {
        Order::SeqCst => Some("sync".to_owned()),
        Order::Release | Order::AcquireRelease if !loads => Some("lwsync".to_owned()),
        Order::Plain
        | Order::Volatile
        | Order::Relaxed
        | Order::Acquire
        | Order::Release
        | Order::AcquireRelease => None,
    }
}

fn memory(mnemonic: &str, register: Reg, address: Address) -> String {
    let (register, base) = (reg(register), reg(address.base));
    match address.index {
        Some(index) => format!("{mnemonic}x {register},{},{base}", reg(index)),
        None => format!("{mnemonic} {register},{}({base})", address.offset),
    }
}

impl Assembler for Printer {
    fn arch(&self) -> Arch {
        Arch::Ppc
    }

    fn registers(&self) -> Vec<String> {
        (1..32).map(|number| format!("r{number}")).collect()
    }

    fn takes_number(&self, op: Arithmetic, value: Value) -> bool {
        match op {
            Arithmetic::Add => (-32768..=32767).contains(&value),
            Arithmetic::Or | Arithmetic::Xor => (0..=65535).contains(&value),
            Arithmetic::ShiftLeft | Arithmetic::ShiftRight => true,
            Arithmetic::Sub | Arithmetic::Mul | Arithmetic::And => false,
        }
    }

    fn compares_with(&self, value: Value) -> bool {
        (-32768..=32767).contains(&value)
    }

    fn constant(&self, to: Reg, value: Value) -> Lines {
        vec![format!("li {},{value}", reg(to))]
    }

    fn copy(&self, to: Reg, from: Reg) -> Lines {
        vec![format!("mr {},{}", reg(to), reg(from))]
    }

    fn arithmetic(&self, op: Arithmetic, to: Reg, left: Reg, right: Operand) -> Lines {
        // herd knows the rotation but not the shift.
        if let (Arithmetic::ShiftLeft, Operand::Number(by @ 1..=31), 32) = (op, right, self.bits) {
            return vec![format!("rlwinm {},{},{by},0,{}", reg(to), reg(left), 31 - by)];
        }
        let letter = self.letter();
        let is_number = matches!(right, Operand::Number(_));
        let mnemonic = match (op, is_number) {
            (Arithmetic::Add, false) => "add".to_owned(),
            (Arithmetic::Add, true) => "addi".to_owned(),
            (Arithmetic::Sub, _) => "sub".to_owned(),
            (Arithmetic::Mul, _) => format!("mull{letter}"),
            (Arithmetic::And, _) => "and".to_owned(),
            (Arithmetic::Or, false) => "or".to_owned(),
            (Arithmetic::Or, true) => "ori".to_owned(),
            (Arithmetic::Xor, false) => "xor".to_owned(),
            (Arithmetic::Xor, true) => "xori".to_owned(),
            (Arithmetic::ShiftLeft, false) => format!("sl{letter}"),
            (Arithmetic::ShiftLeft, true) => format!("sl{letter}i"),
            (Arithmetic::ShiftRight, false) => format!("sra{letter}"),
            (Arithmetic::ShiftRight, true) => format!("sra{letter}i"),
        };
        let right = match right {
            Operand::Register(register) => reg(register),
            Operand::Number(value) => value.to_string(),
        };
        vec![format!("{mnemonic} {},{},{right}", reg(to), reg(left))]
    }

    fn compares_by_difference(&self) -> bool {
        true
    }

    fn truth(&self, relation: Relation, to: Reg, (left, right): (Reg, Reg), spare: Reg) -> Lines {
        let (sign, letter) = (self.bits - 1, self.letter());
        let (left, right, to, spare) = (reg(left), reg(right), reg(to), reg(spare));
        let mut lines = match relation {
            Relation::Less | Relation::GreaterOrEqual | Relation::Equal | Relation::NotEqual => {
                vec![format!("sub {to},{left},{right}")]
            }
            Relation::Greater | Relation::LessOrEqual => vec![format!("sub {to},{right},{left}")],
        };
        // The difference or its negation is negative unless both are zero.
        if matches!(relation, Relation::Equal | Relation::NotEqual) {
            lines.push(format!("li {spare},0"));
            lines.push(format!("sub {spare},{spare},{to}"));
            lines.push(format!("or {to},{to},{spare}"));
        }
        lines.push(match self.bits {
            32 => format!("rlwinm {to},{to},1,31,31"),
            _ => format!("sr{letter}i {to},{to},{sign}"),
        });
        let negated = match relation {
            Relation::Equal | Relation::GreaterOrEqual | Relation::LessOrEqual => true,
            Relation::NotEqual | Relation::Less | Relation::Greater => false,
        };
        if negated {
            lines.push(format!("xori {to},{to},1"));
        }
        lines
    }

    fn select(&self, _: Reg, _: Reg, _: (Reg, Reg)) -> Option<Lines> {
        None
    }

    fn extend(&self, to: Reg, from: Reg, int: IntType) -> Lines {
        let (to, from, letter) = (reg(to), reg(from), self.letter());
        match (int.bits(), int.signed()) {
            // With what herd knows of Power.
            (bits @ (8 | 16), true) if self.bits == 32 => {
                let by = 32 - bits;
                vec![
                    format!("rlwinm {to},{from},{by},0,{}", bits - 1),
                    format!("srawi {to},{to},{by}"),
                ]
            }
            (bits @ 1..=31, false) if self.bits == 32 => {
                vec![format!("rlwinm {to},{from},0,{},31", 32 - bits)]
            }
            (bits @ 1..=63, false) if self.bits == 64 => {
                vec![format!("clrldi {to},{from},{}", 64 - bits)]
            }
            (8, true) => vec![format!("extsb {to},{from}")],
            (16, true) => vec![format!("extsh {to},{from}")],
            (32, true) => vec![format!("extsw {to},{from}")],
            (bits, signed) => {
                let by = self.bits - bits;
                let right = if signed { "sra" } else { "sr" };
                vec![
                    format!("sl{letter}i {to},{from},{by}"),
                    format!("{right}{letter}i {to},{to},{by}"),
                ]
            }
        }
    }

    fn add_index(&self, to: Reg, base: Reg, index: Reg) -> Lines {
        vec![format!("add {},{},{}", reg(to), reg(index), reg(base))]
    }

    fn add_offset(&self, to: Reg, base: Reg, offset: Value) -> Lines {
        vec![format!("addi {},{},{offset}", reg(to), reg(base))]
    }

    fn reaches(&self, address: Address, how: How) -> bool {
        !how.exclusive || address.index.is_none() && address.offset == 0
    }

    fn load(&self, to: Reg, address: Address, how: How) -> Lines {
        let int = how.int;
        let mut lines: Lines = fence_before(how.order, true).into_iter().collect();
        if how.exclusive {
            let letter = access_letter(int);
            lines.push(format!("l{letter}arx {},r0,{}", reg(to), reg(address.base)));
        } else {
            let mnemonic = match (int.bits(), int.signed()) {
                (8, _) => "lbz",
                (16, true) => "lha",
                (16, false) => "lhz",
                (32, _) => "lwz",
                _ => "ld",
            };
            lines.push(memory(mnemonic, to, address));
        }
        let is_extended = int.bits() == 16 && !how.exclusive;
        if int.signed() && int.bits() < self.bits && !is_extended {
            lines.extend(self.extend(to, to, int));
        }
        if acquires(how.order) {
            lines.push("lwsync".to_owned());
        }
        lines
    }

    fn store(&self, value: Reg, address: Address, how: How) -> Lines {
        let mut lines: Lines = fence_before(how.order, false).into_iter().collect();
        lines.push(memory(&format!("st{}", access_letter(how.int)), value, address));
        lines
    }

    fn store_exclusive(
        &self,
        status: Reg,
        value: Reg,
        address: Address,
        how: How,
        spare: &Spare,
    ) -> Lines {
        let mut lines: Lines = fence_before(how.order, false).into_iter().collect();
        let (letter, base) = (access_letter(how.int), reg(address.base));
        let (status, value, done) = (reg(status), reg(value), &spare.labels[0]);
        lines.push(format!("st{letter}cx. {value},r0,{base}"));
        lines.push(format!("li {status},1"));
        lines.push(format!("bne {done}"));
        lines.push(format!("li {status},0"));
        lines.push(format!("{done}:"));
        lines
    }

    fn update(&self, old: Reg, address: Reg, rmw: Rmw, how: How, spare: &Spare) -> Option<Lines> {
        Some(print_update::lines(self, old, address, rmw, how, spare))
    }

    fn fence(&self, kind: FenceKind) -> Lines {
        let written = fence::instruction(Architecture::Power, Target::Power.fence(kind));
        written.map(str::to_owned).into_iter().collect()
    }

    fn branch(&self, relation: Relation, left: Reg, right: Operand, label: &str) -> Lines {
        let (left, letter) = (reg(left), self.letter());
        let compare = match right {
            Operand::Register(right) => format!("cmp{letter} {left},{}", reg(right)),
            Operand::Number(value) => format!("cmp{letter}i {left},{value}"),
        };
        let mnemonic = match relation {
            Relation::Equal => "beq",
            Relation::NotEqual => "bne",
            Relation::Less => "blt",
            Relation::GreaterOrEqual => "bge",
            Relation::LessOrEqual => "ble",
            Relation::Greater => "bgt",
        };
        vec![compare, format!("{mnemonic} {label}")]
    }

    fn reserves(&self, _: u8) -> bool {
        true
    }

    fn compares_unsigned(&self, bits: u8) -> bool {
        matches!(bits, 32 | 64)
    }

    fn jump(&self, label: &str) -> String {
        format!("b {label}")
    }

    fn nothing(&self) -> String {
        "nop".to_owned()
    }
}

/// The fence after an atomic update.
pub(super) fn fence_after_update(order: Order) -> Option<String> {
    acquires(order).then(|| "isync".to_owned())
}
