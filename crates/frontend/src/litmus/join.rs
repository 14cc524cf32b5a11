//! The elements of divided locations ([`super::sizes`]) in one piece again, so that a test can be printed.

use program::{
    BinaryOp, Diagnostic, Diagnostics, Domain, Expr, Initial, IntType, Location, LocationId,
    Observable, Program, ProgramBuilder, Question, Value,
};

use super::machine::{domain_bits, signed, unsigned};

/// The program with the elements of divided locations in one piece, for a text that has no other way to
/// say it, or why they cannot be.
pub(super) fn joined(program: &Program) -> Result<Program, Diagnostics> {
    if program.memory().locations().iter().all(|location| location.parts == 1) {
        return Ok(program.clone());
    }
    let mut errors = Diagnostics::new();
    let parts = |id: LocationId| Value::from(program.memory().location(id).parts);
    let mut builder = ProgramBuilder::new(program.name(), program.memory().outside());
    for location in program.memory().locations() {
        builder.location(join(location));
    }
    for template in program.templates() {
        for edge in template.edges() {
            for expr in edge.instruction.operands() {
                expr.visit(&mut |part| {
                    if let Expr::Element(id, index) = part
                        && parts(*id) > 1
                        && whole_index(index, parts(*id)).is_none()
                    {
                        let message = "a part of an element has no name in a litmus test";
                        errors.push(Diagnostic::new(edge.span, message));
                    }
                });
            }
        }
        let moved = |id: LocationId, index: &Expr| whole_index(index, parts(id));
        builder.template(template.with_instructions(|instruction| {
            instruction.rewritten(&|expr| expr.with_indices(&moved), &|_, access| access)
        }));
    }
    let seen = |observable: Observable| match observable {
        Observable::Register { .. } | Observable::Cell(_) => observable,
        Observable::Across(address, int) => match program.memory().place(address) {
            Some((id, index)) if is_element(program.memory().location(id), index, int) => {
                Observable::Cell(address)
            }
            Some(_) | None => observable,
        },
    };
    let question = program.question();
    builder.question(Question { told_as: question.told_as.clone(), ..question.map(&seen) });
    if let Some(architecture) = program.architecture() {
        builder.architecture(architecture);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    builder.build().map_err(|defects| defects.into_iter().map(Diagnostic::from).collect())
}

/// Whether a value of this type at a cell is an element.
fn is_element(location: &Location, index: u64, int: IntType) -> bool {
    let bits = u16::from(domain_bits(location.domain)) * u16::from(location.parts);
    index.is_multiple_of(location.parts.into()) && u16::from(int.bits()) == bits
}

/// A location with its elements in one piece.
fn join(location: &Location) -> Location {
    let bits = domain_bits(location.domain);
    let Some(whole) = bits.checked_mul(location.parts).filter(|_| location.parts > 1) else {
        return location.clone();
    };
    let parts = u64::from(location.parts);
    let elements = location.cells() / parts;
    let value = |element: u64| {
        let part = |number: u64| {
            let value = location.initial_value(element * parts + number);
            unsigned(bits).wrap(value) << (number * u64::from(bits))
        };
        signed(whole).wrap((0..parts).map(part).fold(0, |all, part| all | part))
    };
    Location {
        length: (elements > 1).then_some(elements),
        stride: if elements > 1 { u64::from(whole / 8) } else { 1 },
        initial: match elements {
            1 => Initial::Uniform(value(0)),
            _ => Initial::Each((0..elements).map(value).collect()),
        },
        domain: Domain::Wrapping(signed(whole)),
        parts: 1,
        ..location.clone()
    }
}

/// The index of an element, where that of its first cell is given.
fn whole_index(index: &Expr, parts: Value) -> Option<Expr> {
    match index {
        Expr::Const(value) if value % parts == 0 => Some(Expr::Const(value / parts)),
        Expr::Binary(BinaryOp::Mul, element, by) if **by == Expr::Const(parts) => {
            Some((**element).clone())
        }
        Expr::Const(_)
        | Expr::Register(_)
        | Expr::Element(..)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(_)
        | Expr::Cast(..) => None,
    }
}
