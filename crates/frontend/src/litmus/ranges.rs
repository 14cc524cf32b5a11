//! Declared ranges, which litmus tests do not have: a program with one can be printed only where
//! it is plain that the range is kept. And numbers of 128 bits, which are read and not printed.

use program::{
    AccessWidth, Diagnostic, Diagnostics, Domain, Edge, Expr, Instruction, Memory, Program,
    Template, Update, Value,
};

/// Refuses every write that could leave a declared range.
pub(super) fn check(program: &Program, errors: &mut Diagnostics) {
    for template in program.templates() {
        for edge in template.edges() {
            if is_wide(edge, program.memory()) {
                errors
                    .push(Diagnostic::new(edge.span, "an access of 128 bits cannot be expressed"));
            } else if !keeps_ranges(edge, template, program.memory()) {
                let message = "a declared range that this could leave cannot be expressed";
                let help = "declare a width such as `i32` instead";
                errors.push(Diagnostic::new(edge.span, message).help(help));
            }
        }
    }
}

/// Whether an instruction may access 128 bits at once.
fn is_wide(edge: &Edge, memory: &Memory) -> bool {
    let is_wide = |domain: Domain| super::machine::domain_bits(domain) > 64;
    edge.instruction.memory_access().is_some_and(|(_, access)| match access.width {
        AccessWidth::Cell => memory.locations().iter().any(|location| is_wide(location.domain)),
        AccessWidth::Bytes(bytes) => bytes > 8,
        AccessWidth::Across(int) => int.bits() > 64,
    })
}

fn keeps_ranges(edge: &Edge, template: &Template, memory: &Memory) -> bool {
    let fits = |value: Option<(Value, Value)>, domain: Domain| match domain {
        Domain::Integer | Domain::Wrapping(_) => true,
        Domain::Range { low, high } => {
            value.is_some_and(|(least, greatest)| low <= least && greatest <= high)
        }
    };
    let value = |expr: &Expr| bounds(expr, template);
    let cell = edge.instruction.memory_access().map(|(address, _)| cell_domain(address, memory));
    let cell = cell.unwrap_or(Domain::Integer);
    let register = edge.instruction.written_register();
    let register = register.map_or(Domain::Integer, |it| template.registers()[it].domain);
    match &edge.instruction {
        Instruction::Assign { value: assigned, .. } => fits(value(assigned), register),
        Instruction::Choose { low, high, .. } => fits(Some((*low, *high)), register),
        Instruction::Load { .. } => fits(Some(cell.bounds()), register),
        Instruction::Store { value: stored, .. } => fits(value(stored), cell),
        Instruction::StoreExclusive { value: stored, .. } => {
            fits(value(stored), cell) && fits(Some((0, 1)), register)
        }
        Instruction::Update { update, .. } => {
            let written = match update {
                Update::Exchange(new)
                | Update::CompareAndSwap { new, .. }
                | Update::BlockingReadWrite { new, .. } => value(new),
                Update::Fetch { .. } => None,
            };
            fits(written, cell) && fits(Some(cell.bounds()), register)
        }
        Instruction::Skip
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => true,
    }
}

/// What the cell at an address can hold; the narrowest there is if the address is computed.
fn cell_domain(address: &Expr, memory: &Memory) -> Domain {
    if let Expr::Element(location, _) = address {
        return memory.location(*location).domain;
    }
    let ranges = memory.locations().iter().map(|location| location.domain);
    let is_range = |domain: &Domain| matches!(domain, Domain::Range { .. });
    // A computed address could be that of any range: nothing is plain then.
    if ranges.into_iter().any(|domain| is_range(&domain)) {
        return Domain::Range { low: 0, high: -1 };
    }
    Domain::Integer
}

/// The least and the greatest value of an expression, where that is plain.
fn bounds(expr: &Expr, template: &Template) -> Option<(Value, Value)> {
    match expr {
        Expr::Const(value) => Some((*value, *value)),
        Expr::Register(register) => Some(template.registers()[*register].domain.bounds()),
        Expr::Cast(int, _) => Some(Domain::Wrapping(*int).bounds()),
        Expr::Element(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(_) => None,
    }
}
