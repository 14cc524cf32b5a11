//! What no test can be made of, with its place.

use std::collections::BTreeSet;

use program::{Diagnostic, Instruction, LabelId, Program, Span, Template};

/// The greatest number of threads.
const MOST_THREADS: usize = 64;

/// Something that cannot be run.
pub(crate) fn refused(span: Span, why: impl Into<String>) -> Diagnostic {
    Diagnostic::new(span, "this cannot be run on the machine").label(why)
}

/// Why no test can be made of a program.
pub(crate) fn problem(program: &Program) -> Option<Diagnostic> {
    let threads = match program.threads() {
        Ok(threads) => threads,
        Err(parameterised) => {
            let span = program.template(parameterised.template).span();
            return Some(
                refused(span, parameterised.to_string())
                    .help(format!("give a number: `--count {}=2`", parameterised.name)),
            );
        }
    };
    if threads.len() > MOST_THREADS {
        let message = format!("the program has {} threads", threads.len());
        return Some(
            refused(Span::NONE, "").help(format!("{message}, a test at most {MOST_THREADS}")),
        );
    }
    let unsupported = program.templates().iter().flat_map(|template| template.edges().iter());
    for edge in unsupported {
        let why = match &edge.instruction {
            Instruction::Lock | Instruction::Unlock => {
                "x86 has no locked sections of several instructions"
            }
            Instruction::StoreExclusive { .. } => "x86 has no exclusive stores",
            Instruction::Load { access, .. } if access.exclusive => "x86 has no exclusive loads",
            Instruction::Load { .. }
            | Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Store { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_) => continue,
        };
        return Some(refused(edge.span, why));
    }
    program.templates().iter().find_map(endless)
}

/// A thread that has no end.
fn endless(template: &Template) -> Option<Diagnostic> {
    let ends = |label: LabelId| {
        template.outgoing(label).len() == 0
            || template.outgoing(label).any(|edge| template.bound(edge).is_some())
    };
    let mut known = BTreeSet::new();
    let mut to_do = vec![template.initial()];
    while let Some(label) = to_do.pop() {
        if !known.insert(label) {
            continue;
        }
        if ends(label) {
            return None;
        }
        to_do.extend(template.outgoing(label).map(|edge| template.edge(edge).to));
    }
    let span = template.labels()[template.initial()].span;
    let span = if span.source.is_some() { span } else { template.span() };
    Some(
        refused(span, format!("thread `{}` never ends", template.name()))
            .help("give its loop a number of rounds: only what is left at the end can be counted"),
    )
}
