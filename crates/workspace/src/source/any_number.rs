//! Threads of C and Rust programs of which any number of copies run.
//!
//! They are translated as two copies, which the translation tells apart by a register where it has to: each has
//! thread-local variables, variables on its stack whose address is taken, and what it allocates. If nothing
//! reads that register the copies do the same, and any number of them is meant; otherwise the program is
//! refused, since memory for any number of copies cannot be laid out.

use lowering::Entry;
use program::{Diagnostic, Diagnostics, Program, Template};

/// The copies that a thread of any number is translated with.
pub(super) const TRANSLATED: u32 = 2;

/// The program in which there is any number of copies of the entries with these numbers.
pub(super) fn with_any_number(
    program: Program,
    entries: &[Entry],
    any: &[usize],
) -> Result<Program, Diagnostics> {
    if any.is_empty() {
        return Ok(program);
    }
    if program.templates().len() > entries.len() {
        let created = program.templates().iter().last().map_or("", Template::name);
        let message = format!("`{created}` is not one of the threads that `--thread` names");
        let help = "where there is any number of copies no thread may create others, and nothing may run \
                    before `main`; give a number instead of `any`";
        return Err(refused(&program, message, help));
    }
    // Threads are in the order of the entries, and those with several copies can be told apart.
    let several = entries.iter().enumerate().filter(|(_, entry)| entry.copies > 1);
    let mut several = several.map(|(number, _)| number);
    let mut templates = program.templates().clone();
    for id in program.templates().indices() {
        let template = program.template(id);
        if template.identity().is_none() || several.next().is_none_or(|at| !any.contains(&at)) {
            continue;
        }
        let Some(same) = template.for_any_number() else {
            let message = format!(
                "copies of `{}` have memory of their own, and cannot be of any number",
                template.name()
            );
            let help = "thread-local variables, variables on the stack whose address is taken and what is \
                        allocated are kept for each copy: give a number instead of `any`";
            let span = template.span();
            return Err(vec![Diagnostic::new(span, message).help(help)]);
        };
        templates[id] = same;
    }
    Ok(program.with_templates(templates))
}

fn refused(program: &Program, message: String, help: &str) -> Diagnostics {
    let span = program.templates().iter().last().map_or(program::Span::NONE, Template::span);
    vec![Diagnostic::new(span, message).help(help)]
}
