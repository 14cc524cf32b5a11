//! Generators of programs and of tables, and what every engine for tables has to say, for tests only.
//!
//! Everything generated is valid by construction. Names are plain identifiers that end in a letter
//! for their kind and a number (`ab_r0`), so that no two collide and none is a word of any input
//! language.

pub mod engines;
mod expressions;
mod instructions;
mod memories;
mod names;
mod questions;
pub mod tables;
mod templates;
mod values;

use expressions::Locations;
use program::{Memory, Outside, Program, ProgramBuilder, Question, Template};
use proptest::prelude::*;

/// Which programs to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subset {
    /// All that the program model can say.
    Everything,
    /// What Trencher's language can say, numbered as its parser numbers it.
    Trencher,
}

/// Any valid programs of a subset, as varied as possible: for syntax, not for exploring their
/// states.
pub fn programs(subset: Subset) -> impl Strategy<Value = Program> {
    memories::memories(subset)
        .prop_flat_map(move |memory| {
            let templates = templates::templates(subset, Locations::of(&memory));
            (Just(memory), templates)
        })
        .prop_map(|(memory, templates)| assemble(&memory, templates, Question::default()))
        .prop_flat_map(move |program| {
            let questions = match subset {
                Subset::Everything => questions::questions(&program),
                Subset::Trencher => Just(Question::default()).boxed(),
            };
            (Just(program), questions)
        })
        .prop_map(|(program, question)| {
            assemble(program.memory(), program.templates().iter().cloned().collect(), question)
        })
}

fn assemble(memory: &Memory, templates: Vec<Template>, question: Question) -> Program {
    let mut builder = ProgramBuilder::new("generated", memory.outside());
    for location in memory.locations() {
        builder.location(location.clone());
    }
    for template in templates {
        builder.template(template);
    }
    builder.question(question);
    builder.build().expect("generated programs are valid")
}

/// Both ways in which memory can continue outside its locations.
fn outsides() -> impl Strategy<Value = Outside> {
    prop_oneof![Just(Outside::Fault), Just(Outside::ZeroCell)]
}
