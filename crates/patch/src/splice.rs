//! Many small changes of one text, made at once.
//!
//! All offsets are those of the original text. What is put around a piece of text stays around what
//! is put around its parts.

use std::ops::Range;

use crate::edit::{Edited, Origins};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    /// The text that goes; empty if something is only inserted.
    range: Range<usize>,
    text: String,
    /// Where it stands among other changes at the same offset.
    rank: (Rank, usize),
}

/// In this order at one offset: what ends there, what begins there, what is replaced from there on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Behind,
    Before,
    Replacement,
}

impl Splice {
    /// Inserts directly before a piece of text. Of two that begin together the longer is outside.
    pub(crate) fn before(piece: &Range<usize>, text: impl Into<String>) -> Self {
        let rank = (Rank::Before, usize::MAX - piece.end);
        Self { range: piece.start..piece.start, text: text.into(), rank }
    }

    /// Inserts directly behind a piece of text. Of two that end together the longer is outside.
    pub(crate) fn behind(piece: &Range<usize>, text: impl Into<String>) -> Self {
        let rank = (Rank::Behind, usize::MAX - piece.start);
        Self { range: piece.end..piece.end, text: text.into(), rank }
    }

    /// Replaces a piece of text.
    pub(crate) fn replace(piece: Range<usize>, text: impl Into<String>) -> Self {
        Self { range: piece, text: text.into(), rank: (Rank::Replacement, 0) }
    }
}

/// The changed text and what of it was inserted, or the offset where two changes want the same text. Equal changes are
/// made once.
pub(crate) fn apply(text: &str, mut splices: Vec<Splice>) -> Result<Edited, usize> {
    splices.sort_by_key(|splice| (splice.range.start, splice.rank));
    splices.dedup();
    let mut changed = String::with_capacity(text.len());
    let mut inserted = Vec::new();
    let mut origins = Origins::default();
    let mut done = 0;
    for splice in &splices {
        let unchanged = text.get(done..splice.range.start).ok_or(splice.range.start)?;
        changed.push_str(unchanged);
        let from = changed.len();
        changed.push_str(&splice.text);
        if splice.range.is_empty() {
            inserted.push(from..changed.len());
        }
        origins.changed.push((splice.range.clone(), from..changed.len()));
        done = splice.range.end;
    }
    changed.push_str(&text[done..]);
    Ok(Edited { text: changed, inserted, origins })
}
