//! How control can leave a piece of text otherwise than at its end.

use std::ops::Range;

use crate::syntax::{ancestors, children, descend};
use crate::tree::Node;

/// The parts of a piece of C from which control can leave it.
pub(crate) fn in_c(piece: Node<'_>) -> Vec<Range<usize>> {
    let stays = |jump: Node<'_>, catchers: &[&str]| {
        inside(piece, jump).any(|around| catchers.contains(&around.kind()))
    };
    let loops = ["while_statement", "do_statement", "for_statement"];
    let mut found = Vec::new();
    descend(piece, |node| {
        let leaves = match node.kind() {
            "return_statement" | "goto_statement" | "gnu_asm_goto_list" => true,
            "break_statement" => !stays(node, &loops) && !stays(node, &["switch_statement"]),
            "continue_statement" => !stays(node, &loops),
            _ => false,
        };
        if leaves {
            found.push(node.byte_range());
        }
        true
    });
    found
}

/// The parts of a piece of Rust from which control can leave it. A jump to a label leaves it,
/// unless the label is inside.
pub(crate) fn in_rust(piece: Node<'_>, text: &str) -> Vec<Range<usize>> {
    let label_of = |node: Node<'_>| {
        children(node).find(|child| child.kind() == "label").map(|label| &text[label.byte_range()])
    };
    let is_loop = |node: Node<'_>| {
        matches!(node.kind(), "while_expression" | "loop_expression" | "for_expression")
    };
    let mut found = Vec::new();
    descend(piece, |node| {
        let leaves = match node.kind() {
            // Another function, which returns to where it is called.
            "closure_expression" | "function_item" | "async_block" => return false,
            "return_expression" | "try_expression" => true,
            "break_expression" | "continue_expression" => match label_of(node) {
                Some(label) => !inside(piece, node)
                    .any(|around| around != node && label_of(around) == Some(label)),
                None => !inside(piece, node).any(is_loop),
            },
            // The arguments of a macro are tokens only.
            "token_tree" => children(node).any(|token| {
                matches!(&text[token.byte_range()], "?" | "return" | "break" | "continue")
            }),
            _ => false,
        };
        if leaves {
            found.push(node.byte_range());
        }
        true
    });
    found
}

/// A node and what is around it, up to a piece of text.
fn inside<'a>(piece: Node<'a>, node: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    let mut outside = false;
    ancestors(node).take_while(move |around| !std::mem::replace(&mut outside, *around == piece))
}
