//! Jumps by a number of bytes: `B .+8` leads to the second instruction after it.
//!
//! Every instruction here has four bytes. The line that is meant gets a label, unless it has one.

use program::{Diagnostic, Diagnostics};

use super::super::ast::Name;
use super::super::parse::number;
use super::syntax::{Code, Flow, Line, Step, Term};

/// The bytes of an instruction.
const BYTES: i128 = 4;

/// Gives labels to what is named by a distance.
pub(super) fn resolve(code: &mut Code, errors: &mut Diagnostics) {
    let lines = code.lines.len();
    let labels = &mut code.labels;
    for (here, line) in code.lines.iter_mut().enumerate() {
        for name in names(line) {
            let Some(distance) = distance(&name.text) else { continue };
            code.counts_lines = true;
            let target = i128::try_from(here).ok().map(|here| here + distance / BYTES);
            let target = target.and_then(|target| usize::try_from(target).ok());
            let target = target.filter(|target| distance % BYTES == 0 && *target <= lines);
            if let Some(target) = target {
                name.text = label_at(labels, target, name);
            } else {
                let message = format!("there is no instruction at `{}`", name.text);
                let help = "an instruction has 4 bytes: `.+8` is the second one after this";
                errors.push(Diagnostic::new(name.span, message).help(help));
                name.text = label_at(labels, here, name);
            }
        }
    }
}

/// The label of a line, perhaps a new one.
fn label_at(labels: &mut Vec<(Name, usize)>, line: usize, named: &Name) -> String {
    if let Some((label, _)) = labels.iter().find(|(_, at)| *at == line) {
        return label.text.clone();
    }
    let is_free = |text: &String| labels.iter().all(|(label, _)| label.text != *text);
    let mut number = line;
    let mut fresh = format!("at{number}");
    while !is_free(&fresh) {
        number += 1;
        fresh = format!("at{number}");
    }
    labels.push((Name { text: fresh.clone(), span: named.span }, line));
    fresh
}

/// How many bytes ahead `.+8` is.
fn distance(text: &str) -> Option<i128> {
    let signed = text.strip_prefix('.')?;
    let (sign, digits) = match signed.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, signed.strip_prefix('+')?),
    };
    number(digits).map(|bytes| sign * bytes)
}

/// What a line names in its thread's code.
fn names(line: &mut Line) -> Vec<&mut Name> {
    let jump = match &mut line.flow {
        Flow::Jump(to) | Flow::Branch(_, to) | Flow::Call { to, .. } => Some(to),
        Flow::Next | Flow::Return | Flow::Computed { .. } => None,
    };
    let taken = line.steps.iter_mut().filter_map(|step| match step {
        Step::Assign { value: Term::Code(to), .. } => Some(to),
        Step::Assign { .. }
        | Step::Load { .. }
        | Step::Store { .. }
        | Step::StoreExclusive { .. }
        | Step::Update { .. }
        | Step::Compare { .. }
        | Step::Fence(_) => None,
    });
    jump.into_iter().chain(taken).collect()
}
