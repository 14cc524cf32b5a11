//! Printing: which dialect suits a program, and which machine registers its registers become.

use std::collections::BTreeSet;

use program::{
    Count, Diagnostic, Diagnostics, Domain, Expr, IndexVec, Initial, Instruction, Program,
    Proposition, RegisterId, Template, Update, Value,
};

use super::print_line::width;
use super::select::{flag_code, is_temporary};
use super::{Dialect, register};

/// The simplest dialect in which a program can be written.
pub(in crate::litmus) fn dialect(program: &Program) -> Dialect {
    let registers = || program.templates().iter().flat_map(Template::registers);
    let locations = program.memory().locations().iter().map(|location| location.domain);
    let domains: Vec<Domain> =
        locations.chain(registers().map(|register| register.domain)).collect();
    let wide = domains.iter().any(|domain| match domain {
        Domain::Wrapping(int) => int.bits() > 32,
        Domain::Integer | Domain::Range { .. } => false,
    });
    let undeclared = domains.iter().any(|domain| !matches!(domain, Domain::Wrapping(_)));
    let named_so = registers().any(|register| {
        !register.generated && register::whole(Dialect::Att, &register.name).is_some()
    });
    if wide || named_so || undeclared && !fits_32_bits(program) {
        Dialect::Att
    } else {
        Dialect::Intel
    }
}

/// Whether no value that an undeclared integer can have exceeds 32 bits: every operation adds at
/// most one bit to the longest constant, and without loops each is executed once at most.
pub(in crate::litmus) fn fits_32_bits(program: &Program) -> bool {
    let mut constants: Vec<Value> = Vec::new();
    let mut operations = 0_usize;
    for location in program.memory().locations() {
        match &location.initial {
            Initial::Uniform(value) => constants.push(*value),
            Initial::Each(values) => constants.extend(values),
        }
    }
    for template in program.templates() {
        let copies = match template.count() {
            Count::Exactly(count) => usize::try_from(count).unwrap_or(usize::MAX),
            Count::Any => 1,
        };
        constants.extend(template.registers().iter().map(|register| register.initial));
        if let (Some(identity), Count::Exactly(count)) = (template.identity(), template.count()) {
            constants.extend([identity.first, identity.of(count)]);
        }
        for edge in template.edges() {
            if let Instruction::Update { update: Update::Fetch { .. }, .. } = edge.instruction {
                operations = operations.saturating_add(copies);
            }
            for expr in edge.instruction.expressions() {
                expr.visit(&mut |part| match part {
                    Expr::Const(value) => constants.push(*value),
                    Expr::Binary(..) | Expr::Unary(..) => {
                        operations = operations.saturating_add(copies);
                    }
                    Expr::Register(_) | Expr::Element(..) | Expr::Select(_) | Expr::Cast(..) => {}
                });
            }
        }
    }
    for proposition in program.question().propositions() {
        compared_values(proposition, &mut constants);
    }
    let longest = constants.iter().map(|value| 128 - value.unsigned_abs().leading_zeros()).max();
    let longest = usize::try_from(longest.unwrap_or(0)).unwrap_or(usize::MAX);
    longest.saturating_add(operations) <= 31
}

fn compared_values(proposition: &Proposition, values: &mut Vec<Value>) {
    match proposition {
        Proposition::Constant(_) => {}
        Proposition::Equals(_, value) => values.push(*value),
        Proposition::Not(inner) => compared_values(inner, values),
        Proposition::And(left, right)
        | Proposition::Or(left, right)
        | Proposition::Implies(left, right) => {
            compared_values(left, values);
            compared_values(right, values);
        }
    }
}

/// A machine register for each register of the program, and one more.
pub(super) fn registers(
    template: &Template,
    dialect: Dialect,
    errors: &mut Diagnostics,
) -> (IndexVec<RegisterId, Option<&'static str>>, Option<&'static str>) {
    let own = |name: &str| register::whole(dialect, name).map(|part| part.whole);
    let mut taken: BTreeSet<&str> =
        template.registers().iter().filter_map(|register| own(&register.name)).collect();
    // `cmpxchg` needs the accumulator.
    let compares = template.edges().iter().any(|edge| {
        matches!(
            edge.instruction,
            Instruction::Update { update: Update::CompareAndSwap { .. }, .. }
        )
    });
    if compares {
        taken.insert(super::thread::accumulator(dialect).whole);
    }
    let mut free = register::general(dialect).into_iter().filter(|name| !taken.contains(name));
    let mut registers = IndexVec::new();
    for data in template.registers() {
        if is_temporary(data) || flag_code(data).is_some() {
            registers.push(None);
            continue;
        }
        let bits = width(data.domain, dialect);
        if !(bits == 32 || bits == 64 && dialect == Dialect::Att) {
            let message = format!("register `{}` has {bits} bits, not 32 or 64", data.name);
            errors.push(Diagnostic::new(template.span(), message));
        }
        let machine = own(&data.name).or_else(|| free.next());
        if machine.is_none() {
            let message =
                format!("thread `{}` has more registers than the machine", template.name());
            errors.push(Diagnostic::new(template.span(), message));
        }
        registers.push(machine);
    }
    (registers, free.next())
}
