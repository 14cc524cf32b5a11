//! Source texts, spans in them, and the places where a statement can be inserted.

use crate::index::{IndexVec, SourceId};

/// Source texts by name.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: IndexVec<SourceId, Source>,
}

#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: String,
    /// Where each line begins.
    lines: Vec<usize>,
    is_code: bool,
}

impl Sources {
    /// The greatest size of a source text: positions are 32-bit.
    pub const MAX_BYTES: usize = u32::MAX as usize - 1;

    /// No sources.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text. It must not be longer than [`Sources::MAX_BYTES`].
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.add_text(name.into(), text.into(), false)
    }

    /// Adds a text in a language whose statements are several steps each: people rather read the
    /// statements than the steps.
    pub fn add_code(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.add_text(name.into(), text.into(), true)
    }

    fn add_text(&mut self, name: String, text: String, is_code: bool) -> SourceId {
        assert!(text.len() <= Self::MAX_BYTES, "callers refuse larger texts");
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        self.texts.push(Source { name, text, lines, is_code })
    }

    /// Whether one statement of a text is several steps.
    pub fn is_code(&self, source: SourceId) -> bool {
        self.texts[source].is_code
    }

    /// Whether there are texts whose statements are several steps.
    pub fn have_code(&self) -> bool {
        self.texts.iter().any(|source| source.is_code)
    }

    /// The name of a source.
    pub fn name(&self, source: SourceId) -> &str {
        &self.texts[source].name
    }

    /// The names of all sources.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|source| source.name.as_str())
    }

    /// The text of a source.
    pub fn text(&self, source: SourceId) -> &str {
        &self.texts[source].text
    }

    /// The text of a span, if it has a source.
    pub fn excerpt(&self, span: Span) -> Option<&str> {
        let source = span.source?;
        self.text(source).get(span.start as usize..span.end as usize)
    }

    /// The line and the column (in characters) of a byte offset, both from 1.
    pub fn line_column(&self, source: SourceId, offset: u32) -> (usize, usize) {
        let Source { text, lines, .. } = &self.texts[source];
        let offset = (offset as usize).min(text.len());
        let line = lines.partition_point(|start| *start <= offset);
        let before = &text.as_bytes()[lines[line - 1]..offset];
        // Counting the bytes that begin a character works at any offset, also inside one.
        let column = before.iter().filter(|byte| (**byte & 0xC0) != 0x80).count() + 1;
        (line, column)
    }
}

/// A piece of a source text: bytes `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The text; nothing for what no text stands behind.
    pub source: Option<SourceId>,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The span of what no text stands behind, such as programs built in tests.
    pub const NONE: Self = Self { source: None, start: 0, end: 0 };

    /// Bytes `range` of `source`.
    pub fn new(source: SourceId, range: std::ops::Range<usize>) -> Self {
        let offset = |at| u32::try_from(at).expect("sources are smaller than 4 GiB");
        Self { source: Some(source), start: offset(range.start), end: offset(range.end) }
    }

    /// The span from the start of this to the end of `other`, both in one source.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if self.source.is_none() {
            return other;
        }
        if other.source != self.source {
            return self;
        }
        Self { end: other.end.max(self.end), start: self.start.min(other.start), ..self }
    }
}

/// A place in a source text where a statement can be inserted. Two edges with the same insertion
/// point (copies of a thread, inlined calls) share one decision and one cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InsertionPoint {
    /// The text.
    pub source: SourceId,
    /// The byte before which to insert.
    pub offset: u32,
}

/// Why there is no place to insert a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoInsertion {
    /// It would be in the middle of an expression or of one atomic statement.
    InsideExpression,
    /// It would be in the head of a loop, which is reached both from before and from inside it.
    LoopHead,
    /// The path has no text of its own, such as the missing `else` of an `if`.
    NoTextOfItsOwn,
    /// No source text stands behind it.
    NoSource,
}

/// Where a statement can be inserted, or why nowhere.
pub type Insertion = Result<InsertionPoint, NoInsertion>;

impl std::fmt::Display for NoInsertion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::InsideExpression => "inside an expression",
            Self::LoopHead => "in the head of a loop",
            Self::NoTextOfItsOwn => "on a path without text of its own",
            Self::NoSource => "not in any source text",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters() {
        let mut sources = Sources::new();
        let id = sources.add("a", "äb\nc\n");
        for (offset, expected) in [
            (0, (1, 1)),
            (2, (1, 2)),
            (3, (1, 3)),
            (4, (2, 1)),
            (5, (2, 2)),
            (6, (3, 1)),
            (99, (3, 1)),
        ] {
            assert_eq!(sources.line_column(id, offset), expected, "offset {offset}");
        }
    }
}
