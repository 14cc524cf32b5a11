//! The places of Rust.
//!
//! What makes Rust different from C is when temporaries are dropped, for a drop may unlock a mutex.
//! The compiler locates a drop at the last character of the scope that ends with it, so:
//! - statements: temporaries die at the `;`, which is part of the place, and the fence follows;
//! - conditions, guards, closure bodies and `match` arms end the lives of their temporaries
//!   themselves: the drops are part of the place, so the value is kept in a variable and the fence
//!   comes after the statement that does so;
//! - what is matched, returned or (before 2024) a block's last expression has temporaries that live
//!   on: their drops are not part of the place, so the fence must come before them, and nothing may
//!   end their lives earlier. `(e, fence()).0` does exactly that: `e` and the fence are evaluated in
//!   this order, in the same scope of temporaries as `e` alone.
//!
//! A tuple moves or copies its parts, and so does every position where an expression is returned.
//! A matched expression is not moved if it names memory; then it is refused.

use crate::errors::{is_sound, spreads};
use crate::exits;
use crate::place::{Place, PlaceKind, Refusal};
use crate::syntax::{Answer, Syntax, ancestors, children, is_field};
use crate::tree::Node;

/// Whether a node is a place.
pub(crate) fn ask(syntax: &Syntax, node: Node<'_>) -> Answer {
    if node.is_error() {
        return Answer::None(Refusal::SyntaxError);
    }
    let Some(parent) = node.parent() else {
        return Answer::None(Refusal::NoStatement);
    };
    let answer = match (node.kind(), parent.kind()) {
        ("macro_definition", _) => Answer::None(Refusal::MacroDefinition),
        ("const_item" | "static_item" | "const_block" | "array_type" | "enum_variant", _) => {
            Answer::None(Refusal::Constant)
        }
        ("function_item" | "closure_expression" | "attribute_item", _) => {
            Answer::None(Refusal::NoStatement)
        }
        ("let_declaration", _) => ended(syntax, node),
        ("expression_statement", _) => expression_statement(syntax, node),
        (_, "block") => in_block(syntax, node, parent),
        (_, "match_arm") if is_field(parent, "value", node) => {
            body(syntax, node, PlaceKind::BodyExpression)
        }
        (_, "match_arm") => Answer::AskElse(Refusal::Pattern),
        (_, "closure_expression") if is_field(parent, "body", node) => {
            body(syntax, node, PlaceKind::BodyExpression)
        }
        ("let_chain" | "let_condition", _) => Answer::Ask,
        (_, "if_expression" | "while_expression" | "match_pattern")
            if is_field(parent, "condition", node) =>
        {
            whole(syntax, node, PlaceKind::Condition)
        }
        (_, "let_chain") if node.is_named() => whole(syntax, node, PlaceKind::Condition),
        (_, "let_condition" | "match_expression") if is_field(parent, "value", node) => {
            scrutinee(syntax, node)
        }
        (_, "let_condition") if is_field(parent, "pattern", node) => {
            Answer::AskElse(Refusal::Pattern)
        }
        (_, "for_expression") if !is_field(parent, "body", node) => {
            Answer::AskElse(Refusal::ForHeader)
        }
        (_, "return_expression" | "break_expression")
            if node.is_named() && node.kind() != "label" =>
        {
            body(syntax, node, PlaceKind::ReturnValue)
        }
        _ => Answer::Ask,
    };
    match answer {
        Answer::Place(_) if is_constant(node) => Answer::None(Refusal::Constant),
        Answer::Place(_) | Answer::None(_) | Answer::Ask | Answer::AskElse(_) => answer,
    }
}

fn place(syntax: &Syntax, node: Node<'_>, kind: PlaceKind) -> Answer {
    Answer::Place(Place {
        range: node.byte_range(),
        point: node.end_byte(),
        kind,
        exits: exits::in_rust(node, syntax.text()),
    })
}

/// A statement that ends with a semicolon.
fn ended(syntax: &Syntax, node: Node<'_>) -> Answer {
    if !is_sound(node) || node.child(0).is_none() {
        return Answer::None(Refusal::SyntaxError);
    }
    place(syntax, node, PlaceKind::Statement)
}

