//! Changing texts of this language. A locked store is `locked write:`.

use program::{Diagnostics, FenceKind, SourceId, Sources, Span};

use super::ast::{Block, File, Kind, Statement};
use super::{lower, parse};
use crate::edit::blocks::{Editor, Style};
use crate::edit::patch::Comments;
use crate::edit::{Edited, Plan, no_locked_store, no_store};
use crate::token;

const STYLE: Style = Style {
    language: "Memorax's language",
    comments: Comments { line: "//", block: Some(("/*", "*/")) },
    fence: |kind| match kind {
        FenceKind::Full => Some("fence"),
        FenceKind::StoreStore => Some("ssfence"),
        FenceKind::LoadLoad => Some("llfence"),
        FenceKind::Lightweight
        | FenceKind::LoadStore
        | FenceKind::StoreLoad
        | FenceKind::Acquire
        | FenceKind::Release
        | FenceKind::Control => None,
    },
    nothing: "nop",
    arrow: None,
    braces: Some(("{", "}")),
};

/// The text with changes, or why they cannot be made.
pub(crate) fn edit(
    sources: &Sources,
    source: SourceId,
    mut plan: Plan,
) -> Result<Edited, Diagnostics> {
    let text = sources.text(source);
    let (tokens, errors) = token::tokens(text, 0, source);
    let file = parse::file(&tokens, errors);
    if !file.errors.is_empty() {
        return Err(file.errors);
    }
    let tree = lower::tree(&file);
    let mut editor = Editor::new(source, text, &tree, STYLE);
    editor.fences(&mut plan);
    for (spans, becomes_locked) in [(&plan.lock, true), (&plan.unlock, false)] {
        for span in spans {
            match write(&file, *span) {
                Some(locked) if locked != becomes_locked => {
                    let start = span.start as usize;
                    let colon = text[start..].find(':').map_or(start, |length| start + length);
                    let word = if becomes_locked { "locked write" } else { "write" };
                    editor.patches.replace(start..colon, word);
                }
                Some(_) | None if becomes_locked => editor.errors.push(no_store(*span)),
                Some(_) | None => editor.errors.push(no_locked_store(*span)),
            }
        }
    }
    editor.finish()
}

/// Whether the store at a span is locked, if there is one.
fn write(file: &File, span: Span) -> Option<bool> {
    file.processes.iter().find_map(|process| write_in(&process.body, span))
}

fn write_in(block: &Block, span: Span) -> Option<bool> {
    let of_statement = |statement: &Statement| match &statement.kind {
        Kind::Write { locked, .. } if statement.span == span => Some(*locked),
        Kind::If { then, otherwise, .. } => {
            let otherwise = || otherwise.as_ref().and_then(|block| write_in(block, span));
            write_in(then, span).or_else(otherwise)
        }
        Kind::While { body, .. } | Kind::Group(body) => write_in(body, span),
        Kind::Either(blocks) => blocks.iter().find_map(|block| write_in(block, span)),
        Kind::Write { .. }
        | Kind::Locked(_)
        | Kind::Nop
        | Kind::Fence
        | Kind::StoreFence
        | Kind::LoadFence
        | Kind::Assign { .. }
        | Kind::Assume(_)
        | Kind::ReadEqual { .. }
        | Kind::Read { .. }
        | Kind::Cas { .. }
        | Kind::Goto(_) => None,
    };
    block.statements.iter().find_map(of_statement)
}
