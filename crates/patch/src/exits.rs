//! How control can leave a piece of text otherwise than at its end.

use std::ops::Range;

use tree_sitter::Node;

use crate::syntax::children;

/// What around a node, but inside of the piece of text, catches jumps.
#[derive(Clone, Copy, Default)]
struct Inside {
    /// `break` stays inside.
    breakable: bool,
    /// `continue` stays inside.
    repeated: bool,
}

/// The parts of a piece of C from which control can leave it.
pub(crate) fn in_c(piece: Node<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    collect_c(piece, Inside::default(), &mut found);
    found
}

fn collect_c(node: Node<'_>, inside: Inside, found: &mut Vec<Range<usize>>) {
    let inside = match node.kind() {
        "while_statement" | "do_statement" | "for_statement" => {
            Inside { breakable: true, repeated: true }
        }
        "switch_statement" => Inside { breakable: true, ..inside },
        _ => inside,
    };
    let leaves = match node.kind() {
        "return_statement" | "goto_statement" | "gnu_asm_goto_list" => true,
        "break_statement" => !inside.breakable,
        "continue_statement" => !inside.repeated,
        _ => false,
    };
    if leaves {
        found.push(node.byte_range());
    }
    children(node).for_each(|child| collect_c(child, inside, found));
}

/// The parts of a piece of Rust from which control can leave it. A labelled jump is taken for one
/// that leaves, unless its label is inside.
pub(crate) fn in_rust(piece: Node<'_>, text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    collect_rust(piece, text, Inside::default(), &mut Vec::new(), &mut found);
    found
}

fn collect_rust<'a>(
    node: Node<'_>,
    text: &'a str,
    mut inside: Inside,
    labels: &mut Vec<&'a str>,
    found: &mut Vec<Range<usize>>,
) {
    let label_of = |node: Node<'_>| {
        children(node).find(|child| child.kind() == "label").map(|label| &text[label.byte_range()])
    };
    let known = labels.len();
    let leaves = match node.kind() {
        // Another function, which returns to where it is called.
        "closure_expression" | "function_item" | "async_block" => return,
        "while_expression" | "loop_expression" | "for_expression" => {
            inside = Inside { breakable: true, repeated: true };
            labels.extend(label_of(node));
            false
        }
        "block" => {
            labels.extend(label_of(node));
            false
        }
        "return_expression" | "try_expression" => true,
        // The arguments of a macro are tokens only.
        "token_tree" => children(node)
            .any(|token| ["?", "return", "break", "continue"].contains(&&text[token.byte_range()])),
        "break_expression" | "continue_expression" => match label_of(node) {
            Some(label) => !labels.contains(&label),
            None if node.kind() == "break_expression" => !inside.breakable,
            None => !inside.repeated,
        },
        _ => false,
    };
    if leaves {
        found.push(node.byte_range());
    }
    children(node).for_each(|child| collect_rust(child, text, inside, labels, found));
    labels.truncate(known);
}
