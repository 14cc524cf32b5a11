//! Printing A64 instructions.
//!
//! Orders: an acquire load is `LDAPR`, a `seq_cst` one `LDAR`; a release or `seq_cst` store is `STLR`;
//! an atomic update is an LSE instruction with `A`, `L` or `AL`. Fences: `DMB LD` where only earlier
//! loads are ordered, `DMB ST` for stores before stores, `ISB` for control, otherwise `DMB SY`.

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

impl Printer {
    pub(in crate::litmus) const fn new(bits: Bits) -> Self {
        Self { bits }
    }

    /// A register in computations.
    fn reg(&self, register: Reg) -> String {
        if self.bits == 64 { whole(register) } else { half(register) }
    }

    /// A register as an access of this width has it.
    pub(super) fn sized(register: Reg, int: IntType) -> String {
        if int.bits() == 64 { whole(register) } else { half(register) }
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Register(register) => self.reg(register),
            Operand::Number(value) => format!("#{value}"),
        }
    }

    fn memory(&self, address: Address) -> String {
        let base = whole(address.base);
        match (address.index, address.offset) {
            (Some(index), _) if self.bits == 64 => format!("[{base},{}]", whole(index)),
            (Some(index), _) => format!("[{base},{},SXTW]", half(index)),
            (None, 0) => format!("[{base}]"),
            (None, offset) => format!("[{base},#{offset}]"),
        }
    }

    /// What a load that clears the rest of the register leaves to be done.
    pub(super) fn completed(&self, mut lines: Lines, register: Reg, int: IntType) -> Lines {
        if int.signed() && int.bits() < self.bits {
            lines.extend(self.extend(register, register, int));
        }
        lines
    }
}

fn whole(register: Reg) -> String {
    format!("X{}", register.0)
}

fn half(register: Reg) -> String {
    format!("W{}", register.0)
}

/// The letter for a width below that of a register.
pub(super) const fn suffix(int: IntType) -> &'static str {
    match int.bits() {
        8 => "B",
        16 => "H",
        _ => "",
    }
}

/// Whether an access is neither ordered nor exclusive.
const fn is_plain(how: How) -> bool {
    !how.exclusive && !acquires(how.order) && !releases(how.order)
}

const fn condition(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "EQ",
        Relation::NotEqual => "NE",
        Relation::Less => "LT",
        Relation::GreaterOrEqual => "GE",
        Relation::LessOrEqual => "LE",
        Relation::Greater => "GT",
    }
}

impl Assembler for Printer {
    fn arch(&self) -> Arch {
        Arch::AArch64
    }

    fn registers(&self) -> Vec<String> {
        (0..29).map(|number| format!("X{number}")).collect()
    }

    fn takes_number(&self, op: Arithmetic, value: Value) -> bool {
        match op {
            Arithmetic::Add | Arithmetic::Sub => (0..=4095).contains(&value),
            Arithmetic::ShiftLeft | Arithmetic::ShiftRight => true,
            Arithmetic::Mul | Arithmetic::And | Arithmetic::Or | Arithmetic::Xor => false,
        }
    }

    fn compares_with(&self, value: Value) -> bool {
        (0..=4095).contains(&value)
    }

    fn constant(&self, to: Reg, value: Value) -> Lines {
        vec![format!("MOV {},#{value}", self.reg(to))]
    }

    fn copy(&self, to: Reg, from: Reg) -> Lines {
        vec![format!("MOV {},{}", self.reg(to), self.reg(from))]
    }

    fn arithmetic(&self, op: Arithmetic, to: Reg, left: Reg, right: Operand) -> Lines {
        let mnemonic = match op {
            Arithmetic::Add => "ADD",
            Arithmetic::Sub => "SUB",
            Arithmetic::Mul => "MUL",
            Arithmetic::And => "AND",
            Arithmetic::Or => "ORR",
            Arithmetic::Xor => "EOR",
            Arithmetic::ShiftLeft => "LSL",
            Arithmetic::ShiftRight => "ASR",
        };
        let right = self.operand(right);
        vec![format!("{mnemonic} {},{},{right}", self.reg(to), self.reg(left))]
    }

    fn compares_by_difference(&self) -> bool {
        false
    }

    fn truth(&self, relation: Relation, to: Reg, (left, right): (Reg, Reg), _: Reg) -> Lines {
        vec![
            format!("CMP {},{}", self.reg(left), self.reg(right)),
            format!("CSET {},{}", self.reg(to), condition(relation)),
        ]
    }

    fn select(&self, to: Reg, test: Reg, (then, otherwise): (Reg, Reg)) -> Option<Lines> {
        let values = format!("{},{}", self.reg(then), self.reg(otherwise));
        Some(vec![
            format!("CMP {},#0", self.reg(test)),
            format!("CSEL {},{values},NE", self.reg(to)),
        ])
    }

