//! Threads of C and Rust programs of which any number of copies run.
//!
//! They are translated as two copies, which the translation tells apart by a register where it has to: each has
//! thread-local variables, variables on its stack whose address is taken, and what it allocates. If nothing
//! reads that register the copies do the same, and any number of them is meant; otherwise the program is
//! refused, since memory for any number of copies cannot be laid out.
//!
//! A thread that is given its own identity holds it in that register, too. Then the register may be read as a name
//! ([`program::identities`]), which is refused where it stands if it is anything else.

use lowering::{Entry, EntryArgument};
use program::validate::Defect;
use program::{
    Count, Diagnostic, Diagnostics, IndexVec, Program, ProgramBuilder, Span, Template, TemplateId,
};

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
        if template.identity().is_none() {
            continue;
        }
        let Some(at) = several.next().filter(|at| any.contains(at)) else { continue };
        let is_named = entries[at].arguments.contains(&EntryArgument::Identity);
        let named = || is_named.then(|| template.with_count(Count::Any));
        let Some(same) = template.for_any_number().or_else(named) else {
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
    with_templates(&program, templates).map_err(as_errors)
}

/// The program with other templates, in which identities may be used as what they are not.
fn with_templates(
    program: &Program,
    templates: IndexVec<TemplateId, Template>,
) -> Result<Program, Vec<Defect>> {
    let mut builder = ProgramBuilder::new(program.name(), program.memory().outside());
    for location in program.memory().locations() {
        builder.location(location.clone());
    }
    for template in templates {
        builder.template(template);
    }
    builder.question(program.question().clone());
    if let Some(address) = program.end_of_process() {
        builder.end_of_process(address);
    }
    builder.build()
}

/// What is wrong, once for each place in the text, or without a place if there is none.
fn as_errors(defects: Vec<Defect>) -> Diagnostics {
    let help = "the identity of a copy is a name: it can be stored, loaded and compared for equality. What each copy \
                has for itself in memory (thread-local variables, variables on the stack whose address is taken, what \
                is allocated) is found by computing with it. Give a number instead of `any`";
    let (mut placed, without): (Vec<Defect>, Vec<Defect>) =
        defects.into_iter().partition(|defect| defect.span != Span::NONE);
    placed.dedup_by_key(|defect| defect.span);
    let told = if placed.is_empty() { without } else { placed };
    let error = |defect: Defect| Diagnostic::new(defect.span, defect.message).help(help);
    told.into_iter().map(error).collect()
}

fn refused(program: &Program, message: String, help: &str) -> Diagnostics {
    let span = program.templates().iter().last().map_or(Span::NONE, Template::span);
    vec![Diagnostic::new(span, message).help(help)]
}
