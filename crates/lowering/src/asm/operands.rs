//! The operands of an assembly statement while its instructions are carried out: registers with
//! symbolic values, and memory.

use std::collections::BTreeMap;

use program::Expr;

use crate::asm::condition::Flags;
use crate::asm::constraint::{Constraint, Kind};
use crate::value::{self, Val};

/// What a register holds: so many low bits are known.
#[derive(Clone, Debug)]
struct Held {
    value: Val,
    bits: u32,
    /// What was written to fewer bits since.
    low: Option<(u32, Val)>,
}

impl Held {
    const fn new(value: Val, bits: u32) -> Self {
        Self { value, bits, low: None }
    }

    /// The low bits; nothing if not all of them are known.
    fn read(&self, bits: u32) -> Option<Val> {
        if let Some((known, low)) = &self.low {
            if bits <= *known {
                return Self::new(low.clone(), *known).read(bits);
            }
            let (Val::Expr(part), Val::Expr(whole)) = (low, &self.value) else { return None };
            let joined =
                value::with_part(whole.clone(), self.bits / 8, 0, known / 8, part.clone())?;
            return Self::new(Val::Expr(joined), self.bits).read(bits);
        }
        match &self.value {
            Val::Expr(expr) if bits < self.bits => {
                value::truncate(bits, expr.clone()).map(Val::Expr)
            }
            // Writing 32 bits clears the others.
            Val::Expr(expr) if bits > self.bits && self.bits == 32 => {
                value::zero_extend(32, bits, expr.clone()).map(Val::Expr)
            }
            known if bits == self.bits => Some(known.clone()),
            Val::Undefined => Some(Val::Undefined),
            Val::Inexpressible(why) => Some(Val::Inexpressible(why.clone())),
            Val::Expr(_) | Val::Private(..) | Val::Aggregate(_) => None,
        }
    }
}

/// What an operand is bound to.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    /// A register and the width of the value in it.
    Register(usize, u32),
    /// Memory and the width of what is there.
    Memory(Val, Option<u32>),
    /// A condition, when all is done.
    Flag,
}

/// What is given to an operand: a value or an address, with the width of the value, if it has one.
pub(crate) struct Given {
    pub(crate) value: Val,
    pub(crate) bits: Option<u32>,
}

/// Registers, operands and flags.
#[derive(Debug, Default)]
pub(crate) struct Operands {
    pub(crate) bound: Vec<Bound>,
    registers: Vec<Held>,
    named: BTreeMap<&'static str, usize>,
    pub(crate) flags: Flags,
    numbered: u32,
}

impl Operands {
    /// Binds operands: to each input and indirect output what it is given, and to each direct output
    /// the width it has. Nothing if a constraint makes no sense.
    pub(crate) fn new(constraints: &[Constraint], given: Vec<Given>) -> Option<Self> {
        let mut operands = Self::default();
        for (constraint, given) in constraints.iter().zip(given) {
            let bits = given.bits;
            let bound = match (&constraint.kind, constraint.is_output) {
                (Kind::Flag(_), true) => Bound::Flag,
                (Kind::Memory, _) => Bound::Memory(given.value, bits),
                (Kind::Tied(other), false) => match operands.bound.get(*other)?.clone() {
                    Bound::Register(register, _) => {
                        operands.registers[register] = Held::new(given.value, bits?);
                        Bound::Register(register, bits?)
                    }
                    // A register that goes to memory in the end is as good as that memory, where
                    // what is given must already be.
                    Bound::Memory(..) | Bound::Flag => return None,
                },
                (Kind::Register(name), is_output) => {
                    let register = match name {
                        Some(name) => operands.register(name),
                        None => operands.another(),
                    };
                    if !is_output {
                        operands.registers[register] = Held::new(given.value, bits?);
                    }
                    Bound::Register(register, bits?)
                }
                (Kind::Flag(_), false) | (Kind::Tied(_), true) => return None,
            };
            operands.bound.push(bound);
        }
        Some(operands)
    }

    fn another(&mut self) -> usize {
        self.registers.push(Held::new(Val::Undefined, 64));
        self.registers.len() - 1
    }

    /// The register of a name.
    pub(crate) fn register(&mut self, name: &'static str) -> usize {
        if let Some(known) = self.named.get(name) {
            return *known;
        }
        let register = self.another();
        self.named.insert(name, register);
        register
    }

    /// A number for each value that needs a place of its own.
    pub(crate) const fn number(&mut self) -> u32 {
        self.numbered += 1;
        self.numbered
    }

    /// The low bits of a register; nothing if not all of them are known.
    pub(crate) fn read(&self, register: usize, bits: u32) -> Option<Val> {
        self.registers[register].read(bits)
    }

    /// Puts so many bits into a register.
    pub(crate) fn write(&mut self, register: usize, bits: u32, new: Val) {
        let held = &mut self.registers[register];
        if bits < 32 && bits < held.bits && !matches!(held.value, Val::Undefined) {
            if held.low.as_ref().is_some_and(|(known, _)| *known > bits)
                && let Some(value) = held.read(held.bits)
            {
                held.value = value;
            }
            held.low = Some((bits, new));
        } else {
            *held = Held::new(new, bits);
        }
    }

    /// Makes everything in registers stay the same while variables change.
    pub(crate) fn hold(&mut self, mut hold: impl FnMut(Expr, u32) -> Expr) {
        for (held, number) in self.registers.iter_mut().zip(0..) {
            if let Val::Expr(expr) = &held.value {
                held.value = Val::Expr(hold(expr.clone(), number));
            }
        }
    }

    /// Says that nobody knows what is in the registers that are written.
    pub(crate) fn forget(&mut self, constraints: &[Constraint], why: &str) {
        for (constraint, bound) in constraints.iter().zip(&self.bound) {
            if let (true, Bound::Register(register, _)) = (constraint.is_output, bound) {
                self.registers[*register] = Held::new(Val::Inexpressible(why.into()), 64);
            }
        }
    }
}
