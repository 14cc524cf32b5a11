//! Writing operands and instructions in either dialect.
#![expect(clippy::wildcard_enum_match_arm, reason = "a matcher names the shapes it knows")]

use std::fmt::Write;

use program::{
    AccessWidth, BinaryOp, Domain, Expr, IndexVec, LocationId, Program, RegisterId, Template, Value,
};

use super::super::machine::{signed, unsigned};
use super::{Dialect, register};

/// A thread to be printed, and how its parts are called.
pub(super) struct Names<'a> {
    pub(super) program: &'a Program,
    pub(super) template: &'a Template,
    pub(super) dialect: Dialect,
    pub(super) locations: &'a IndexVec<LocationId, String>,
    /// The machine registers; none for what an instruction computes on the way.
    pub(super) registers: IndexVec<RegisterId, Option<&'static str>>,
    /// A machine register that nothing else uses, if there is one.
    pub(super) scratch: Option<&'static str>,
}

/// A register operand: the whole register and which part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) register: RegisterId,
    pub(super) bits: u8,
    pub(super) high: bool,
}

/// How wide a cell or register is in a test.
pub(super) const fn width(domain: Domain, dialect: Dialect) -> u8 {
    match domain {
        Domain::Wrapping(int) => int.bits(),
        Domain::Integer | Domain::Range { .. } => match dialect {
            Dialect::Intel => 32,
            Dialect::Att => 64,
        },
    }
}

