//! Final states in the words of the language that a program was written in: `1:EAX=0` in a litmus
//! test, `p[1].r` elsewhere.

use program::{Diagnostics, Observable, Program, Proposition, SourceId, Sources, Value};

use crate::{Language, fw, litmus};

/// The condition on the final states of a program that a text describes, or all that is wrong with
/// it. It may be in herd's syntax or in that of `.fw`, whichever language the program is in.
pub fn condition(
    sources: &Sources,
    source: SourceId,
    language: Language,
    program: &Program,
) -> Result<Proposition, Diagnostics> {
    let of_herd = || litmus::condition(sources, source, program);
    let of_fw = || fw::condition(sources, source, program);
    let is_herds = language == Language::Litmus || sources.text(source).contains(['\\', ':', '~']);
    // What is wrong is said about the syntax that was probably meant.
    if is_herds {
        of_herd().or_else(|errors| of_fw().map_err(|_| errors))
    } else {
        of_fw().or_else(|errors| of_herd().map_err(|_| errors))
    }
}

/// A value as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// A number.
    Number(Value),
    /// The address of this location, or of an element of an array.
    Location(String),
}

/// How final states of a program are told.
pub struct Words<'a> {
    program: &'a Program,
    /// For everything but litmus tests.
    notation: Option<fw::Notation>,
}

impl<'a> Words<'a> {
    /// The words for a program that was written in a language.
    pub fn new(program: &'a Program, language: Language) -> Self {
        let notation = match language {
            Language::Litmus => None,
            Language::Fw
            | Language::Trencher
            | Language::Esop13
            | Language::Esop15
            | Language::Rmm
            | Language::Remmex => Some(fw::Notation::new(program)),
        };
        Self { program, notation }
    }

    /// What something seen in a final state is called.
    pub fn observable(&self, seen: Observable) -> String {
        match &self.notation {
            Some(notation) => notation.observable(self.program, seen),
            None => litmus::observable(self.program, seen),
        }
    }

    /// A value seen in a final state.
    pub fn value(&self, seen: Observable, value: Value) -> String {
        match self.told(seen, value) {
            Told::Number(value) => value.to_string(),
            Told::Location(name) => name,
        }
    }

    /// What a value seen in a final state is.
    pub fn told(&self, seen: Observable, value: Value) -> Told {
        match &self.notation {
            Some(_) => Told::Number(value),
            None => litmus::told(self.program, seen, value),
        }
    }
}
