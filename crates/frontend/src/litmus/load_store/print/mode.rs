//! How wide the instructions of a printed test are.

use std::collections::BTreeSet;

use program::{BinaryOp, Domain, Expr, Initial, Instruction, Program, RegisterId, Template, Value};

use super::super::super::machine::signed;
use super::super::super::{layout, x86};
use super::{Bits, bounds, fuse};

/// 32 if no value of the program, and no operand of which the exact value counts, needs more;
/// otherwise 64.
pub(super) fn bits(program: &Program, compares_by_difference: bool) -> Bits {
    let registers = program.templates().iter().flat_map(|template| {
        let registers = template.registers().enumerate();
        let data = registers.filter(|(id, _)| !is_pointer(template, *id));
        data.map(|(_, register)| register.domain).collect::<Vec<_>>()
    });
    let locations = program.memory().locations().iter().map(|location| location.domain);
    let domains: Vec<Domain> = registers.chain(locations).collect();
    let declared_fit = domains.iter().all(|domain| match domain {
        Domain::Wrapping(int) => int.bits() <= 32 && (int.signed() || int.bits() < 32),
        Domain::Integer | Domain::Range { .. } => true,
    });
    let undeclared = domains.iter().any(|domain| !matches!(domain, Domain::Wrapping(_)));
    let small = x86::fits_32_bits(program);
    let holds_address = program.memory().locations().iter().any(|location| {
        let values = match &location.initial {
            Initial::Uniform(value) => std::slice::from_ref(value),
            Initial::Each(values) => values,
        };
        values.iter().any(|value| is_base(program, *value))
    });
    let edges = || {
        program.templates().iter().flat_map(|template| {
            template.edges().iter().map(move |edge| (template, &edge.instruction))
        })
    };
    let addresses = edges().all(|(template, instruction)| plain_addresses(template, instruction));
    let operands = program.templates().iter().all(|template| {
        let fused = fuse::registers(template);
        template.edges().iter().all(|edge| {
            exact_operands(template, &edge.instruction, small, &fused, compares_by_difference)
        })
    });
    if declared_fit && (!undeclared || small) && !holds_address && addresses && operands {
        32
    } else {
        64
    }
}

/// Whether a register only ever holds one address.
pub(super) fn is_pointer(template: &Template, register: RegisterId) -> bool {
    let written = |instruction: &Instruction| instruction.written_register() == Some(register);
    layout::is_address(template.registers()[register].initial)
        && template.identity().is_none_or(|identity| identity.register != register)
        && !template.edges().iter().any(|edge| written(&edge.instruction))
}

fn is_base(program: &Program, value: Value) -> bool {
    let mut locations = program.memory().locations().iter();
    layout::is_address(value) && locations.any(|location| location.base == value)
}

/// Whether addresses are locations, or pointers with at most another register added, and nothing
/// else is done with them.
fn plain_addresses(template: &Template, instruction: &Instruction) -> bool {
    let address = instruction.memory_access().map(|(address, _)| address);
    let mut values = instruction.expressions().into_iter().filter(|it| Some(*it) != address);
    let takes_none = values.all(|value| {
        let mut takes = false;
        value.visit(&mut |part| match part {
            Expr::Element(..) => takes = true,
            Expr::Register(register) => takes |= is_pointer(template, *register),
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => {}
        });
        !takes
    });
    takes_none && address.is_none_or(|address| indexed(template, address).is_some())
}

/// A pointer, the register added to it if there is one, and the number added.
pub(super) fn indexed(
    template: &Template,
    address: &Expr,
) -> Option<(Base, Option<RegisterId>, Value)> {
    let pointer = |expr: &Expr| match expr {
        Expr::Register(register) => is_pointer(template, *register).then_some(*register),
        Expr::Const(_)
        | Expr::Element(..)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(_)
        | Expr::Cast(..) => None,
    };
    match address {
        Expr::Element(location, index) => match **index {
            Expr::Const(index) => Some((Base::Location(*location), None, index)),
            Expr::Register(_)
            | Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => None,
        },
        Expr::Register(_) => Some((Base::Register(pointer(address)?), None, 0)),
        Expr::Binary(BinaryOp::Add, left, right) => match (&**left, &**right) {
            (base, Expr::Const(offset)) => Some((Base::Register(pointer(base)?), None, *offset)),
            (base, Expr::Register(index)) if pointer(base).is_some() => {
                Some((Base::Register(pointer(base)?), Some(*index), 0))
            }
            (Expr::Register(index), base) => {
                Some((Base::Register(pointer(base)?), Some(*index), 0))
            }
            _ => None,
        },
        Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(_) | Expr::Cast(..) => {
            None
        }
    }
}

/// Where an address begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Location(program::LocationId),
    Register(RegisterId),
}

/// Whether 32 bits are enough for every operand whose exact value counts, and for every constant.
fn exact_operands(
    template: &Template,
    instruction: &Instruction,
    small: bool,
    fused: &BTreeSet<RegisterId>,
    compares_by_difference: bool,
) -> bool {
    let mut exact = true;
    let fits = |operand: &Expr| {
        let range = signed(32);
        let bounds = bounds::of(operand, template, small);
        bounds.is_some_and(|(low, high)| range.min() <= low && high <= range.max())
    };
    // A branch compares without computing the difference.
    let decides = instruction.written_register().is_some_and(|register| fused.contains(&register));
    let branches = decides || matches!(instruction, Instruction::Assume(_));
    let difference_fits = |part: &Expr, left: &Expr, right: &Expr| {
        let root = branches && instruction.expressions().first().is_some_and(|it| *it == part);
        let difference = Expr::binary(BinaryOp::Sub, left.clone(), right.clone());
        !compares_by_difference || root || fits(&difference)
    };
    for expr in instruction.expressions() {
        expr.visit(&mut |part| {
            exact &= match part {
                Expr::Binary(op, left, right) => match op {
                    BinaryOp::Add
                    | BinaryOp::Sub
                    | BinaryOp::Mul
                    | BinaryOp::BitAnd
                    | BinaryOp::BitOr
                    | BinaryOp::BitXor
                    | BinaryOp::Shl => true,
                    BinaryOp::Div
                    | BinaryOp::Rem
                    | BinaryOp::Shr
                    | BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Min
                    | BinaryOp::Max => {
                        fits(left) && fits(right) && difference_fits(part, left, right)
                    }
                },
                Expr::Cast(int, _) => int.bits() < 32 || int.bits() == 32 && int.signed(),
                Expr::Const(_) => fits(part),
                Expr::Unary(program::UnaryOp::Not, operand) => fits(operand),
                Expr::Select(operands) => fits(&operands[0]),
                Expr::Register(_) | Expr::Element(..) | Expr::Unary(..) => true,
            };
        });
    }
    exact
}