impl Names<'_> {
    pub(super) fn register_bits(&self, register: RegisterId) -> u8 {
        width(self.template.registers()[register].domain, self.dialect)
    }

    /// The text of a register or of its lowest bits.
    pub(super) fn slot(&self, slot: Slot) -> Option<String> {
        let whole = self.registers[slot.register]?;
        let name = if slot.high {
            let low = register::part_name(whole, 8)?;
            low.strip_suffix('l').filter(|stem| stem.len() == 1).map(|stem| format!("{stem}h"))?
        } else {
            register::part_name(whole, slot.bits)?.to_owned()
        };
        Some(self.decorated(&name))
    }

    /// A machine register as an operand.
    pub(super) fn decorated(&self, name: &str) -> String {
        match self.dialect {
            Dialect::Intel => name.to_ascii_uppercase(),
            Dialect::Att => format!("%{name}"),
        }
    }

    pub(super) fn location(&self, location: LocationId) -> &str {
        &self.locations[location]
    }

    /// A constant, or the address of a location.
    pub(super) fn constant(&self, value: &Expr, bits: u8) -> Option<String> {
        if let Expr::Const(value) = value {
            let (low, high) = (signed(bits).min(), unsigned(bits).max());
            return (low..=high).contains(value).then(|| format!("${value}"));
        }
        let Expr::Element(location, index) = value else { return None };
        (**index == Expr::Const(0)).then(|| format!("${}", self.location(*location)))
    }

    /// A register, a part of one, or a constant, as an instruction of this width reads it.
    pub(super) fn read(&self, value: &Expr, bits: u8) -> Option<String> {
        match self.read_slot(value, bits) {
            Some(slot) => self.slot(slot),
            None => self.constant(value, bits),
        }
    }

    pub(super) fn read_slot(&self, value: &Expr, bits: u8) -> Option<Slot> {
        if let Expr::Register(register) = value {
            let fits = self.register_bits(*register) == bits;
            return fits.then_some(Slot { register: *register, bits, high: false });
        }
        let Expr::Cast(int, inner) = value else { return None };
        let slot = self.stored_slot(inner, bits)?;
        let narrower = slot.high || self.register_bits(slot.register) > bits;
        (*int == signed(bits) && narrower).then_some(slot)
    }

    /// The same where the destination wraps the value.
    pub(super) fn stored(&self, value: &Expr, bits: u8) -> Option<String> {
        match self.stored_slot(value, bits) {
            Some(slot) => self.slot(slot),
            None => self.constant(value, bits),
        }
    }

    pub(super) fn stored_slot(&self, value: &Expr, bits: u8) -> Option<Slot> {
        if let Expr::Register(register) = value {
            let wide_enough = self.register_bits(*register) >= bits;
            return wide_enough.then_some(Slot { register: *register, bits, high: false });
        }
        let Expr::Binary(BinaryOp::Shr, register, by) = value else { return None };
        let Expr::Register(register) = **register else { return None };
        let high = bits == 8 && **by == Expr::Const(8);
        high.then_some(Slot { register, bits, high })
    }

    /// A memory operand.
    pub(super) fn memory(&self, address: &Expr) -> Option<String> {
        let (open, close) = match self.dialect {
            Dialect::Intel => ('[', ']'),
            Dialect::Att => ('(', ')'),
        };
        match address {
            Expr::Element(location, index) if **index == Expr::Const(0) => {
                Some(format!("{open}{}{close}", self.location(*location)))
            }
            Expr::Const(value) => Some(format!("[{value}]")),
            Expr::Register(register) => {
                Some(format!("{open}{}{close}", self.address_register(*register)?))
            }
            Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => self.computed_address(address),
        }
    }

    /// `8(%rax,%rbx,4)`; only one dialect has it.
    fn computed_address(&self, address: &Expr) -> Option<String> {
        let (sum, displacement) = match address {
            Expr::Binary(BinaryOp::Add, sum, by) if let Expr::Const(by) = **by => (&**sum, by),
            other => (other, 0),
        };
        if self.dialect == Dialect::Intel {
            return None;
        }
        let mut text = if displacement == 0 { String::new() } else { displacement.to_string() };
        match sum {
            Expr::Register(register) => {
                let _ = write!(text, "({})", self.address_register(*register)?);
            }
            Expr::Binary(BinaryOp::Add, base, index) => {
                let Expr::Register(base) = **base else { return None };
                let (index, scale): (RegisterId, Value) = match &**index {
                    Expr::Register(index) => (*index, 1),
                    Expr::Binary(BinaryOp::Mul, index, scale) => match (&**index, &**scale) {
                        (Expr::Register(index), Expr::Const(scale @ (2 | 4 | 8))) => {
                            (*index, *scale)
                        }
                        _ => return None,
                    },
                    _ => return None,
                };
                let (base, index) = (self.address_register(base)?, self.address_register(index)?);
                let _ = write!(text, "({base},{index},{scale})");
            }
            Expr::Const(_)
            | Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => return None,
        }
        Some(text)
    }

    fn address_register(&self, register: RegisterId) -> Option<String> {
        let bits = match self.dialect {
            Dialect::Intel => 32,
            Dialect::Att => 64,
        };
        let fits = self.register_bits(register) == bits;
        self.slot(Slot { register, bits, high: false }).filter(|_| fits)
    }

    /// How many bits an access covers, if that is clear.
    pub(super) fn access_bits(&self, address: &Expr, width: AccessWidth) -> Option<u8> {
        let locations = self.program.memory().locations();
        let cell = |location: LocationId| self::width(locations[location].domain, self.dialect);
        match (width, address) {
            // A width says nothing of a cell that has none; in a test it has one.
            (AccessWidth::Cell | AccessWidth::Bytes(_), Expr::Element(location, _)) => {
                width.fits(locations[*location].domain).then(|| cell(*location))
            }
            (AccessWidth::Bytes(bytes), _) => Some(bytes * 8),
            (AccessWidth::Across(int), _) => Some(int.bits()),
            (AccessWidth::Cell, _) => {
                let mut all = locations.indices().map(cell);
                all.next().filter(|first| all.all(|bits| bits == *first))
            }
        }
    }

    /// An instruction, its operands destination first.
    pub(super) fn line(&self, mnemonic: &str, bits: u8, operands: &[&str]) -> String {
        let suffix = match (self.dialect, bits) {
            (Dialect::Intel, 32) => "",
            (_, 8) => "b",
            (_, 16) => "w",
            (_, 32) => "l",
            (_, _) => "q",
        };
        let suffix = if mnemonic.starts_with("set") { "" } else { suffix };
        // herd writes these with the destination first in both dialects.
        let bare = mnemonic.trim_start_matches("lock ");
        let herd_order =
            ["xchg", "uxch", "cmpxchg", "xadd"].contains(&bare) || bare.starts_with("cmov");
        let mut operands = operands.to_vec();
        match self.dialect {
            Dialect::Intel => {
                let mnemonic = format!("{mnemonic}{suffix}").to_ascii_uppercase();
                format!("{mnemonic} {}", operands.join(","))
            }
            Dialect::Att => {
                if !herd_order {
                    operands.reverse();
                }
                format!("{mnemonic}{suffix} {}", operands.join(","))
            }
        }
    }

    /// An instruction without operands, or a jump.
    pub(super) fn bare(&self, mnemonic: &str) -> String {
        match self.dialect {
            Dialect::Intel => mnemonic.to_ascii_uppercase(),
            Dialect::Att => mnemonic.to_owned(),
        }
    }
}
