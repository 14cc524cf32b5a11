//! A program as Fencewright understood it, for people.

use std::fmt::Write;

use frontend::fw::Notation;
use program::canonical::label_order;
use program::{
    Count, Domain, Initial, Location, Outside, Program, Register, Sources, Span, Template,
    TemplateId,
};

use crate::table::align;
use crate::terminal;

/// Memory, then each thread as a list of its edges with the lines they come from.
pub fn render(program: &Program, sources: &Sources) -> String {
    let mut text = format!("program {}\n\n", terminal::line(program.name()));
    memory(&mut text, program);
    let notation = Notation::new(program);
    for (id, template) in program.templates().enumerate() {
        thread(&mut text, id, template, &notation, sources);
    }
    text.push_str(&notation.question(program));
    text
}

fn memory(text: &mut String, program: &Program) {
    let memory = program.memory();
    text.push_str(match memory.outside() {
        Outside::Fault => "memory\n",
        Outside::ZeroCell => "memory: every value is an address, cells start with 0\n",
    });
    let rows: Vec<Vec<String>> = memory.locations().iter().map(location).collect();
    text.push_str(&align(&rows, 2));
}

fn location(location: &Location) -> Vec<String> {
    let name = match location.length {
        Some(length) => format!("{}[{length}]", location.name),
        None => location.name.clone(),
    };
    let stride =
        if location.stride == 1 { String::new() } else { format!(" step {}", location.stride) };
    let starts = match &location.initial {
        Initial::Uniform(value) => value.to_string(),
        Initial::Each(values) => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            format!("{{{}}}", values.join(", "))
        }
    };
    vec![
        name,
        format!("at {}{stride}", location.base),
        format!("starts with {starts}"),
        format!("holds {}", domain(location.domain)),
    ]
}

/// What can be held, in words.
fn domain(domain: Domain) -> String {
    match domain {
        Domain::Integer => "any integer".to_owned(),
        Domain::Range { low, high } => format!("{low} to {high}"),
        Domain::Wrapping(int) => format!("{int}, wrapping"),
    }
}

/// How many copies, in words.
fn copies(template: &Template) -> String {
    match (template.count(), template.identity()) {
        (Count::Any, None) => "any number of copies".to_owned(),
        (Count::Any, Some(identity)) => {
            let name = &template.registers()[identity.register].name;
            format!("any number of copies, {name} from {} on", identity.first)
        }
        (Count::Exactly(1), None) => "one thread".to_owned(),
        (Count::Exactly(count), None) => format!("{count} copies"),
        (Count::Exactly(count), Some(identity)) => {
            let name = &template.registers()[identity.register].name;
            format!("{count} copies, {name} in {}..{}", identity.first, identity.of(count))
        }
    }
}

fn thread(
    text: &mut String,
    id: TemplateId,
    template: &Template,
    notation: &Notation,
    sources: &Sources,
) {
    let _ = writeln!(text, "\nthread {}: {}", template.name(), copies(template));
    let registers: Vec<Vec<String>> = template
        .registers()
        .enumerate()
        .filter(|(id, _)| template.identity().is_none_or(|identity| identity.register != *id))
        .map(|(_, it)| register(it))
        .collect();
    text.push_str(&align(&registers, 2));
    let initial = &template.labels()[template.initial()].name;
    let _ = writeln!(text, "  starts at {initial}");
    let rows: Vec<Vec<String>> = label_order(template)
        .into_iter()
        .flat_map(|label| template.outgoing(label))
        .map(|edge| {
            let edge = template.edge(edge);
            vec![
                line(edge.span, sources),
                format!("{}:", template.labels()[edge.from].name),
                notation.instruction(id, edge),
                format!("→ {}", template.labels()[edge.to].name),
            ]
        })
        .collect();
    text.push_str(&align(&rows, 2));
}

fn register(register: &Register) -> Vec<String> {
    let kind = if register.generated { "register (generated)" } else { "register" };
    let starts = format!("starts with {}", register.initial);
    vec![
        kind.to_owned(),
        register.name.clone(),
        starts,
        format!("holds {}", domain(register.domain)),
    ]
}

fn line(span: Span, sources: &Sources) -> String {
    match span.source {
        Some(source) => format!("line {}", sources.line_column(source, span.start).0),
        None => String::new(),
    }
}
