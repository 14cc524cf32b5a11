//! What to show of the text for an access located somewhere.
//!
//! clang locates a store at its `=`, a declaration's at the variable, a load at its operand (of
//! `p->f` at `f`, of `a[i]` at `a`), a call at its callee. rustc locates everything at the start of
//! its expression, but a method call at the method's name.

use crate::syntax::is_field;
use crate::tree::Node;

/// The expression of C that an access located at a leaf belongs to.
pub(crate) fn in_c(leaf: Node<'_>) -> Node<'_> {
    let mut node = leaf;
    while let Some(parent) = node.parent() {
        let belongs = match parent.kind() {
            // `*p` is located at its star, `x++` at its plus, and both contain another access.
            "assignment_expression"
            | "binary_expression"
            | "conditional_expression"
            | "comma_expression"
            | "cast_expression"
            | "initializer_pair"
            | "initializer_list"
            | "parenthesized_expression"
            | "return_statement"
            | "pointer_expression"
            | "update_expression"
            | "unary_expression"
            | "argument_list" => is_word(node),
            "subscript_expression" => is_word(node) || is_field(parent, "argument", node),
            "field_expression" => is_word(node) || is_field(parent, "field", node),
            "call_expression" => is_field(parent, "function", node) || node.kind() == "(",
            "init_declarator" => is_word(node) || is_field(parent, "declarator", node),
            "pointer_declarator"
            | "array_declarator"
            | "string_literal"
            | "concatenated_string"
            | "gnu_asm_expression"
            | "sizeof_expression"
            | "generic_expression" => true,
            _ => false,
        };
        if !belongs {
            break;
        }
        node = parent;
        // An argument list stands for its call.
        if node.kind() == "argument_list"
            && let Some(call) = node.parent()
        {
            node = call;
        }
    }
    node
}

/// The expression of C that a load reads, located at a leaf: of those that begin there, the one with so many
/// subscripts, or with all if that is not known. clang locates the loads of `p`, of `p->f[i]` and of `p->f[i][j]` at `p`.
pub(crate) fn loaded_in_c(leaf: Node<'_>, subscripts: Option<usize>) -> Node<'_> {
    // A field is located at its name, and an element of it where the whole begins.
    if let Some(field) = leaf.parent().filter(|parent| is_field(*parent, "field", leaf)) {
        return field;
    }
    let called = leaf.parent().filter(|parent| is_field(*parent, "function", leaf));
    let first = called.unwrap_or(leaf);
    let is_name = matches!(first.kind(), "identifier" | "call_expression");
    let (mut node, mut loaded, mut count) = (first, first, 0);
    while let Some(parent) = node.parent().filter(|parent| is_field(*parent, "argument", node)) {
        match parent.kind() {
            "subscript_expression" if subscripts != Some(count) => {
                count += 1;
                loaded = parent;
            }
            "field_expression" => {}
            _ => break,
        }
        node = parent;
    }
    let is_subscripted = first.parent().is_some_and(|parent| {
        is_field(parent, "argument", first)
            && matches!(parent.kind(), "subscript_expression" | "field_expression")
    });
    if is_name && is_subscripted && subscripts.is_none_or(|all| all == count) {
        return loaded;
    }
    in_c(leaf)
}

/// The expression of Rust that an access located at a leaf belongs to.
pub(crate) fn in_rust(leaf: Node<'_>) -> Node<'_> {
    let mut node = leaf;
    while let Some(parent) = node.parent() {
        let begins = node.start_byte() == parent.start_byte();
        let belongs = match parent.kind() {
            "assignment_expression"
            | "compound_assignment_expr"
            | "index_expression"
            | "try_expression"
            | "type_cast_expression" => begins || is_word(node),
            "field_expression" | "scoped_identifier" | "generic_function" | "token_tree"
            | "macro_invocation" | "string_literal" => true,
            "call_expression" => is_field(parent, "function", node),
            "unary_expression"
            | "reference_expression"
            | "binary_expression"
            | "arguments"
            | "parenthesized_expression"
            | "tuple_expression"
            | "array_expression"
            | "return_expression"
            | "break_expression" => is_word(node),
            _ => false,
        };
        if !belongs {
            break;
        }
        node = parent;
        if node.kind() == "arguments"
            && let Some(call) = node.parent()
        {
            node = call;
        }
    }
    node
}

/// Operators, brackets and keywords: nothing by themselves.
fn is_word(node: Node<'_>) -> bool {
    !node.is_named()
}
