//! Printing: what a program asks about its states.

use std::fmt::Write;

use program::{
    IndexVec, LabelId, LocationId, Observable, Program, Proposition, StateProposition, TemplateId,
};

use super::notation::{LocationName, Names};

/// Prints the question of a program, if it has one.
pub(super) fn question(
    text: &mut String,
    program: &Program,
    locations: &IndexVec<LocationId, LocationName>,
    threads: &IndexVec<TemplateId, Names>,
) {
    let observable = |it| observable_name(program, locations, threads, it);
    let question = program.question();
    if *question == program::Question::default() {
        return;
    }
    text.push('\n');
    if !question.observed.is_empty() {
        let observed: Vec<String> = question.observed.iter().map(|one| observable(*one)).collect();
        let _ = writeln!(text, "observe {}", observed.join(", "));
    }
    if let Some(filter) = &question.filter {
        let _ = writeln!(text, "filter {}", proposition(filter, &observable, 0));
    }
    if let Some((quantifier, asked)) = &question.condition {
        let _ = writeln!(text, "{quantifier} {}", proposition(asked, &observable, 0));
    }
    if let Some(forbidden) = &question.forbidden {
        let at = |template: TemplateId, copy, label| {
            let names: &Names = &threads[template];
            format!("{}@{}", copy_name(program, names, template, copy), names.labels[label])
        };
        let _ = writeln!(text, "forbidden {}", in_state(forbidden, &at, &observable, 0));
    }
}

/// The name of a copy, with the template's name as it is printed.
fn copy_name(program: &Program, names: &Names, template: TemplateId, copy: u32) -> String {
    let data = program.template(template);
    let copy = data.copy_name(copy);
    let brackets = copy.strip_prefix(data.name()).unwrap_or_default();
    format!("{}{brackets}", names.thread)
}

/// A statement about states on the way where no connective binds tighter than `loosest`.
fn in_state(
    proposition: &StateProposition,
    at: &impl Fn(TemplateId, u32, LabelId) -> String,
    observable: &impl Fn(Observable) -> String,
    loosest: u8,
) -> String {
    let all = |parts: &[StateProposition], word: &str, tight: u8, of_none: bool| {
        let joined = match parts {
            [] => return of_none.to_string(),
            [one] => return in_state(one, at, observable, loosest),
            [first, rest @ ..] => {
                // Connectives group to the left.
                let first = in_state(first, at, observable, tight - 1);
                rest.iter().fold(first, |before, part| {
                    format!("{before} {word} {}", in_state(part, at, observable, tight))
                })
            }
        };
        if tight <= loosest { format!("({joined})") } else { joined }
    };
    match proposition {
        StateProposition::At { template, copy, label } => at(*template, *copy, *label),
        StateProposition::Equals(seen, value) => format!("{} == {value}", observable(*seen)),
        StateProposition::Less(seen, value) => format!("{} < {value}", observable(*seen)),
        StateProposition::Not(inner) => format!("!({})", in_state(inner, at, observable, 0)),
        StateProposition::All(parts) => all(parts, "&&", 3, true),
        StateProposition::Any(parts) => all(parts, "||", 2, false),
    }
}

/// What something seen in a final state is called.
pub(super) fn observable_name(
    program: &Program,
    locations: &IndexVec<LocationId, LocationName>,
    threads: &IndexVec<TemplateId, Names>,
    observable: Observable,
) -> String {
    let cell = |address| match program.memory().place(address) {
        Some((location, index)) => {
            let LocationName { name, is_array } = &locations[location];
            if *is_array { format!("{name}[{index}]") } else { name.clone() }
        }
        None => format!("mem[{address}]"),
    };
    match observable {
        Observable::Cell(address) => cell(address),
        Observable::Across(address, int) => format!("across({}, {int})", cell(address)),
        Observable::Register { template, copy, register } => {
            let names = &threads[template];
            let copy = copy_name(program, names, template, copy);
            format!("{copy}.{}", names.registers[register])
        }
    }
}

/// A proposition where no connective binds tighter than `loosest`; see [`super::parse_question`].
fn proposition(
    proposition: &Proposition,
    observable: &impl Fn(Observable) -> String,
    loosest: u8,
) -> String {
    let part = |part: &Proposition, loosest| self::proposition(part, observable, loosest);
    let (tight, text) = match proposition {
        Proposition::Constant(truth) => return truth.to_string(),
        Proposition::Equals(seen, value) => return format!("{} == {value}", observable(*seen)),
        Proposition::Not(inner) => match &**inner {
            Proposition::Equals(seen, value) => {
                return format!("{} != {value}", observable(*seen));
            }
            Proposition::Constant(_)
            | Proposition::Not(_)
            | Proposition::And(..)
            | Proposition::Or(..)
            | Proposition::Implies(..) => return format!("!{}", part(inner, 3)),
        },
        Proposition::And(left, right) => (3, format!("{} && {}", part(left, 2), part(right, 3))),
        Proposition::Or(left, right) => (2, format!("{} || {}", part(left, 1), part(right, 2))),
        Proposition::Implies(left, right) => {
            (1, format!("{} => {}", part(left, 1), part(right, 0)))
        }
    };
    if tight <= loosest { format!("({text})") } else { text }
}
