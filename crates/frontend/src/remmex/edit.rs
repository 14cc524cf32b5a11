//! Changing texts of this language. It has one fence and no store that waits for the store buffer.

use program::{Diagnostic, Diagnostics, FenceKind, SourceId, Sources};

use super::parse;
use crate::edit::blocks::{Editor, Style};
use crate::edit::patch::Comments;
use crate::edit::{Edited, Plan, no_locked_store};
use crate::token;

const STYLE: Style = Style {
    language: "Remmex's language",
    comments: Comments { line: "//", block: Some(("/*", "*/")) },
    fence: |kind| (kind == FenceKind::Full).then_some("mfence"),
    nothing: "skip",
    arrow: Some("->"),
    braces: None,
};

/// The text with changes, or why they cannot be made.
pub(crate) fn edit(
    sources: &Sources,
    source: SourceId,
    mut plan: Plan,
) -> Result<Edited, Diagnostics> {
    let text = sources.text(source);
    let (tokens, errors) = token::tokens(text, 0, source);
    let file = parse::file(tokens, errors);
    if !file.errors.is_empty() {
        return Err(file.errors);
    }
    let mut editor = Editor::new(source, text, &file, STYLE);
    editor.fences(&mut plan);
    let locks = plan.lock.iter().map(|span| {
        Diagnostic::new(*span, "this language has no store that waits for the store buffer")
            .help("put a fence after the store instead")
    });
    let unlocks = plan.unlock.iter().map(|span| no_locked_store(*span));
    editor.errors.extend(locks.chain(unlocks));
    editor.finish()
}
