//! Instructions in the words of this language: for printing whole programs, and for talking about
//! single instructions to people.

use std::collections::BTreeMap;
use std::fmt::Write;

use program::{
    Access, AccessWidth, Boundary, Edge, Expr, IndexVec, Instruction, LabelId, LocationId,
    Observable, Order, Program, RegisterId, TemplateId, Update,
};

use super::print_expr::place;
use super::print_question::{observable_name, question};
use super::words;
use crate::print_expr::expr;

/// The names of everything a thread can mention.
pub(super) struct Names {
    pub(super) thread: String,
    pub(super) locations: IndexVec<LocationId, LocationName>,
    pub(super) registers: IndexVec<RegisterId, String>,
    pub(super) labels: IndexVec<LabelId, String>,
    pub(super) boundaries: BTreeMap<LabelId, Boundary>,
}

#[derive(Clone)]
pub(super) struct LocationName {
    pub(super) name: String,
    pub(super) is_array: bool,
}

/// The instructions of a program as people write them, with the names as they are in the program.
pub struct Notation {
    locations: IndexVec<LocationId, LocationName>,
    threads: IndexVec<TemplateId, Names>,
}

impl Notation {
    /// The notation for a program.
    pub fn new(program: &Program) -> Self {
        let locations: IndexVec<LocationId, LocationName> = program
            .memory()
            .locations()
            .iter()
            .map(|location| LocationName {
                name: location.name.clone(),
                is_array: location.length.is_some(),
            })
            .collect();
        let threads = program.templates().iter().map(|template| Names {
            thread: template.name().to_owned(),
            locations: locations.clone(),
            registers: template.registers().iter().map(|register| register.name.clone()).collect(),
            labels: template.labels().iter().map(|label| label.name.clone()).collect(),
            boundaries: template.boundaries().clone(),
        });
        let threads = threads.collect();
        Self { locations, threads }
    }

    /// What the program asks about its final states; nothing if it asks nothing.
    pub fn question(&self, program: &Program) -> String {
        let mut text = String::new();
        question(&mut text, program, &self.locations, &self.threads);
        text
    }

    /// What something seen in a final state is called.
    pub fn observable(&self, program: &Program, observable: Observable) -> String {
        observable_name(program, &self.locations, &self.threads, observable)
    }

    /// What an edge of a template does.
    pub fn instruction(&self, template: TemplateId, edge: &Edge) -> String {
        of_edge(edge, &self.threads[template])
    }
}

/// What an edge does as a statement.
pub(super) fn of_edge(edge: &Edge, names: &Names) -> String {
    let values = |values: &[Expr]| {
        let values: Vec<String> = values.iter().map(|value| expr(value, names, 0)).collect();
        values.join(", ")
    };
    match names.boundaries.get(&edge.from) {
        Some(Boundary::Call { operation, arguments }) => {
            format!("call {operation}({})", values(arguments))
        }
        Some(Boundary::Return { results }) if results.is_empty() => "return".to_owned(),
        Some(Boundary::Return { results }) => format!("return {}", values(results)),
        None => statement(&edge.instruction, names),
    }
}

/// An instruction as a statement.
fn statement(instruction: &Instruction, names: &Names) -> String {
    let value = |value: &Expr| expr(value, names, 0);
    match instruction {
        Instruction::Skip => "skip".to_owned(),
        Instruction::Assign { register, value: assigned } => {
            format!("{} = {}", names.registers[*register], value(assigned))
        }
        Instruction::Choose { register, low, high } => {
            format!("{} = choose({low}..={high})", names.registers[*register])
        }
        Instruction::Assume(condition) => format!("assume {}", value(condition)),
        Instruction::Assert(condition) => format!("assert {}", value(condition)),
        Instruction::Load { register, address, access } => {
            let (register, place) = (&names.registers[*register], place(address, names));
            match attributes(*access) {
                attributes if attributes.is_empty() => format!("{register} = {place}"),
                attributes => format!("{register} = load({place}{attributes})"),
            }
        }
        Instruction::Store { address, value: stored, access } => {
            let (place, stored) = (place(address, names), value(stored));
            match attributes(*access) {
                attributes if attributes.is_empty() => format!("{place} = {stored}"),
                attributes => format!("store({place}, {stored}{attributes})"),
            }
        }
        Instruction::StoreExclusive { status, address, value: stored, access } => {
            let implied = Access { exclusive: false, ..*access };
            format!(
                "{} = store_exclusive({}, {}{})",
                names.registers[*status],
                place(address, names),
                value(stored),
                attributes(implied)
            )
        }
        Instruction::Update { result, address, update, access } => {
            let (operation, arguments) = match update {
                Update::Exchange(new) => ("xchg".to_owned(), vec![new]),
                Update::Fetch { op, operand } => (words::fetch_op(*op), vec![operand]),
                Update::CompareAndSwap { expected, new } => {
                    ("cmpxchg".to_owned(), vec![expected, new])
                }
                Update::BlockingReadWrite { expected, new } => {
                    ("arw".to_owned(), vec![expected, new])
                }
            };
            let mut text =
                result.map_or_else(String::new, |result| format!("{} = ", names.registers[result]));
            let _ = write!(text, "{operation}({}", place(address, names));
            for argument in arguments {
                let _ = write!(text, ", {}", value(argument));
            }
            text + &attributes(*access) + ")"
        }
        Instruction::Fence(kind) => words::fence(*kind),
        Instruction::Lock => "lock_memory".to_owned(),
        Instruction::Unlock => "unlock_memory".to_owned(),
    }
}

/// The attributes of an access, each after a comma.
fn attributes(access: Access) -> String {
    let mut text = String::new();
    if access.order != Order::Plain {
        let _ = write!(text, ", {}", access.order);
    }
    if let Some(failure) = access.failure {
        let _ = write!(text, ", failing({failure})");
    }
    if access.exclusive {
        text.push_str(", exclusive");
    }
    match access.width {
        AccessWidth::Cell => {}
        AccessWidth::Bytes(bytes) => {
            let _ = write!(text, ", bytes({bytes})");
        }
        AccessWidth::Across(int) => {
            let _ = write!(text, ", across({int})");
        }
    }
    text
}
