//! Schema `fencewright.show/1`: a program as it was understood.

use frontend::fw::Notation;
use program::{Count, Initial, Insertion, Outside, Program, Sources, Template, TemplateId, Value};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Head, Position, Region, line};

#[derive(Serialize, JsonSchema)]
pub(super) struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    /// The input.
    file: &'a str,
    /// Its language.
    language: &'a str,
    /// The program's name.
    program: &'a str,
    /// Shared memory.
    memory: Memory<'a>,
    /// The templates of its threads.
    threads: Vec<Thread<'a>>,
    /// What the program asks about its final states, a line each, in `.fw`.
    question: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Memory<'a> {
    /// What an undeclared address is.
    #[schemars(extend("enum" = ["error", "zero_cell"]))]
    outside: &'static str,
    locations: Vec<Location<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Location<'a> {
    name: &'a str,
    address: Value,
    /// The number of cells; null for a scalar.
    length: Option<u64>,
    /// From one cell to the next.
    stride: u64,
    /// One value for all cells, or one for each.
    initial: InitialValues<'a>,
    domain: Domain,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum InitialValues<'a> {
    Uniform(Value),
    Each(&'a [Value]),
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Domain {
    Integer,
    Range { low: Value, high: Value },
    Wrapping { r#type: String },
}

#[derive(Serialize, JsonSchema)]
struct Thread<'a> {
    name: &'a str,
    /// Nothing for any number.
    copies: Option<u32>,
    identity: Option<Identity<'a>>,
    registers: Vec<Register<'a>>,
    /// The label at which it begins.
    initial: &'a str,
    labels: Vec<Label<'a>>,
    edges: Vec<Edge<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Label<'a> {
    name: &'a str,
    /// Whether it is not in the source.
    generated: bool,
    /// Whether it is part of an `await`.
    waiting: bool,
    /// Where a statement that every path through the label passes can be inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    insert_before: Option<Position>,
    /// Why nothing can be inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_insertion: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Identity<'a> {
    register: &'a str,
    first: Value,
}

#[derive(Serialize, JsonSchema)]
struct Register<'a> {
    name: &'a str,
    initial: Value,
    domain: Domain,
    generated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Edge<'a> {
    from: &'a str,
    to: &'a str,
    /// In `.fw`.
    instruction: String,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
    /// Where a statement right after this edge can be inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    insert_after: Option<Position>,
    /// Why nothing can be inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_insertion: Option<String>,
}

/// One program.
pub fn program(file: &str, language: &str, program: &Program, sources: &Sources) -> String {
    let notation = Notation::new(program);
    let memory = program.memory();
    line(&Document {
        head: Head::of("fencewright.show/1"),
        file,
        language,
        program: program.name(),
        memory: Memory {
            outside: match memory.outside() {
                Outside::Fault => "error",
                Outside::ZeroCell => "zero_cell",
            },
            locations: memory.locations().iter().map(location).collect(),
        },
        threads: program
            .templates()
            .enumerate()
            .map(|(id, template)| thread(id, template, &notation, sources))
            .collect(),
        question: notation
            .question(program)
            .lines()
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect(),
    })
}

fn location(location: &program::Location) -> Location<'_> {
    Location {
        name: &location.name,
        address: location.base,
        length: location.length,
        stride: location.stride,
        initial: match &location.initial {
            Initial::Uniform(value) => InitialValues::Uniform(*value),
            Initial::Each(values) => InitialValues::Each(values),
        },
        domain: domain(location.domain),
    }
}

fn domain(domain: program::Domain) -> Domain {
    match domain {
        program::Domain::Integer => Domain::Integer,
        program::Domain::Range { low, high } => Domain::Range { low, high },
        program::Domain::Wrapping(int) => Domain::Wrapping { r#type: int.to_string() },
    }
}

fn thread<'a>(
    id: TemplateId,
    template: &'a Template,
    notation: &Notation,
    sources: &Sources,
) -> Thread<'a> {
    let label = |label| template.labels()[label].name.as_str();
    Thread {
        name: template.name(),
        copies: match template.count() {
            Count::Exactly(count) => Some(count),
            Count::Any => None,
        },
        identity: template.identity().map(|identity| Identity {
            register: &template.registers()[identity.register].name,
            first: identity.first,
        }),
        registers: template
            .registers()
            .iter()
            .map(|register| Register {
                name: &register.name,
                initial: register.initial,
                domain: domain(register.domain),
                generated: register.generated,
            })
            .collect(),
        initial: label(template.initial()),
        labels: template
            .labels()
            .iter()
            .map(|label| Label {
                name: &label.name,
                generated: label.generated,
                waiting: label.waiting,
                insert_before: insertion(label.before, sources),
                no_insertion: label.before.err().map(|reason| reason.to_string()),
            })
            .collect(),
        edges: template
            .edges()
            .iter()
            .map(|edge| Edge {
                from: label(edge.from),
                to: label(edge.to),
                instruction: notation.instruction(id, edge),
                position: Region::of(sources, edge.span),
                insert_after: insertion(edge.after, sources),
                no_insertion: edge.after.err().map(|reason| reason.to_string()),
            })
            .collect(),
    }
}

fn insertion(insertion: Insertion, sources: &Sources) -> Option<Position> {
    insertion.ok().map(|point| Position::of(sources, point.source, point.offset))
}
