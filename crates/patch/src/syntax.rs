//! A parsed text, and what is asked of it.

use std::ops::Range;

use crate::language::{Edition, Language};
use crate::place::{Place, PlaceKind, Refusal};
use crate::tree::{self, Node, Tree};
use crate::{c, expression, mask, rust};

/// A text and its syntax tree. Parts that are not understood are part of the tree too, so every
/// text has one.
pub struct Syntax {
    text: String,
    language: Language,
    tree: Tree,
    /// Where each line begins.
    lines: Vec<usize>,
}

/// What a node of the tree says when asked for a place.
pub(crate) enum Answer {
    /// It is a place.
    Place(Place),
    /// It is none, and no place is around it either.
    None(Refusal),
    /// It is part of something larger.
    Ask,
    /// As [`Answer::Ask`]; but if there is nothing larger, this is the reason.
    AskElse(Refusal),
}

impl Syntax {
    /// Parses a text.
    pub fn parse(text: &str, language: Language) -> Self {
        let masked = match language {
            Language::C => mask::for_grammar(text),
            Language::Rust(Edition::UpTo2021 | Edition::From2024) => text.into(),
        };
        let tree = tree::parse(&masked, language);
        let lines = std::iter::once(0)
            .chain(
                text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1),
            )
            .collect();
        Self { text: text.to_owned(), language, tree, lines }
    }

    /// The byte at a line and column as clang and rustc count them: from one, in bytes.
    /// None if there is no such line, or if it is shorter. A column of zero means the whole line
    /// and is taken for its first word.
    pub fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let line = usize::try_from(line.checked_sub(1)?).ok()?;
        let start = *self.lines.get(line)?;
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len());
        let indent = || {
            let text = &self.text[start..end];
            text.len() - text.trim_start().len()
        };
        let column = match column.checked_sub(1) {
            Some(column) => usize::try_from(column).ok()?,
            None => indent(),
        };
        (start + column < end).then_some(start + column)
    }

    /// The innermost place that contains the location.
    pub fn place_at(&self, offset: usize) -> Result<Place, Refusal> {
        let mut reason = Refusal::NoStatement;
        let mut next = self.leaf(offset);
        while let Some(node) = next {
            match self.ask(node) {
                Answer::Place(place) => {
                    // Of two places that end together, the inner one has the point.
                    let unique = self.place_with_point(place.point).as_ref() == Some(&place);
                    return if unique { Ok(place) } else { Err(Refusal::NoStatement) };
                }
                Answer::None(refusal) => {
                    return Err(if reason == Refusal::NoStatement { refusal } else { reason });
                }
                Answer::Ask => {}
                Answer::AskElse(refusal) => reason = refusal,
            }
            next = node.parent();
        }
        Err(reason)
    }

    /// All places, in the order of their points.
    pub fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        descend(self.root(), |node| {
            if let Answer::Place(place) = self.ask(node) {
                places.push(place);
            }
            true
        });
        // Of places with one point the inner one, which is the shorter one.
        places.sort_by_key(|place| (place.point, place.range.len()));
        places.dedup_by_key(|place| place.point);
        places
    }

    /// What the place with a point is, if there is one.
    pub fn kind_of_place(&self, point: usize) -> Option<PlaceKind> {
        self.place_with_point(point).map(|place| place.kind)
    }

    /// The text to show for an access located there: the whole assignment, call or operand.
    pub fn expression_at(&self, offset: usize) -> Range<usize> {
        let Some(leaf) = self.leaf(offset) else {
            return self.text.len()..self.text.len();
        };
        match self.language {
            Language::C => expression::in_c(leaf).byte_range(),
            Language::Rust(Edition::UpTo2021 | Edition::From2024) => {
                expression::in_rust(leaf).byte_range()
            }
        }
    }

    /// The text that a load located there reads: in C, of several that begin there the one with so many subscripts, or
    /// with all if that is not known.
    pub fn loaded_at(&self, offset: usize, subscripts: Option<usize>) -> Range<usize> {
        match (self.language, self.leaf(offset)) {
            (Language::C, Some(leaf)) => expression::loaded_in_c(leaf, subscripts).byte_range(),
            (Language::C | Language::Rust(_), _) => self.expression_at(offset),
        }
    }

    /// The name and the text of the function definition around a location.
    pub fn function_at(&self, offset: usize) -> Option<(&str, Range<usize>)> {
        let mut around = ancestors(self.leaf(offset)?);
        let (function, name) = match self.language {
            // The outermost: an `else` behind a macro looks like a function.
            Language::C => {
                let function = around.filter(|node| node.kind() == "function_definition").last()?;
                (function, c::function_name(function)?)
            }
            Language::Rust(Edition::UpTo2021 | Edition::From2024) => {
                let function = around.find(|node| node.kind() == "function_item")?;
                (function, function.child_by_field_name("name")?)
            }
        };
        Some((self.of(name), function.byte_range()))
    }

    /// The attributes (`#[…]`) of the Rust function that begins on a line, the nearest first.
    pub fn attributes_at(&self, line: u32) -> Vec<&str> {
        let row = usize::try_from(line).unwrap_or(usize::MAX).wrapping_sub(1);
        let mut found = Vec::new();
        descend(self.root(), |node| {
            if node.kind() == "function_item" && node.start_position().row == row {
                let mut before = node.prev_sibling();
                while let Some(one) = before {
                    match one.kind() {
                        "attribute_item" => found.push(self.of(one)),
                        _ if is_comment(one) => {}
                        _ => break,
                    }
                    before = one.prev_sibling();
                }
            }
            true
        });
        found
    }

    /// The innermost place with a point.
    pub(crate) fn place_with_point(&self, point: usize) -> Option<Place> {
        ancestors(self.leaf(point.checked_sub(1)?)?).find_map(|node| match self.ask(node) {
            Answer::Place(place) if place.point == point => Some(place),
            Answer::Place(_) | Answer::None(_) | Answer::Ask | Answer::AskElse(_) => None,
        })
    }

    /// The language of the text.
    pub(crate) fn language(&self) -> Language {
        self.language
    }

    /// The root of the tree.
    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// How lines end.
    pub(crate) fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// What stands on the same lines before and behind a piece of text.
    pub(crate) fn around_on_line(&self, piece: &Range<usize>) -> (&str, &str) {
        let start = self.text[..piece.start].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[piece.end..].find('\n').map_or(self.text.len(), |at| piece.end + at);
        (&self.text[start..piece.start], &self.text[piece.end..end])
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text of a node.
    pub(crate) fn of(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    /// The smallest node that is exactly a piece of text.
    pub(crate) fn node(&self, piece: &Range<usize>) -> Option<Node<'_>> {
        self.root()
            .descendant_for_byte_range(piece.start, piece.end)
            .filter(|node| node.byte_range() == *piece)
    }

    /// The smallest node at a location.
    pub(crate) fn leaf(&self, offset: usize) -> Option<Node<'_>> {
        if offset >= self.text.len() {
            return None;
        }
        self.tree.root_node().descendant_for_byte_range(offset, offset + 1)
    }

    fn ask(&self, node: Node<'_>) -> Answer {
        match self.language {
            Language::C => c::ask(self, node),
            Language::Rust(Edition::UpTo2021 | Edition::From2024) => rust::ask(self, node),
        }
    }
}

/// A node and everything around it, from the inside out.
pub(crate) fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(Some(node), Node::parent)
}

/// Visits a node and everything inside of it, from the outside in and from left to right. What is
/// inside of a node is left out if the visitor says false. Not recursive: trees may be deep.
pub(crate) fn descend<'a>(node: Node<'a>, mut visit: impl FnMut(Node<'a>) -> bool) {
    let mut cursor = node.walk();
    loop {
        if visit(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Whether a node is the named field of another.
pub(crate) fn is_field(parent: Node<'_>, field: &str, node: Node<'_>) -> bool {
    let mut cursor = parent.walk();
    parent.children_by_field_name(field, &mut cursor).any(|child| child == node)
}

/// The children of a node, without comments.
pub(crate) fn children(node: Node<'_>) -> impl DoubleEndedIterator<Item = Node<'_>> {
    (0..node.child_count()).filter_map(move |at| node.child(at)).filter(|child| !is_comment(*child))
}

/// Whether a node is a comment.
pub(crate) fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind(), "comment" | "line_comment" | "block_comment")
}
