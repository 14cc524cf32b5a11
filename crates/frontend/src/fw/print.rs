//! Printing any program in this language. Control flow is printed with labels and `goto`; a label
//! is left out where control simply falls through.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use program::canonical::label_order;
use program::memory::{Initial, Location, Outside};
use program::{
    Boundary, Count, Domain, Edge, EdgeId, IndexVec, Instruction, LabelId, LocationId, Program,
    Template, Value,
};

use super::notation::{LocationName, Names, of_edge};
use super::print_question::question;
use super::words;
use crate::print_expr::expr;

/// The program as a text that parses to the same program.
pub fn print(program: &Program) -> String {
    let mut text = String::new();
    let mut taken = BTreeSet::new();
    let _ = writeln!(text, "program {}", legal(program.name(), &mut BTreeSet::new()));
    if program.memory().outside() == Outside::ZeroCell {
        text.push_str("memory unbounded\n");
    }
    let locations: IndexVec<LocationId, LocationName> = program
        .memory()
        .locations()
        .iter()
        .map(|location| LocationName {
            name: legal(&location.name, &mut taken),
            is_array: location.length.is_some(),
        })
        .collect();
    let mut next_address = 1;
    for (id, location) in program.memory().locations().enumerate() {
        shared(&mut text, location, &locations[id].name, &mut next_address);
    }
    let mut threads = BTreeSet::new();
    let mut names = IndexVec::new();
    for template in program.templates() {
        let thread_name = legal(template.name(), &mut threads);
        let registers = template.registers().iter();
        let mut taken = taken.clone();
        let registers = registers.map(|register| legal(&register.name, &mut taken)).collect();
        let mut taken = BTreeSet::new();
        let labels = template.labels().iter().map(|label| legal(&label.name, &mut taken)).collect();
        let boundaries = template.boundaries().iter().map(|(label, boundary)| {
            let boundary = match boundary {
                Boundary::Call { operation, arguments } => Boundary::Call {
                    operation: legal(operation, &mut BTreeSet::new()),
                    arguments: arguments.clone(),
                },
                Boundary::Return { .. } => boundary.clone(),
            };
            (*label, boundary)
        });
        let inside = Names {
            thread: thread_name,
            locations: locations.clone(),
            registers,
            labels,
            boundaries: boundaries.collect(),
        };
        thread(&mut text, template, &inside);
        names.push(inside);
    }
    question(&mut text, program, &locations, &names);
    text
}

/// A name of this language as like `name` as possible that nothing else has.
fn legal(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut legal: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if legal.is_empty() || legal.starts_with(|c: char| c.is_ascii_digit()) {
        legal.insert(0, '_');
    }
    if !words::is_name(&legal) {
        legal.push('_');
    }
    let base = legal.clone();
    let mut number = 1;
    while !taken.insert(legal.clone()) {
        number += 1;
        legal = format!("{base}_{number}");
    }
    legal
}

fn shared(text: &mut String, location: &Location, name: &str, next_address: &mut Value) {
    let _ = write!(text, "shared {name}");
    if let Some(length) = location.length {
        let _ = write!(text, "[{length}]");
    }
    domain(text, location.domain);
    match &location.initial {
        Initial::Uniform(0) => {}
        Initial::Uniform(value) => {
            let _ = write!(text, " = {value}");
        }
        Initial::Each(values) => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            let _ = write!(text, " = {{{}}}", values.join(", "));
        }
    }
    if location.base != *next_address {
        let _ = write!(text, " at {}", location.base);
    }
    if location.stride != 1 {
        let _ = write!(text, " stride {}", location.stride);
    }
    if location.parts != 1 {
        let _ = write!(text, " parts {}", location.parts);
    }
    text.push('\n');
    *next_address = (*next_address).max(location.last_address() + 1);
}

fn domain(text: &mut String, domain: Domain) {
    let _ = match domain {
        Domain::Integer => Ok(()),
        Domain::Range { low, high } => write!(text, ": {low}..={high}"),
        Domain::Wrapping(int) => write!(text, ": {int}"),
    };
}

fn thread(text: &mut String, template: &Template, names: &Names) {
    let _ = write!(text, "\nthread {}", names.thread);
    let _ = match (template.identity(), template.count()) {
        (Some(identity), Count::Exactly(count)) => {
            let index = &names.registers[identity.register];
            write!(text, "[{index} in {}..{}]", identity.first, identity.of(count))
        }
        (None, Count::Exactly(1)) => Ok(()),
        (None, Count::Exactly(count)) => write!(text, "[{count}]"),
        (Some(identity), Count::Any) => {
            write!(text, "[{} in {}..*]", names.registers[identity.register], identity.first)
        }
        (None, Count::Any) => write!(text, "[*]"),
    };
    text.push_str(" {\n");
    for (id, register) in template.registers().enumerate() {
        if template.identity().is_some_and(|identity| identity.register == id) {
            continue;
        }
        let _ = write!(text, "  local {}", names.registers[id]);
        domain(text, register.domain);
        if register.initial != 0 {
            let _ = write!(text, " = {}", register.initial);
        }
        text.push('\n');
    }
    body(text, template, names);
    text.push_str("}\n");
}

