//! Changing the text of a program in this language.
//!
//! A fence gets a line of its own where its neighbour has one; among statements that share a line
//! it stands between semicolons. A locked store is written `store(x, e, seq_cst)`, and other orders alike.

mod access;
mod fences;
mod order;
mod outline;

use program::{Diagnostics, SourceId, Sources};

use super::ast::File;
use super::lex::Token;
use super::parse;
use crate::edit::patch::{Comments, Patches};
use crate::edit::{Edited, Plan};
use crate::token;
use outline::Outline;

/// The text with changes, or why they cannot be made.
pub(crate) fn edit(
    sources: &Sources,
    source: SourceId,
    mut plan: Plan,
) -> Result<Edited, Diagnostics> {
    let text = sources.text(source);
    let (tokens, errors) = token::tokens(text, 0, source);
    let file = parse::file(tokens.clone(), errors);
    if !file.errors.is_empty() {
        return Err(file.errors);
    }
    let comments = Comments { line: "//", block: Some(("/*", "*/")) };
    let mut editor = Editor {
        source,
        file: &file,
        tokens,
        outline: Outline::of(&file),
        patches: Patches::new(text, comments),
        errors: Vec::new(),
    };
    for span in std::mem::take(&mut plan.remove) {
        editor.remove_fence(span, plan.puts_back(span));
    }
    for change in plan.orders {
        editor.order(change);
    }
    for span in plan.lock {
        editor.lock(span);
    }
    for span in plan.unlock {
        editor.unlock(span);
    }
    editor.fences(&plan.before, &plan.after);
    if editor.errors.is_empty() { Ok(editor.patches.apply()) } else { Err(editor.errors) }
}

struct Editor<'a> {
    source: SourceId,
    file: &'a File,
    tokens: Vec<Token<'a>>,
    outline: Outline<'a>,
    patches: Patches<'a>,
    errors: Diagnostics,
}