fn expression_statement(syntax: &Syntax, node: Node<'_>) -> Answer {
    let expression = children(node).next();
    let semicolon = children(node).next_back().is_some_and(|last| last.kind() == ";");
    match expression {
        Some(expression) if semicolon && never_left(syntax, expression) => {
            Answer::None(Refusal::NeverLeft)
        }
        Some(_) if semicolon => ended(syntax, node),
        // A branch or loop by itself: what is inside of it has places, it has none as a whole.
        Some(_) | None => Answer::None(Refusal::NoStatement),
    }
}

/// Something that is directly in a block and no statement: a macro's use, or the block's value.
fn in_block(syntax: &Syntax, node: Node<'_>, block: Node<'_>) -> Answer {
    if !node.is_named() || node.kind() == "label" {
        return Answer::Ask;
    }
    let is_item = node.kind().ends_with("_item")
        || matches!(
            node.kind(),
            "empty_statement" | "use_declaration" | "extern_crate_declaration" | "associated_type"
        );
    if is_item {
        return Answer::None(Refusal::NoStatement);
    }
    if children(block).rfind(Node::is_named) == Some(node) {
        return if is_sound(node) {
            body(syntax, node, PlaceKind::TailExpression)
        } else {
            Answer::None(Refusal::SyntaxError)
        };
    }
    match node.kind() {
        "macro_invocation" => ended(syntax, node),
        _ => Answer::None(Refusal::NoStatement),
    }
}

/// An expression whose value goes somewhere else from here.
fn body(syntax: &Syntax, node: Node<'_>, kind: PlaceKind) -> Answer {
    if never_left(syntax, node) {
        return Answer::None(Refusal::NeverLeft);
    }
    match node.kind() {
        // These have places inside of them.
        "block" | "unsafe_block" | "if_expression" | "match_expression" | "while_expression"
        | "loop_expression" | "for_expression" | "closure_expression" | "async_block"
        | "const_block" | "try_block" | "gen_block" => Answer::Ask,
        _ => whole(syntax, node, kind),
    }
}

fn whole(syntax: &Syntax, node: Node<'_>, kind: PlaceKind) -> Answer {
    if spreads(node) { Answer::None(Refusal::SyntaxError) } else { place(syntax, node, kind) }
}

fn scrutinee(syntax: &Syntax, node: Node<'_>) -> Answer {
    let names_memory = |node: Node<'_>| match node.kind() {
        "identifier" | "self" | "field_expression" | "index_expression" | "scoped_identifier" => {
            true
        }
        "unary_expression" => children(node).next().is_some_and(|sign| sign.kind() == "*"),
        _ => false,
    };
    let mut bare = node;
    while bare.kind() == "parenthesized_expression"
        && let Some(inside) = children(bare).find(Node::is_named)
    {
        bare = inside;
    }
    if names_memory(bare) {
        return Answer::None(Refusal::MatchedInPlace);
    }
    whole(syntax, node, PlaceKind::Scrutinee)
}

/// Whether it can be seen that control does not arrive at the end of an expression.
fn never_left(syntax: &Syntax, node: Node<'_>) -> bool {
    match node.kind() {
        "return_expression" | "break_expression" | "continue_expression" => true,
        "macro_invocation" => node.child_by_field_name("macro").is_some_and(|name| {
            matches!(
                syntax.of(name).rsplit("::").next(),
                Some("panic" | "unreachable" | "todo" | "unimplemented")
            )
        }),
        _ => false,
    }
}

/// Whether the code around a node may be run by the compiler, where fences are not allowed.
fn is_constant(node: Node<'_>) -> bool {
    ancestors(node)
        .find_map(|around| match around.kind() {
            "closure_expression" | "async_block" => Some(false),
            "function_item" => Some(children(around).any(|child| {
                child.kind() == "function_modifiers"
                    && children(child).any(|word| word.kind() == "const")
            })),
            "const_item" | "static_item" | "const_block" | "array_type" | "enum_variant" => {
                Some(true)
            }
            _ => None,
        })
        .unwrap_or(true)
}
