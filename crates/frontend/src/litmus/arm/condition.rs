//! Condition codes of both Arm instruction sets.

use super::super::condition_code::Code;
use super::super::load_store::syntax::{Condition, Flag};

/// The names of all conditions, with the code that decides each.
pub(in crate::litmus) const CONDITIONS: [(&str, Code, bool); 16] = [
    ("eq", Code::Equal, false),
    ("ne", Code::Equal, true),
    ("lt", Code::Less, false),
    ("ge", Code::Less, true),
    ("le", Code::LessOrEqual, false),
    ("gt", Code::LessOrEqual, true),
    ("lo", Code::Below, false),
    ("cc", Code::Below, false),
    ("hs", Code::Below, true),
    ("cs", Code::Below, true),
    ("ls", Code::BelowOrEqual, false),
    ("hi", Code::BelowOrEqual, true),
    ("mi", Code::Sign, false),
    ("pl", Code::Sign, true),
    ("vs", Code::Overflow, false),
    ("vc", Code::Overflow, true),
];

/// What holds while all flags are clear: there is no carry.
pub(in crate::litmus) const INITIAL: &[Code] = &[Code::Below, Code::BelowOrEqual];

/// That the carry is set.
pub(in crate::litmus) const fn carry() -> Condition {
    Condition { flag: Flag { field: 0, code: Code::Below }, negated: true }
}

/// The condition of this name, in lower case.
pub(in crate::litmus) fn find(name: &str) -> Option<Condition> {
    let found = CONDITIONS.iter().find(|(known, _, _)| *known == name);
    found.map(|(_, code, negated)| Condition {
        flag: Flag { field: 0, code: *code },
        negated: *negated,
    })
}
