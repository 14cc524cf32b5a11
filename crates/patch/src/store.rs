//! How an atomic store is made sequentially consistent, or release.
//!
//! On x86 a sequentially consistent store is a locked instruction and a release store is a plain
//! one. An exchange whose result nobody uses is a store with such an instruction. Only what is
//! written out in the text is changed: a known operation with its order as a constant.

use crate::edit::Effect;
use crate::imports;
use crate::language::Language;
use crate::place::Refusal;
use crate::splice::Splice;
use crate::syntax::{Syntax, ancestors, children, is_field};
use crate::tree::Node;

/// Makes the store at a location sequentially consistent.
pub(crate) fn lock(syntax: &Syntax, offset: usize) -> Result<Effect, Refusal> {
    change(syntax, offset, Strength::SequentiallyConsistent)
}

/// Makes the store at a location release.
pub(crate) fn unlock(syntax: &Syntax, offset: usize) -> Result<Effect, Refusal> {
    change(syntax, offset, Strength::Release)
}

/// What a store becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    Release,
    SequentiallyConsistent,
}

impl Strength {
    /// The words that a store of the other strength has for its order.
    fn other(self, dialect: &Dialect) -> &[&'static str] {
        match self {
            Self::Release => &dialect.orders[2..],
            Self::SequentiallyConsistent => &dialect.orders[..2],
        }
    }

    fn word(self, dialect: &Dialect) -> &'static str {
        match self {
            Self::Release => dialect.orders[1],
            Self::SequentiallyConsistent => dialect.orders[2],
        }
    }
}

/// The words of a family of atomic operations.
struct Dialect {
    /// Relaxed, release, sequentially consistent.
    orders: [&'static str; 3],
    /// Whether they are from `<stdatomic.h>`.
    is_header: bool,
}

const STDATOMIC: Dialect = Dialect {
    orders: ["memory_order_relaxed", "memory_order_release", "memory_order_seq_cst"],
    is_header: true,
};
const BUILTIN: Dialect = Dialect {
    orders: ["__ATOMIC_RELAXED", "__ATOMIC_RELEASE", "__ATOMIC_SEQ_CST"],
    is_header: false,
};
const RUST: Dialect = Dialect { orders: ["Relaxed", "Release", "SeqCst"], is_header: false };

/// How a known operation is changed.
struct Operation {
    dialect: Dialect,
    /// What its name becomes.
    store: &'static str,
    /// Whether its last argument is its order.
    has_order: bool,
    /// Whether it is an exchange, which must not have its result used.
    is_exchange: bool,
}

fn operation(name: &str, language: Language) -> Option<Operation> {
    let (dialect, store, has_order, is_exchange) = match (language, name) {
        (Language::C, "atomic_store") => (STDATOMIC, "atomic_store_explicit", false, false),
        (Language::C, "atomic_store_explicit") => (STDATOMIC, "atomic_store_explicit", true, false),
        (Language::C, "atomic_exchange") => (STDATOMIC, "atomic_store_explicit", false, true),
        (Language::C, "atomic_exchange_explicit") => {
            (STDATOMIC, "atomic_store_explicit", true, true)
        }
        (Language::C, "__atomic_store_n") => (BUILTIN, "__atomic_store_n", true, false),
        (Language::C, "__atomic_store") => (BUILTIN, "__atomic_store", true, false),
        (Language::C, "__c11_atomic_store") => (BUILTIN, "__c11_atomic_store", true, false),
        (Language::C, "__atomic_exchange_n") => (BUILTIN, "__atomic_store_n", true, true),
        (Language::C, "__c11_atomic_exchange") => (BUILTIN, "__c11_atomic_store", true, true),
        (Language::C, "__sync_lock_test_and_set") => (BUILTIN, "__atomic_store_n", false, true),
        (Language::Rust(_), "store") => (RUST, "store", true, false),
        (Language::Rust(_), "swap") => (RUST, "store", true, true),
        (Language::C | Language::Rust(_), _) => return None,
    };
    Some(Operation { dialect, store, has_order, is_exchange })
}

fn change(syntax: &Syntax, offset: usize, to: Strength) -> Result<Effect, Refusal> {
    let leaf = syntax.leaf(offset).ok_or(Refusal::NotAStore)?;
    for node in ancestors(leaf) {
        match node.kind() {
            "preproc_def" | "preproc_function_def" | "macro_definition" => {
                return Err(Refusal::MacroDefinition);
            }
            "token_tree" => return Err(Refusal::MacroArgument),
            "call_expression" => {
                if let Some((name, operation)) = called(syntax, node) {
                    return change_call(syntax, node, name, &operation, to);
                }
            }
            "assignment_expression" if syntax.language() == Language::C => {
                return match to {
                    Strength::Release => assignment_to_call(syntax, node),
                    Strength::SequentiallyConsistent => Err(Refusal::PlainStore),
                };
            }
            "expression_statement" | "declaration" | "let_declaration" | "block" => break,
            _ => {}
        }
    }
    Err(Refusal::NotAStore)
}

/// The name in a call of a known operation.
fn called<'a>(syntax: &Syntax, call: Node<'a>) -> Option<(Node<'a>, Operation)> {
    let function = call.child_by_field_name("function")?;
    let name = match function.kind() {
        "field_expression" => function.child_by_field_name("field")?,
        "scoped_identifier" => function.child_by_field_name("name")?,
        _ => function,
    };
    Some((name, operation(syntax.of(name), syntax.language())?))
}

