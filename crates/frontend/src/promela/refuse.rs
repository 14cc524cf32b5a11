//! What Promela cannot express, as far as it can be seen before anything is printed.

use std::collections::BTreeSet;

use program::{
    Count, Diagnostic, Diagnostics, Initial, Observable, Program, Span, StateProposition, Value,
    Watched,
};

use super::held::Held;
use super::place;
use super::term::Leaves;
use super::values::{MAX, MIN};

/// Spin has numbers for this many processes, and `init` needs one.
const MAX_PROCESSES: u32 = 254;
/// The greatest size of an array in Spin.
const MAX_LENGTH: u64 = 65_535;

/// Something that Promela lacks.
pub(super) fn refuse(span: Span, what: &str) -> Diagnostic {
    Diagnostic::new(span, format!("{what} cannot be expressed in Promela"))
}

/// Refuses what Promela cannot look at.
pub(super) fn check_goal(goal: Option<&StateProposition>, errors: &mut Diagnostics) {
    if let Some(goal) = goal {
        goal.visit(&mut |watched| {
            if matches!(watched, Watched::Value(Observable::Across(..))) {
                errors.push(refuse(Span::NONE, "a value across several cells"));
            }
        });
    }
}

/// Refuses what Promela has no room for.
pub(super) fn check_declarations(program: &Program, errors: &mut Diagnostics) {
    if let Some(span) = program.access_across() {
        errors.push(refuse(span, "an access across several cells"));
    }
    let fits = |value: Value| (MIN..=MAX).contains(&value);
    for location in program.memory().locations() {
        if location.cells() > MAX_LENGTH {
            errors.push(refuse(location.span, &format!("an array as long as `{}`", location.name)));
        }
        let values = match &location.initial {
            Initial::Uniform(value) => std::slice::from_ref(value),
            Initial::Each(values) => values,
        };
        for value in values.iter().filter(|value| !fits(**value)) {
            errors.push(refuse(location.span, &format!("the initial value {value}")));
        }
    }
    let mut processes = 0_u32;
    for template in program.templates() {
        match template.count() {
            Count::Any => {
                let what = format!("any number of copies of `{}`", template.name());
                errors.push(refuse(template.span(), &what).help("give it a count"));
            }
            Count::Exactly(count) => {
                processes += count;
                if processes > MAX_PROCESSES {
                    let what = format!("more than {MAX_PROCESSES} threads");
                    errors.push(refuse(template.span(), &what));
                }
                for copy in 0..count {
                    let wide = template.initial_registers(copy).into_iter().find(|v| !fits(*v));
                    let error = |value| {
                        refuse(template.span(), &format!("the initial value {value} of a register"))
                    };
                    errors.extend(wide.map(error));
                }
            }
        }
    }
}

/// The undeclared cells that a program can reach.
pub(super) fn undeclared_cells(
    program: &Program,
    held: &Held,
    errors: &mut Diagnostics,
) -> BTreeSet<Value> {
    let mut found = BTreeSet::new();
    for (id, template) in program.templates().enumerate() {
        let names = template.registers().iter().map(|register| register.name.clone()).collect();
        let leaves =
            Leaves { memory: program.memory(), registers: &names, values: &held.registers[id] };
        for edge in template.edges() {
            let Some((address, _)) = edge.instruction.memory_access() else { continue };
            match place::undeclared(address, &leaves) {
                Some(cells) => found.extend(cells),
                None => errors.push(
                    refuse(edge.span, "an unbounded memory")
                        .label("this address could be anything")
                        .help("declare the range of the registers it is computed from"),
                ),
            }
        }
    }
    found
}