    fn extend(&self, to: Reg, from: Reg, int: IntType) -> Lines {
        let to_from =
            |mnemonic: &str, to: String, from: String| vec![format!("{mnemonic} {to},{from}")];
        match (int.bits(), int.signed()) {
            // `SXTB` and `UXTB` are other names of these, which herd does not know.
            (bits @ (8 | 16), true) => {
                vec![format!("SBFM {},{},#0,#{}", self.reg(to), self.reg(from), bits - 1)]
            }
            (32, true) => to_from("SXTW", self.reg(to), half(from)),
            (bits @ (8 | 16), false) => {
                vec![format!("UBFM {},{},#0,#{}", half(to), half(from), bits - 1)]
            }
            (32, false) => to_from("MOV", half(to), half(from)),
            (bits, true) => {
                let by = self.bits - bits;
                let (to, from) = (self.reg(to), self.reg(from));
                vec![format!("LSL {to},{from},#{by}"), format!("ASR {to},{to},#{by}")]
            }
            (_, false) => {
                vec![format!("AND {},{},#{}", self.reg(to), self.reg(from), int.max())]
            }
        }
    }

    fn add_index(&self, to: Reg, base: Reg, index: Reg) -> Lines {
        let index = if self.bits == 64 { whole(index) } else { format!("{},SXTW", half(index)) };
        vec![format!("ADD {},{},{index}", whole(to), whole(base))]
    }

    fn add_offset(&self, to: Reg, base: Reg, offset: Value) -> Lines {
        vec![format!("ADD {},{},#{offset}", whole(to), whole(base))]
    }

    fn reaches(&self, address: Address, how: How) -> bool {
        is_plain(how) || address.index.is_none() && address.offset == 0
    }

    fn load(&self, to: Reg, address: Address, how: How) -> Lines {
        let (int, memory) = (how.int, self.memory(address));
        if is_plain(how) {
            let (mnemonic, register) = match (int.bits(), int.signed()) {
                (8, true) => ("LDRSB", self.reg(to)),
                (16, true) => ("LDRSH", self.reg(to)),
                (32, true) if self.bits == 64 => ("LDRSW", whole(to)),
                (8, false) => ("LDRB", half(to)),
                (16, false) => ("LDRH", half(to)),
                _ => ("LDR", Self::sized(to, int)),
            };
            return vec![format!("{mnemonic} {register},{memory}")];
        }
        let stem = match (how.exclusive, how.order) {
            (true, order) if acquires(order) => "LDAXR",
            (true, _) => "LDXR",
            (false, Order::Acquire) => "LDAPR",
            (false, _) => "LDAR",
        };
        let line = format!("{stem}{} {},{memory}", suffix(int), Self::sized(to, int));
        self.completed(vec![line], to, int)
    }

    fn store(&self, value: Reg, address: Address, how: How) -> Lines {
        let stem = if is_plain(how) { "STR" } else { "STLR" };
        let register = Self::sized(value, how.int);
        vec![format!("{stem}{} {register},{}", suffix(how.int), self.memory(address))]
    }

    fn store_exclusive(
        &self,
        status: Reg,
        value: Reg,
        address: Address,
        how: How,
        _: &Spare,
    ) -> Lines {
        let plain = is_plain(How { exclusive: false, ..how });
        let stem = if plain { "STXR" } else { "STLXR" };
        let register = Self::sized(value, how.int);
        let (suffix, memory) = (suffix(how.int), self.memory(address));
        vec![format!("{stem}{suffix} {},{register},{memory}", half(status))]
    }

    fn update(&self, old: Reg, address: Reg, rmw: Rmw, how: How, spare: &Spare) -> Option<Lines> {
        Some(print_update::lines(self, old, address, rmw, how, spare))
    }

    fn fence(&self, kind: FenceKind) -> Lines {
        let written = fence::instruction(Architecture::AArch64, Target::AArch64.fence(kind));
        written.map(str::to_ascii_uppercase).into_iter().collect()
    }

    fn branch(&self, relation: Relation, left: Reg, right: Operand, label: &str) -> Lines {
        let left = self.reg(left);
        match (relation, right) {
            (Relation::Equal, Operand::Number(0)) => vec![format!("CBZ {left},{label}")],
            (Relation::NotEqual, Operand::Number(0)) => vec![format!("CBNZ {left},{label}")],
            (relation, right) => vec![
                format!("CMP {left},{}", self.operand(right)),
                format!("B.{} {label}", condition(relation)),
            ],
        }
    }

    fn reserves(&self, _: u8) -> bool {
        true
    }

    fn compares_unsigned(&self, _: u8) -> bool {
        true
    }

    fn jump(&self, label: &str) -> String {
        format!("B {label}")
    }

    fn nothing(&self) -> String {
        "NOP".to_owned()
    }
}
