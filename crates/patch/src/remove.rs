//! How a fence is taken out.
//!
//! A fence goes with its line if nothing else is on it. Where a statement is needed an empty one
//! stays.

use crate::edit::Effect;
use crate::fence::is_instruction;
use crate::language::Language;
use crate::place::Refusal;
use crate::splice::Splice;
use crate::syntax::{Syntax, ancestors, children, is_field};
use crate::tree::Node;

/// Takes out the fence at a location.
pub(crate) fn fence_at(syntax: &Syntax, offset: usize) -> Result<Effect, Refusal> {
    let leaf = syntax.leaf(offset).ok_or(Refusal::NotAFence)?;
    let mut reason = Refusal::NotAFence;
    for node in ancestors(leaf) {
        match node.kind() {
            "preproc_def" | "preproc_function_def" | "macro_definition" => {
                reason = Refusal::MacroDefinition;
            }
            // Nothing is left of `unsafe` around a fence either.
            _ if is_alone_in_unsafe(syntax, node) => {}
            "expression_statement" if reason == Refusal::NotAFence => {
                let inside = children(node).next().filter(|inside| is_fence(syntax, *inside));
                if inside.is_some() {
                    return remove_statement(syntax, node);
                }
            }
            "call_expression" | "macro_invocation" | "unsafe_block"
                if is_fence(syntax, node) && reason == Refusal::NotAFence =>
            {
                let Some(around) = node.parent() else { break };
                match around.kind() {
                    "block" => return remove_statement(syntax, node),
                    "match_arm" => {
                        return Ok(effect(vec![Splice::replace(node.byte_range(), "{}")]));
                    }
                    "expression_statement" | "unsafe_block" => {}
                    _ => return Err(Refusal::FenceInExpression),
                }
            }
            _ => {}
        }
    }
    Err(reason)
}

fn is_alone_in_unsafe(syntax: &Syntax, node: Node<'_>) -> bool {
    node.parent()
        .and_then(|block| block.parent())
        .is_some_and(|around| around.kind() == "unsafe_block" && is_fence(syntax, around))
}

fn effect(splices: Vec<Splice>) -> Effect {
    Effect { splices, uses_atomics: false }
}

fn remove_statement(syntax: &Syntax, statement: Node<'_>) -> Result<Effect, Refusal> {
    let mut range = statement.byte_range();
    // The `;` behind a block is a statement of its own.
    if let Some(next) = statement.next_sibling().filter(|it| it.kind() == "empty_statement") {
        range.end = next.end_byte();
    }
    let needed = statement.parent().is_some_and(|around| match around.kind() {
        "compound_statement" | "block" | "preproc_if" | "preproc_ifdef" | "preproc_else"
        | "preproc_elif" | "preproc_elifdef" => false,
        // A label needs a statement, this one or another.
        "case_statement" => {
            let is_other = |child: &Node<'_>| {
                child.is_named() && *child != statement && !is_field(around, "value", *child)
            };
            !children(around).any(|child| is_other(&child))
        }
        _ => true,
    });
    if needed {
        return Ok(effect(vec![Splice::replace(range, ";")]));
    }
    if statement.prev_sibling().is_some_and(|before| before.kind() == "attribute_item") {
        return Err(Refusal::HasAttribute);
    }
    let (before, behind) = syntax.around_on_line(&range);
    let range = if before.trim().is_empty() && behind.trim().is_empty() {
        let end = range.end + behind.len();
        // The line end goes too.
        let line_end = syntax.text()[end..].find('\n').map_or(0, |at| at + 1);
        range.start - before.len()..end + line_end
    } else if before.trim().is_empty() {
        range.start..range.end + (behind.len() - behind.trim_start().len())
    } else {
        range.start - (before.len() - before.trim_end().len())..range.end
    };
    Ok(effect(vec![Splice::replace(range, "")]))
}

/// Whether an expression is a fence and nothing else.
fn is_fence(syntax: &Syntax, node: Node<'_>) -> bool {
    match (syntax.language(), node.kind()) {
        (Language::C, "call_expression") => {
            node.child_by_field_name("function").is_some_and(|name| {
                matches!(
                    syntax.of(name),
                    "atomic_thread_fence"
                        | "__sync_synchronize"
                        | "__atomic_thread_fence"
                        | "__c11_atomic_thread_fence"
                        | "_mm_mfence"
                        | "_mm_sfence"
                        | "_mm_lfence"
                        | "__builtin_ia32_mfence"
                        | "__builtin_ia32_sfence"
                        | "__builtin_ia32_lfence"
                )
            })
        }
        (Language::C, "gnu_asm_expression") => {
            node.child_by_field_name("assembly_code")
                .is_some_and(|code| is_barrier(syntax.of(code)))
                && node
                    .child_by_field_name("output_operands")
                    .is_none_or(|it| it.named_child_count() == 0)
        }
        (Language::Rust(_), "call_expression") => {
            node.child_by_field_name("function").is_some_and(|name| {
                matches!(
                    syntax.of(name).rsplit("::").next(),
                    Some("fence" | "_mm_mfence" | "_mm_sfence" | "_mm_lfence")
                )
            })
        }
        (Language::Rust(_), "macro_invocation") => {
            let is_asm = node
                .child_by_field_name("macro")
                .is_some_and(|name| syntax.of(name).rsplit("::").next() == Some("asm"));
            let code = children(node)
                .find(|child| child.kind() == "token_tree")
                .and_then(|tokens| children(tokens).find(Node::is_named));
            is_asm && code.is_some_and(|code| is_barrier(syntax.of(code)))
        }
        (Language::Rust(_), "unsafe_block") => {
            let statements: Vec<Node<'_>> = children(node)
                .find(|child| child.kind() == "block")
                .map(|block| children(block).filter(Node::is_named).collect())
                .unwrap_or_default();
            match statements[..] {
                [only] if only.kind() == "expression_statement" => {
                    children(only).next().is_some_and(|inside| is_fence(syntax, inside))
                }
                [only] => is_fence(syntax, only),
                _ => false,
            }
        }
        (Language::C | Language::Rust(_), _) => false,
    }
}

/// Whether the text of a string literal is a fence of a machine.
fn is_barrier(literal: &str) -> bool {
    let code = literal.trim_matches('"').replace("\\n", "\n").replace("\\t", " ");
    is_instruction(&code)
}
