//! Which parts of a syntax tree to believe.
//!
//! tree-sitter goes on after what it does not understand: macros that are not expressions, and
//! branches of `#if` that open a block which is closed elsewhere. What it makes of the text just
//! behind such a spot may be wrong: after `FOREACH(x)` an assignment looks like the next statement
//! and is the body of a loop. What is enclosed in brackets that fit does no harm outside of them.

use crate::syntax::{children, descend, is_comment};
use crate::tree::Node;

/// Whether a statement is where it seems to be: neither itself broken nor behind something broken.
pub(crate) fn is_sound(statement: Node<'_>) -> bool {
    !spreads(statement) && !is_behind_error(statement)
}

/// Whether something broken stands directly in front.
pub(crate) fn is_behind_error(node: Node<'_>) -> bool {
    std::iter::successors(node.prev_sibling(), Node::prev_sibling)
        .find(|before| !is_comment(*before))
        .is_some_and(spreads)
}

/// Whether a node has an error that is not enclosed in brackets.
pub(crate) fn spreads(node: Node<'_>) -> bool {
    let mut found = false;
    descend(node, |inner| {
        found |= inner.is_error() || inner.is_missing();
        !found && inner.has_error() && !brackets_fit(inner)
    });
    found
}

/// Whether a node is enclosed in brackets of its own, both of which are in the text.
fn brackets_fit(node: Node<'_>) -> bool {
    let mut inside = children(node);
    let (first, last) = (inside.next(), inside.next_back());
    let is = |node: Option<Node<'_>>, kinds: [&str; 3]| {
        node.is_some_and(|node| !node.is_missing() && kinds.contains(&node.kind()))
    };
    is(first, ["(", "{", "["]) && is(last, [")", "}", "]"])
}
