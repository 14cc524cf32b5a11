//! Printing: whether the addresses of declared locations can be printed as names.

use std::collections::BTreeSet;

use program::{Count, Edge, Expr, Instruction, Location, LocationId, Outside, Program, Template};

use super::lower::symbolic_base;
use super::print::{Errors, MAX_ALTERNATIVES};
use super::words::Syntax;

/// How the address of a location is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Addresses {
    /// By name.
    Symbolic,
    /// As the number that it is: in flat memory a declared location is a cell like any other.
    Numeric,
}

/// Names can stand for addresses if nobody can tell where they are, or if parsing would put them
/// just where they are. Otherwise, in flat memory, the numbers themselves can be printed.
pub(super) fn addresses(program: &Program, syntax: Syntax, errors: &mut Errors) -> Addresses {
    let visible: Vec<&Edge> = program
        .templates()
        .iter()
        .flat_map(Template::edges)
        .filter(|edge| shows_addresses(&edge.instruction))
        .collect();
    if visible.is_empty() {
        return Addresses::Symbolic;
    }
    let flat = program.memory().outside() == Outside::ZeroCell;
    match syntax {
        Syntax::Esop13 if flat && is_laid_out_alike(program) => Addresses::Symbolic,
        Syntax::Esop13 if flat => Addresses::Numeric,
        Syntax::Esop13 | Syntax::Esop15 => {
            for edge in visible {
                let help = "only named scalars can be accessed, and their addresses are no values";
                errors.add(edge.span, "a computed address", Some(help));
            }
            Addresses::Symbolic
        }
    }
}

/// Whether an instruction does anything with addresses but access a scalar by its name.
fn shows_addresses(instruction: &Instruction) -> bool {
    let accessed = instruction.memory_access().map(|(address, _)| address);
    let computed = accessed.is_some_and(|address| !is_scalar(address));
    let named = |expr: &&&Expr| accessed.is_none_or(|address| !std::ptr::eq(address, **expr));
    computed
        || instruction.expressions().iter().filter(named).any(|expr| !mentioned(expr).is_empty())
}

fn is_scalar(address: &Expr) -> bool {
    matches!(address, Expr::Element(_, index) if **index == Expr::Const(0))
}

/// The locations whose addresses an expression mentions.
pub(super) fn mentioned(expr: &Expr) -> BTreeSet<LocationId> {
    let mut found = BTreeSet::new();
    expr.visit(&mut |part| {
        if let Expr::Element(location, _) = part {
            found.insert(*location);
        }
    });
    found
}

/// Whether parsing the printed program would give every location mentioned the address it has.
fn is_laid_out_alike(program: &Program) -> bool {
    let mut accessed = BTreeSet::new();
    let mut all = BTreeSet::new();
    let mut literals = BTreeSet::new();
    for template in program.templates() {
        literals.extend(template.registers().iter().map(|register| register.initial));
        if let (Some(identity), Count::Exactly(count)) = (template.identity(), template.count()) {
            literals.extend((0..count).map(|copy| identity.of(copy)));
        }
        for edge in template.edges() {
            if let Some((address, _)) = edge.instruction.memory_access() {
                accessed.extend(mentioned(address));
            }
            if let Instruction::Choose { low, high, .. } = edge.instruction {
                literals.extend(low..=high.min(low + MAX_ALTERNATIVES));
            }
            for expr in edge.instruction.expressions() {
                all.extend(mentioned(expr));
                expr.visit(&mut |part| {
                    if let Expr::Const(value) = part {
                        literals.insert(*value);
                    }
                });
            }
        }
    }
    let mut sorted: Vec<&Location> =
        all.iter().map(|location| program.memory().location(*location)).collect();
    sorted.sort_by_key(|location| &location.name);
    accessed == all
        && symbolic_base(all.len(), &literals).is_some_and(|base| {
            sorted.iter().zip(base..).all(|(location, address)| location.base == address)
        })
}
