//! Changing texts in the papers' syntaxes.
//!
//! A fence is a labelled instruction of its own. Neither syntax has a store that waits for the
//! store buffer: `arw` waits for a value, too.

use std::ops::Range;

use program::{Diagnostic, Diagnostics, SourceId, Sources, Span};

use super::ast::{Instruction, Statement};
use super::lex::Token;
use super::parse;
use super::words::Syntax;
use crate::edit::patch::Comments;
use crate::edit::steps::{Kind, Places, Step, Steps, Style};
use crate::edit::{Edited, Plan, no_locked_store};
use crate::token;

const fn style(syntax: Syntax) -> Style {
    Style {
        language: match syntax {
            Syntax::Esop13 => "the syntax of ESOP'13",
            Syntax::Esop15 => "the syntax of ESOP'15",
        },
        comments: Comments { line: "//", block: None },
        fence: syntax.fence(),
        nothing: match syntax {
            Syntax::Esop13 => "assert 1",
            Syntax::Esop15 => "skip",
        },
        write: |from, to, action, like| {
            let end = if like.ends_with(';') { ";" } else { "" };
            format!("{from}: {action}; goto {to}{end}")
        },
    }
}

/// The text with changes, or why they cannot be made.
pub(crate) fn edit(
    sources: &Sources,
    source: SourceId,
    syntax: Syntax,
    mut plan: Plan,
) -> Result<Edited, Diagnostics> {
    let text = sources.text(source);
    let (tokens, errors) = token::tokens(text, 0, source);
    let file = parse::file(syntax, tokens.clone(), errors);
    if !file.errors.is_empty() {
        return Err(file.errors);
    }
    let mut steps = Vec::new();
    for (thread, parsed) in file.threads.iter().enumerate() {
        for instruction in &parsed.instructions {
            let places = places(instruction, &tokens);
            let kind = kind(&instruction.statement);
            steps.push(Step::new(text, thread, kind, instruction.span, places));
        }
    }
    let initial = file.threads.iter().map(|thread| thread.initial.text.clone());
    let mut steps = Steps::new(source, text, style(syntax), steps, initial);
    steps.fences(&mut plan);
    let locks = plan.lock.iter().map(|span| {
        Diagnostic::new(*span, "this syntax has no store that waits for the store buffer")
            .help("put a fence after the store instead")
    });
    let unlocks = plan.unlock.iter().map(|span| no_locked_store(*span));
    steps.errors.extend(locks.chain(unlocks));
    steps.finish()
}

fn places(instruction: &Instruction, tokens: &[Token<'_>]) -> Places {
    let range = |span: Span| -> Range<usize> { span.start as usize..span.end as usize };
    let label = tokens.partition_point(|token| token.span < instruction.label.span);
    // The statement follows the label and its colon.
    let action = tokens.get(label + 2).map_or(instruction.span, |token| token.span);
    Places {
        from: range(instruction.label.span),
        to: range(instruction.target.span),
        action: range(action),
    }
}

const fn kind(statement: &Statement) -> Kind {
    match statement {
        Statement::Fence => Kind::Fence,
        Statement::Store { .. } => Kind::Store,
        Statement::Skip
        | Statement::Assume(_)
        | Statement::Assign { .. }
        | Statement::Load { .. }
        | Statement::ReadWrite { .. } => Kind::Other,
    }
}
