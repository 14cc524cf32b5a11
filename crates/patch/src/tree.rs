//! Syntax trees: those of tree-sitter.
//!
//! Its grammars are written in C and need a C library. WebAssembly in a browser has none, nor a compiler whose
//! locations could be looked up: there every text is one node that was not understood, as if all of it were an
//! error, and so has no places.

use crate::language::Language;

#[cfg(not(target_family = "wasm"))]
pub(crate) use tree_sitter::{Node, Tree};
#[cfg(target_family = "wasm")]
pub(crate) use without_grammars::{Node, Tree};

/// The tree of a text.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn parse(text: &str, language: Language) -> Tree {
    use crate::language::Edition;

    let grammar = match language {
        Language::C => tree_sitter_c::LANGUAGE,
        Language::Rust(Edition::UpTo2021 | Edition::From2024) => tree_sitter_rust::LANGUAGE,
    };
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&grammar.into()).expect("the grammar fits the library");
    parser.parse(text, None).expect("a parser with a grammar and no time limit")
}

/// The tree of a text of which nothing is understood.
#[cfg(target_family = "wasm")]
pub(crate) fn parse(text: &str, _: Language) -> Tree {
    Tree::new(text)
}

/// What is used of tree-sitter, for trees of one node.
#[cfg(target_family = "wasm")]
mod without_grammars {
    use std::marker::PhantomData;
    use std::ops::Range;

    pub(crate) struct Tree {
        length: usize,
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(crate) struct Node<'tree> {
        length: usize,
        tree: PhantomData<&'tree Tree>,
    }

    pub(crate) struct Cursor<'tree>(Node<'tree>);

    pub(crate) struct Point {
        pub(crate) row: usize,
    }

    impl Tree {
        pub(super) fn new(text: &str) -> Self {
            Self { length: text.len() }
        }

        pub(crate) fn root_node(&self) -> Node<'_> {
            Node { length: self.length, tree: PhantomData }
        }
    }

    impl<'tree> Node<'tree> {
        pub(crate) fn kind(&self) -> &'tree str {
            "ERROR"
        }
        pub(crate) fn is_named(&self) -> bool {
            true
        }
        pub(crate) fn is_error(&self) -> bool {
            true
        }
        pub(crate) fn has_error(&self) -> bool {
            true
        }
        pub(crate) fn is_missing(&self) -> bool {
            false
        }
        pub(crate) fn start_byte(&self) -> usize {
            0
        }
        pub(crate) fn end_byte(&self) -> usize {
            self.length
        }
        pub(crate) fn byte_range(&self) -> Range<usize> {
            0..self.length
        }
        pub(crate) fn start_position(&self) -> Point {
            Point { row: 0 }
        }
        pub(crate) fn parent(&self) -> Option<Self> {
            None
        }
        pub(crate) fn prev_sibling(&self) -> Option<Self> {
            None
        }
        pub(crate) fn next_sibling(&self) -> Option<Self> {
            None
        }
        pub(crate) fn child_count(&self) -> u32 {
            0
        }
        pub(crate) fn child(&self, _: u32) -> Option<Self> {
            None
        }
        pub(crate) fn named_child_count(&self) -> usize {
            0
        }
        pub(crate) fn named_child(&self, _: u32) -> Option<Self> {
            None
        }
        pub(crate) fn child_by_field_name(&self, _: &str) -> Option<Self> {
            None
        }
        pub(crate) fn children_by_field_name(
            &self,
            _: &str,
            _: &mut Cursor<'tree>,
        ) -> impl Iterator<Item = Node<'tree>> {
            std::iter::empty()
        }
        pub(crate) fn descendant_for_byte_range(&self, _: usize, end: usize) -> Option<Self> {
            (end <= self.length).then_some(*self)
        }
        pub(crate) fn walk(&self) -> Cursor<'tree> {
            Cursor(*self)
        }
    }

    impl<'tree> Cursor<'tree> {
        pub(crate) fn node(&self) -> Node<'tree> {
            self.0
        }
        pub(crate) fn goto_first_child(&mut self) -> bool {
            false
        }
        pub(crate) fn goto_next_sibling(&mut self) -> bool {
            false
        }
        pub(crate) fn goto_parent(&mut self) -> bool {
            false
        }
    }
}
