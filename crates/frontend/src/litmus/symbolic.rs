//! Symbolic registers of the initial state: `%x0=x` without a thread sets the register of every
//! thread that mentions `%x0`, as herd has it.

use program::{Diagnostic, Diagnostics};

use super::ast::{Column, File, Init, Item, Place};
use super::lex::Kind;

/// Replaces each such declaration by one for every thread it is about.
pub(super) fn resolve(file: &mut File<'_>, errors: &mut Diagnostics) {
    let mut resolved = Vec::new();
    for init in std::mem::take(&mut file.init) {
        let Place::Symbolic(name) = &init.place else {
            resolved.push(init);
            continue;
        };
        let users = file.threads.iter().filter(|column| mentions(column, &name.text));
        let places: Vec<Place> = users
            .map(|column| Place::Register {
                thread: column.number,
                thread_span: name.span,
                name: name.clone(),
            })
            .collect();
        if places.is_empty() && errors.is_empty() {
            let message = format!("no thread mentions the register `{}`", name.text);
            let error = Diagnostic::new(name.span, message);
            errors.push(error.help("name its thread, as in `0:%x0=x`, or leave it out"));
        }
        resolved.extend(places.into_iter().map(|place| Init { place, ..init.clone() }));
    }
    file.init = resolved;
}

/// Whether an instruction of the thread has this register, written with its `%`.
fn mentions(column: &Column<'_>, register: &str) -> bool {
    column.items.iter().any(|item| match item {
        Item::Label(_) => false,
        Item::Instruction(tokens) => tokens.windows(2).any(|pair| {
            pair[0].kind == Kind::Percent && register.strip_prefix('%') == Some(pair[1].text)
        }),
    })
}