fn change_call(
    syntax: &Syntax,
    call: Node<'_>,
    name: Node<'_>,
    operation: &Operation,
    to: Strength,
) -> Result<Effect, Refusal> {
    if operation.is_exchange {
        match to {
            Strength::SequentiallyConsistent => return Err(Refusal::NotAStore),
            Strength::Release if !is_unused(syntax, call) => return Err(Refusal::ResultUsed),
            Strength::Release => {}
        }
    }
    let list = call.child_by_field_name("arguments").ok_or(Refusal::NotAStore)?;
    let arguments: Vec<Node<'_>> = children(list).filter(Node::is_named).collect();
    let last = arguments.last().ok_or(Refusal::NotAStore)?;
    let word = to.word(&operation.dialect);
    let mut splices = Vec::new();
    if syntax.of(name) != operation.store {
        splices.push(Splice::replace(name.byte_range(), operation.store));
    }
    if operation.has_order {
        let order = syntax.of(*last);
        let (path, constant) = order.rsplit_once("::").map_or(("", order), |(path, it)| (path, it));
        let known = if operation.is_exchange {
            matches!(constant, "AcqRel" | "Acquire")
                || constant.contains("_acq")
                || constant.contains("_ACQ")
                || operation.dialect.orders.contains(&constant)
        } else {
            to.other(&operation.dialect).contains(&constant)
        };
        if !known {
            return Err(Refusal::UnknownOrder);
        }
        splices.push(Splice::replace(last.byte_range(), spelled(syntax, *last, path, word)));
    } else {
        if to == Strength::SequentiallyConsistent {
            // It is so without saying it.
            return Err(Refusal::NotAStore);
        }
        splices.push(Splice::behind(&last.byte_range(), format!(", {word}")));
    }
    Ok(Effect { splices, uses_atomics: operation.dialect.is_header })
}

/// An order, spelled as another was. One without a path was imported by itself, so the other may
/// not be.
pub(crate) fn spelled(syntax: &Syntax, other: Node<'_>, path: &str, word: &str) -> String {
    match (syntax.language(), path) {
        (Language::C, _) => word.to_owned(),
        (Language::Rust(_), "") => {
            imports::spelled(syntax, other.start_byte(), &["Ordering", word])
        }
        (Language::Rust(_), path) => format!("{path}::{word}"),
    }
}

/// `x = v` on an `_Atomic` object becomes a call.
fn assignment_to_call(syntax: &Syntax, assignment: Node<'_>) -> Result<Effect, Refusal> {
    let field = |name| assignment.child_by_field_name(name).ok_or(Refusal::NotAStore);
    let (left, operator) = (field("left")?, field("operator")?);
    if syntax.of(operator) != "=" {
        return Err(Refusal::NotAStore);
    }
    if !is_unused(syntax, assignment) {
        return Err(Refusal::ResultUsed);
    }
    let whole = assignment.byte_range();
    let before = left.end_byte()..operator.start_byte();
    // A comment between the two stays.
    let equals = if syntax.text()[before.clone()].trim().is_empty() {
        before.start..operator.end_byte()
    } else {
        operator.byte_range()
    };
    Ok(Effect {
        splices: vec![
            Splice::before(&whole, "atomic_store_explicit(&"),
            Splice::replace(equals, ","),
            Splice::behind(&whole, format!(", {})", STDATOMIC.orders[1])),
        ],
        uses_atomics: true,
    })
}

/// Whether nobody uses the value of an expression.
pub(crate) fn is_unused(syntax: &Syntax, node: Node<'_>) -> bool {
    let Some(around) = node.parent() else { return false };
    match around.kind() {
        "expression_statement" => {
            // The last statement of `({ … })` is its value.
            children(around).next_back().is_some_and(|last| last.kind() == ";")
                && !around.parent().is_some_and(|block| {
                    block.parent().is_some_and(|it| it.kind() == "parenthesized_expression")
                        && children(block).rfind(Node::is_named) == Some(around)
                })
        }
        "let_declaration" => {
            around.child_by_field_name("pattern").is_some_and(|pattern| syntax.of(pattern) == "_")
        }
        "cast_expression" => {
            around.child_by_field_name("type").is_some_and(|it| syntax.of(it) == "void")
                && is_unused(syntax, around)
        }
        "for_statement" => {
            is_field(around, "initializer", node) || is_field(around, "update", node)
        }
        _ => false,
    }
}
