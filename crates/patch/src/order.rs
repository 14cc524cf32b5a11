//! How an access gets another memory order.
//!
//! An atomic operation that says its order gets another word there; one that does not (`atomic_load(&x)`, an
//! `_Atomic` variable) becomes the operation that does. A plain or volatile access of C becomes GCC's builtin,
//! which needs no other type of the variable. Rust's plain accesses are left alone: their types would have to
//! change. Only what is written out in the text is changed.
//!
//! A chain of methods in Rust (`x.load(Relaxed).is_null()`) begins where the access in it does: the access is the one
//! method of the chain that does such a thing, and if there are two nothing is changed.

use std::ops::Range;

use crate::edit::Effect;
use crate::fence::library;
use crate::language::Language;
use crate::place::Refusal;
use crate::splice::Splice;
use crate::store::is_unused;
use crate::syntax::{Syntax, ancestors, children, is_field};
use crate::tree::Node;

/// A memory order of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessOrder {
    /// `memory_order_relaxed`, `Ordering::Relaxed`.
    Relaxed,
    /// `memory_order_acquire`, `Ordering::Acquire`.
    Acquire,
    /// `memory_order_release`, `Ordering::Release`.
    Release,
    /// `memory_order_acq_rel`, `Ordering::AcqRel`.
    AcqRel,
    /// `memory_order_seq_cst`, `Ordering::SeqCst`.
    SeqCst,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessText {
    /// It reads.
    Load,
    /// It writes.
    Store,
    /// It reads and writes at once.
    Update,
}

/// An access that gets another order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reordered {
    /// Where its expression begins ([`Syntax::expression_at`]).
    pub start: usize,
    /// Where that ends.
    pub end: usize,
    /// What it does.
    pub access: AccessText,
    /// Whether it is atomic already.
    pub is_atomic: bool,
    /// The order it gets.
    pub order: AccessOrder,
    /// The order of a compare-and-swap that fails.
    pub failing: Option<AccessOrder>,
}

/// The words of a family of atomic operations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Standard,
    Builtin,
    Rust,
}

impl Dialect {
    const fn word(self, order: AccessOrder) -> &'static str {
        use AccessOrder::{AcqRel, Acquire, Relaxed, Release, SeqCst};
        match (self, order) {
            (Self::Standard, Relaxed) => "memory_order_relaxed",
            (Self::Standard, Acquire) => "memory_order_acquire",
            (Self::Standard, Release) => "memory_order_release",
            (Self::Standard, AcqRel) => "memory_order_acq_rel",
            (Self::Standard, SeqCst) => "memory_order_seq_cst",
            (Self::Builtin, Relaxed) => "__ATOMIC_RELAXED",
            (Self::Builtin, Acquire) => "__ATOMIC_ACQUIRE",
            (Self::Builtin, Release) => "__ATOMIC_RELEASE",
            (Self::Builtin, AcqRel) => "__ATOMIC_ACQ_REL",
            (Self::Builtin, SeqCst) => "__ATOMIC_SEQ_CST",
            (Self::Rust, Relaxed) => "Relaxed",
            (Self::Rust, Acquire) => "Acquire",
            (Self::Rust, Release) => "Release",
            (Self::Rust, AcqRel) => "AcqRel",
            (Self::Rust, SeqCst) => "SeqCst",
        }
    }

    /// Whether this is one of its words for an order, and so a constant. In C, these have numbers.
    fn has(self, word: &str) -> bool {
        use AccessOrder::{AcqRel, Acquire, Relaxed, Release, SeqCst};
        // `consume` is compiled as `acquire`.
        [Relaxed, Acquire, Release, AcqRel, SeqCst].iter().any(|order| self.word(*order) == word)
            || matches!(word, "memory_order_consume" | "__ATOMIC_CONSUME")
            || (self != Self::Rust && matches!(word, "0" | "1" | "2" | "3" | "4" | "5"))
    }
}

/// The family of a function of C, and what it is called if it has orders.
fn operation_in_c(name: &str) -> Option<(Dialect, String, bool)> {
    let operation = name.strip_prefix("__c11_atomic_").or_else(|| name.strip_prefix("__atomic_"));
    if let Some(operation) = operation {
        let is_known =
            ["load", "store", "exchange", "compare_exchange", "fetch_", "test_and_set", "clear"]
                .iter()
                .any(|known| operation.starts_with(known))
                || operation.ends_with("_fetch");
        return is_known.then(|| (Dialect::Builtin, name.to_owned(), true));
    }
    let operation = name.strip_prefix("atomic_")?;
    let (operation, has_order) = match operation.strip_suffix("_explicit") {
        Some(operation) => (operation, true),
        None => (operation, false),
    };
    let is_known = matches!(
        operation,
        "load"
            | "store"
            | "exchange"
            | "compare_exchange_strong"
            | "compare_exchange_weak"
            | "flag_test_and_set"
            | "flag_clear"
    ) || operation.starts_with("fetch_");
    is_known.then(|| (Dialect::Standard, format!("atomic_{operation}_explicit"), has_order))
}

