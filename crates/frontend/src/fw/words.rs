//! The words of the language: keywords, and the names of fences, orders and operations. Both the
//! parser and the printer use these tables, so they cannot disagree.

use program::{FenceKind, FetchOp, IntType, Order};

/// Words that cannot be names.
pub(super) const RESERVED: &[&str] = &[
    "and",
    "any",
    "arw",
    "assert",
    "assume",
    "at",
    "atomic",
    "await",
    "break",
    "bytes",
    "call",
    "cas",
    "choose",
    "cmpxchg",
    "const",
    "continue",
    "either",
    "else",
    "exclusive",
    "false",
    "fence",
    "fetch_add",
    "fetch_and",
    "fetch_max",
    "fetch_min",
    "fetch_nand",
    "fetch_or",
    "fetch_sub",
    "fetch_xor",
    "for",
    "goto",
    "if",
    "in",
    "load",
    "local",
    "lock_memory",
    "loop",
    "max",
    "mem",
    "memory",
    "min",
    "or",
    "program",
    "return",
    "shared",
    "skip",
    "stop",
    "store",
    "store_exclusive",
    "stride",
    "thread",
    "true",
    "unlock_memory",
    "waiting",
    "while",
    "xchg",
];

/// Words that begin a statement; for suggestions.
pub(super) const STATEMENTS: &[&str] = &[
    "arw",
    "assert",
    "assume",
    "atomic",
    "await",
    "break",
    "call",
    "cas",
    "cmpxchg",
    "continue",
    "either",
    "fence",
    "fetch_add",
    "fetch_and",
    "fetch_max",
    "fetch_min",
    "fetch_nand",
    "fetch_or",
    "fetch_sub",
    "fetch_xor",
    "for",
    "goto",
    "if",
    "local",
    "lock_memory",
    "loop",
    "return",
    "skip",
    "stop",
    "store",
    "store_exclusive",
    "unlock_memory",
    "waiting",
    "while",
    "xchg",
];

/// Words that begin a declaration; for suggestions.
pub(super) const ITEMS: &[&str] = &[
    "always",
    "const",
    "exists",
    "filter",
    "forbidden",
    "memory",
    "never",
    "observe",
    "program",
    "shared",
    "thread",
];

/// Whether `word` can be a name.
pub(super) fn is_name(word: &str) -> bool {
    !RESERVED.contains(&word)
        && IntType::from_name(word).is_none()
        && fetch_op_named(word).is_none()
}

/// The word for a kind of fence.
pub(crate) const fn fence_kind(kind: FenceKind) -> &'static str {
    match kind {
        FenceKind::Full => "full",
        FenceKind::Lightweight => "lightweight",
        FenceKind::StoreStore => "store_store",
        FenceKind::LoadLoad => "load_load",
        FenceKind::LoadStore => "load_store",
        FenceKind::StoreLoad => "store_load",
        FenceKind::Acquire => "acquire",
        FenceKind::Release => "release",
        FenceKind::Control => "control",
    }
}

/// A fence as a statement.
pub(super) fn fence(kind: FenceKind) -> String {
    match kind {
        FenceKind::Full => "fence".to_owned(),
        FenceKind::Lightweight
        | FenceKind::StoreStore
        | FenceKind::LoadLoad
        | FenceKind::LoadStore
        | FenceKind::StoreLoad
        | FenceKind::Acquire
        | FenceKind::Release
        | FenceKind::Control => format!("fence({})", fence_kind(kind)),
    }
}

/// The orders that have a word; plain is the absence of one.
pub(super) const ORDERS: [Order; 6] = [
    Order::Volatile,
    Order::Relaxed,
    Order::Acquire,
    Order::Release,
    Order::AcquireRelease,
    Order::SeqCst,
];

/// The name of a fetch-and-op.
pub(super) fn fetch_op(op: FetchOp) -> String {
    let name = match op {
        FetchOp::Add => "fetch_add",
        FetchOp::Sub => "fetch_sub",
        FetchOp::And => "fetch_and",
        FetchOp::Or => "fetch_or",
        FetchOp::Xor => "fetch_xor",
        FetchOp::Nand => "fetch_nand",
        FetchOp::Min => "fetch_min",
        FetchOp::Max => "fetch_max",
        FetchOp::MinAs(int) => return format!("fetch_min_{int}"),
        FetchOp::MaxAs(int) => return format!("fetch_max_{int}"),
    };
    name.to_owned()
}

/// The fetch-and-op with a name.
pub(super) fn fetch_op_named(word: &str) -> Option<FetchOp> {
    let typed = |prefix| word.strip_prefix(prefix).and_then(IntType::from_name);
    let min = typed("fetch_min_").map(FetchOp::MinAs);
    let max = typed("fetch_max_").map(FetchOp::MaxAs);
    min.or(max).or_else(|| FetchOp::ALL.into_iter().find(|op| fetch_op(*op) == word))
}

#[cfg(test)]
mod tests {
    /// The grammar that editors highlight by.
    const GRAMMAR: &str = include_str!("../../../../editors/vscode/syntaxes/fw.tmLanguage.json");

    #[test]
    fn editors_know_the_reserved_words() {
        // What is written once for several words.
        let grammar = GRAMMAR.replace(
            "fetch_(add|and|max|min|nand|or|sub|xor)",
            "fetch_add|fetch_and|fetch_max|fetch_min|fetch_nand|fetch_or|fetch_sub|fetch_xor",
        );
        let is_known = |word: &str| {
            let mut parts = grammar.split(|c: char| !c.is_alphanumeric() && c != '_');
            parts.any(|part| part == word || part.strip_prefix('b') == Some(word))
        };
        for word in super::RESERVED {
            assert!(is_known(word), "{word} is not highlighted");
        }
    }
}