fn body(text: &mut String, template: &Template, names: &Names) {
    let order = reading_order(template);
    let unnamed = fallen_into(template, &order);
    for (number, label) in order.iter().enumerate() {
        let next = order.get(number + 1).copied();
        let edges: Vec<&Edge> = template.outgoing(*label).map(|edge| template.edge(edge)).collect();
        let is_unnamed = unnamed.contains(label);
        if is_unnamed && edges.is_empty() && next.is_none() {
            break;
        }
        text.push_str("  ");
        if !is_unnamed {
            let waiting = if template.labels()[*label].waiting { "waiting " } else { "" };
            let _ = write!(text, "{waiting}{}: ", names.labels[*label]);
        }
        let goto = |to: LabelId| format!("goto {}", names.labels[to]);
        match edges.as_slice() {
            [] => text.push_str("stop"),
            [edge] => {
                text.push_str(&of_edge(edge, names));
                if next != Some(edge.to) {
                    let _ = write!(text, "; {}", goto(edge.to));
                }
            }
            [first, second] if let Some(condition) = alternative(first, second) => {
                let condition = expr(condition, names, 0);
                let _ = write!(text, "if {condition} {{ {} }}", goto(first.to));
                if next != Some(second.to) {
                    let _ = write!(text, " else {{ {} }}", goto(second.to));
                }
            }
            branches => {
                let branches: Vec<String> = branches
                    .iter()
                    .map(|edge| format!("{}; {}", of_edge(edge, names), goto(edge.to)))
                    .collect();
                let _ = write!(text, "either {{ {} }}", branches.join(" } or { "));
            }
        }
        text.push('\n');
    }
}

/// The condition of an `if` that these two edges are, if they are one.
fn alternative<'a>(first: &'a Edge, second: &Edge) -> Option<&'a program::Expr> {
    match (&first.instruction, &second.instruction) {
        (Instruction::Assume(condition), Instruction::Assume(other))
            if !matches!(condition, program::Expr::Const(_)) && condition.negated() == *other =>
        {
            Some(condition)
        }
        _ => None,
    }
}

/// Labels in an order that reads well: after each one, where its last edge leads, if that is new.
/// Labels that cannot be reached come last, in the order that comparing programs expects.
fn reading_order(template: &Template) -> Vec<LabelId> {
    let reached = reachable(template);
    let mut order = Vec::new();
    let mut seen: BTreeSet<LabelId> = BTreeSet::new();
    let mut stack = vec![template.initial()];
    while let Some(label) = stack.pop() {
        if seen.insert(label) {
            order.push(label);
            stack.extend(template.outgoing(label).map(|edge| template.edge(edge).to));
        }
    }
    order.extend(label_order(template).into_iter().filter(|label| !reached.contains(label)));
    order
}

fn reachable(template: &Template) -> BTreeSet<LabelId> {
    let mut reached = BTreeSet::from([template.initial()]);
    let mut stack = vec![template.initial()];
    while let Some(label) = stack.pop() {
        for edge in template.outgoing(label) {
            let to = template.edge(edge).to;
            if reached.insert(to) {
                stack.push(to);
            }
        }
    }
    reached
}

/// The labels that need no name in the text: generated ones that are entered only from the line
/// before.
fn fallen_into(template: &Template, order: &[LabelId]) -> BTreeSet<LabelId> {
    let mut entered: BTreeMap<LabelId, Vec<EdgeId>> = BTreeMap::new();
    for (id, edge) in template.edges().enumerate() {
        entered.entry(edge.to).or_default().push(id);
    }
    let falls_through = |previous: LabelId, edge: EdgeId| {
        let edges: Vec<EdgeId> = template.outgoing(previous).collect();
        match edges.as_slice() {
            [only] => *only == edge,
            [first, second] => {
                *second == edge
                    && alternative(template.edge(*first), template.edge(*second)).is_some()
            }
            _ => false,
        }
    };
    let mut unnamed = BTreeSet::new();
    for (number, label) in order.iter().enumerate() {
        let data = &template.labels()[*label];
        let entries = entered.get(label).map_or(&[][..], Vec::as_slice);
        let only_from_above = match (number, entries) {
            (0, []) => true,
            (0, _) | (_, []) => false,
            (_, [edge]) => falls_through(order[number - 1], *edge),
            (_, _) => false,
        };
        if data.generated && !data.waiting && only_from_above {
            unnamed.insert(*label);
        }
    }
    unnamed
}