fn is_method_of_rust(name: &str) -> bool {
    matches!(
        name,
        "load" | "store" | "swap" | "compare_exchange" | "compare_exchange_weak" | "fetch_update"
    ) || name.starts_with("fetch_")
}

/// Gives an access its order.
pub(crate) fn reorder(syntax: &Syntax, change: Reordered) -> Result<Effect, Refusal> {
    let range = change.start..change.end;
    let node = syntax.node(&range).ok_or(Refusal::NotAnAccess)?;
    for around in ancestors(node) {
        match around.kind() {
            "preproc_def" | "preproc_function_def" | "macro_definition" => {
                return Err(Refusal::MacroDefinition);
            }
            "token_tree" => return Err(Refusal::MacroArgument),
            _ => {}
        }
    }
    if is_broken(node) {
        return Err(Refusal::NotAnAccess);
    }
    match (node.kind(), syntax.language()) {
        ("call_expression", Language::C) => call(syntax, node, change),
        ("call_expression" | "field_expression" | "try_expression", Language::Rust(_)) => {
            call(syntax, in_chain(syntax, node, change.access)?, change)
        }
        ("assignment_expression", Language::C) if change.access == AccessText::Store => {
            assignment(syntax, node, change)
        }
        (
            "identifier" | "field_expression" | "subscript_expression" | "pointer_expression",
            Language::C,
        ) if change.access == AccessText::Load => load(node, change),
        (_, Language::C | Language::Rust(_)) => Err(Refusal::NotAnAccess),
    }
}

/// Whether something around an expression, up to its statement, was not understood: then it may be another one than it
/// seems.
fn is_broken(node: Node<'_>) -> bool {
    let is_around_statements = |around: &Node<'_>| match around.kind() {
        "expression_statement" | "return_statement" => false,
        "translation_unit" | "function_definition" | "source_file" | "block" => true,
        other => other.ends_with("_statement"),
    };
    ancestors(node).take_while(|around| !is_around_statements(around)).any(|it| it.has_error())
}

/// The call in a chain of methods that makes an access of a kind.
fn in_chain<'t>(syntax: &Syntax, last: Node<'t>, access: AccessText) -> Result<Node<'t>, Refusal> {
    let mut found = None;
    let mut next = Some(last);
    while let Some(node) = next {
        next = match node.kind() {
            "call_expression" => {
                let function = node.child_by_field_name("function");
                let method = function.filter(|it| it.kind() == "field_expression");
                let name = method.or(function).and_then(|it| match it.kind() {
                    "field_expression" => it.child_by_field_name("field"),
                    "scoped_identifier" => it.child_by_field_name("name"),
                    _ => None,
                });
                if name.is_some_and(|name| does(syntax.of(name)) == Some(access))
                    && found.replace(node).is_some()
                {
                    return Err(Refusal::NotAnAccess);
                }
                method
            }
            "field_expression" => node.child_by_field_name("value"),
            "try_expression" => children(node).find(Node::is_named),
            _ => None,
        };
    }
    found.ok_or(Refusal::NotAnAccess)
}

/// What a method of Rust's atomic types does.
fn does(name: &str) -> Option<AccessText> {
    match name {
        "load" => Some(AccessText::Load),
        "store" => Some(AccessText::Store),
        _ => is_method_of_rust(name).then_some(AccessText::Update),
    }
}

/// An operation with its orders.
fn call(syntax: &Syntax, call: Node<'_>, change: Reordered) -> Result<Effect, Refusal> {
    let function = call.child_by_field_name("function").ok_or(Refusal::NotAnAccess)?;
    let name = match function.kind() {
        "field_expression" => function.child_by_field_name("field"),
        "scoped_identifier" => function.child_by_field_name("name"),
        _ => Some(function),
    };
    let name = name.ok_or(Refusal::NotAnAccess)?;
    let (dialect, explicit, has_order) = match syntax.language() {
        Language::C => operation_in_c(syntax.of(name)).ok_or(Refusal::NotAnAccess)?,
        Language::Rust(_) if is_method_of_rust(syntax.of(name)) => {
            (Dialect::Rust, syntax.of(name).to_owned(), true)
        }
        Language::Rust(_) => return Err(Refusal::NotAnAccess),
    };
    let list = call.child_by_field_name("arguments").ok_or(Refusal::NotAnAccess)?;
    let arguments: Vec<Node<'_>> = children(list).filter(Node::is_named).collect();
    let mut words = vec![change.order];
    if explicit.contains("compare_exchange") || explicit == "fetch_update" {
        words.push(change.failing.unwrap_or(AccessOrder::Relaxed));
    }
    // The closure of `fetch_update` follows its orders.
    let behind = usize::from(explicit == "fetch_update");
    let mut splices = Vec::new();
    if has_order {
        let last = arguments.len().checked_sub(behind).ok_or(Refusal::UnknownOrder)?;
        let first = last.checked_sub(words.len()).ok_or(Refusal::UnknownOrder)?;
        for (argument, order) in arguments[first..last].iter().zip(words) {
            let written = syntax.of(*argument);
            let (path, constant) = written.rsplit_once("::").unwrap_or(("", written));
            if !dialect.has(constant) {
                return Err(Refusal::UnknownOrder);
            }
            if constant != dialect.word(order) {
                let word = spelled(syntax, dialect, path, order);
                splices.push(Splice::replace(argument.byte_range(), word));
            }
        }
    } else {
        let last = arguments.last().ok_or(Refusal::UnknownOrder)?;
        splices.push(Splice::replace(name.byte_range(), explicit));
        let words = words.iter().map(|order| dialect.word(*order).to_string());
        let words = std::iter::once(String::new()).chain(words).collect::<Vec<_>>().join(", ");
        splices.push(Splice::behind(&last.byte_range(), words));
    }
    Ok(Effect { splices, uses_atomics: dialect == Dialect::Standard })
}

