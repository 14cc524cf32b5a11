//! How a fence that is there is made sequentially consistent.

use crate::edit::Effect;
use crate::language::Language;
use crate::place::Refusal;
use crate::splice::Splice;
use crate::store::spelled;
use crate::syntax::{Syntax, ancestors, children};
use crate::tree::Node;

/// The weaker orders of a fence, and the strongest, in one family of names.
struct Words {
    weaker: [&'static str; 3],
    strongest: &'static str,
}

const STDATOMIC: Words = Words {
    weaker: ["memory_order_acquire", "memory_order_release", "memory_order_acq_rel"],
    strongest: "memory_order_seq_cst",
};
const BUILTIN: Words = Words {
    weaker: ["__ATOMIC_ACQUIRE", "__ATOMIC_RELEASE", "__ATOMIC_ACQ_REL"],
    strongest: "__ATOMIC_SEQ_CST",
};
const RUST: Words = Words { weaker: ["Acquire", "Release", "AcqRel"], strongest: "SeqCst" };

/// Makes the fence at a location sequentially consistent.
pub(crate) fn fence_at(syntax: &Syntax, offset: usize) -> Result<Effect, Refusal> {
    let leaf = syntax.leaf(offset).ok_or(Refusal::NotAFence)?;
    for node in ancestors(leaf) {
        match node.kind() {
            "preproc_def" | "preproc_function_def" | "macro_definition" => {
                return Err(Refusal::MacroDefinition);
            }
            "token_tree" => return Err(Refusal::MacroArgument),
            "call_expression" => {
                if let Some(words) = fence(syntax, node) {
                    return strengthen(syntax, node, &words);
                }
            }
            "expression_statement" | "declaration" | "let_declaration" | "block" => break,
            _ => {}
        }
    }
    Err(Refusal::NotAFence)
}

/// The words of a fence, if a call is one.
fn fence(syntax: &Syntax, call: Node<'_>) -> Option<Words> {
    let function = call.child_by_field_name("function")?;
    let name = match function.kind() {
        "scoped_identifier" => function.child_by_field_name("name")?,
        _ => function,
    };
    match (syntax.language(), syntax.of(name)) {
        (Language::C, "atomic_thread_fence") => Some(STDATOMIC),
        (Language::C, "__atomic_thread_fence" | "__c11_atomic_thread_fence") => Some(BUILTIN),
        (Language::Rust(_), "fence") => Some(RUST),
        (Language::C | Language::Rust(_), _) => None,
    }
}

fn strengthen(syntax: &Syntax, call: Node<'_>, words: &Words) -> Result<Effect, Refusal> {
    let list = call.child_by_field_name("arguments").ok_or(Refusal::NotAFence)?;
    let order = children(list).find(Node::is_named).ok_or(Refusal::UnknownOrder)?;
    let text = syntax.of(order);
    let (path, constant) = text.rsplit_once("::").map_or(("", text), |(path, it)| (path, it));
    // What `memory_order_acq_rel` is called in C may be called so through either family.
    let written = [words, &STDATOMIC, &BUILTIN]
        .into_iter()
        .find(|words| words.weaker.contains(&constant))
        .ok_or(Refusal::UnknownOrder)?;
    let stronger = spelled(syntax, order, path, written.strongest);
    Ok(Effect { splices: vec![Splice::replace(order.byte_range(), stronger)], uses_atomics: false })
}