/// An order, spelled as another was. One that was imported by itself, here or into another module, does not say that others
/// were; an enumeration has a capital.
fn spelled(syntax: &Syntax, dialect: Dialect, path: &str, order: AccessOrder) -> String {
    let word = dialect.word(order);
    let last = path.rsplit("::").next().unwrap_or_default().trim();
    match dialect {
        Dialect::Standard | Dialect::Builtin => word.to_owned(),
        Dialect::Rust if last.starts_with(char::is_uppercase) => format!("{path}::{word}"),
        Dialect::Rust => format!("{}::sync::atomic::Ordering::{word}", library(syntax.text())),
    }
}

/// The operation that takes the place of an ordinary access, and its words.
const fn operation(change: Reordered) -> (Dialect, &'static str) {
    match (change.is_atomic, change.access) {
        (true, AccessText::Load) => (Dialect::Standard, "atomic_load_explicit"),
        (true, AccessText::Store | AccessText::Update) => {
            (Dialect::Standard, "atomic_store_explicit")
        }
        (false, AccessText::Load) => (Dialect::Builtin, "__atomic_load_n"),
        (false, AccessText::Store | AccessText::Update) => (Dialect::Builtin, "__atomic_store_n"),
    }
}

/// The address of an object: `&x`, or `p` for `*p`. What is written before it, and what of it goes.
fn address(object: Node<'_>) -> (&'static str, Option<Splice>) {
    let star = (object.kind() == "pointer_expression")
        .then(|| children(object).next())
        .flatten()
        .filter(|first| first.kind() == "*");
    match star {
        Some(star) => ("", Some(Splice::replace(star.byte_range(), ""))),
        None => ("&", None),
    }
}

/// `x = v` becomes a call.
fn assignment(syntax: &Syntax, assignment: Node<'_>, change: Reordered) -> Result<Effect, Refusal> {
    let field = |name| assignment.child_by_field_name(name).ok_or(Refusal::NotAnAccess);
    let (left, operator) = (field("left")?, field("operator")?);
    if syntax.of(operator) != "=" {
        return Err(Refusal::NotAnAccess);
    }
    if !is_unused(syntax, assignment) {
        return Err(Refusal::ResultUsed);
    }
    let (dialect, name) = operation(change);
    let (sign, star) = address(left);
    let whole = assignment.byte_range();
    let between = left.end_byte()..operator.start_byte();
    // A comment between the two stays.
    let equals = if syntax.text()[between.clone()].trim().is_empty() {
        between.start..operator.end_byte()
    } else {
        operator.byte_range()
    };
    let mut splices = vec![
        Splice::before(&whole, format!("{name}({sign}")),
        Splice::replace(equals, ","),
        Splice::behind(&whole, format!(", {})", dialect.word(change.order))),
    ];
    splices.extend(star);
    Ok(Effect { splices, uses_atomics: dialect == Dialect::Standard })
}

/// `x` becomes a call.
fn load(object: Node<'_>, change: Reordered) -> Result<Effect, Refusal> {
    let around = object.parent().ok_or(Refusal::NotAnAccess)?;
    let is_other = match around.kind() {
        "assignment_expression" => is_field(around, "left", object),
        "update_expression" => true,
        // `&x` reads nothing.
        "pointer_expression" => children(around).next().is_some_and(|sign| sign.kind() == "&"),
        "init_declarator" => is_field(around, "declarator", object),
        "call_expression" => is_field(around, "function", object),
        _ => false,
    };
    if is_other {
        return Err(Refusal::NotAnAccess);
    }
    let (dialect, name) = operation(change);
    let (sign, star) = address(object);
    let whole: Range<usize> = object.byte_range();
    let mut splices = vec![
        Splice::before(&whole, format!("{name}({sign}")),
        Splice::behind(&whole, format!(", {})", dialect.word(change.order))),
    ];
    splices.extend(star);
    Ok(Effect { splices, uses_atomics: dialect == Dialect::Standard })
}
