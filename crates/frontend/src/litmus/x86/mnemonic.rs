//! Mnemonics, without regard to case.

use program::FenceKind;

use super::flags::{Code, Condition};
use super::syntax::{Arithmetic, Operation, Shift, Unary};

/// Mnemonics that may end with a letter for the width: `movl`.
pub(super) const SIZED: [(&str, Operation); 22] = [
    ("mov", Operation::Move),
    ("add", Operation::Arithmetic(Arithmetic::Add)),
    ("sub", Operation::Arithmetic(Arithmetic::Sub)),
    ("and", Operation::Arithmetic(Arithmetic::And)),
    ("or", Operation::Arithmetic(Arithmetic::Or)),
    ("xor", Operation::Arithmetic(Arithmetic::Xor)),
    ("inc", Operation::Unary(Unary::Increment)),
    ("dec", Operation::Unary(Unary::Decrement)),
    ("neg", Operation::Unary(Unary::Negate)),
    ("not", Operation::Unary(Unary::Complement)),
    ("shl", Operation::Shift(Shift::Left)),
    ("sal", Operation::Shift(Shift::Left)),
    ("shr", Operation::Shift(Shift::Right)),
    ("sar", Operation::Shift(Shift::ArithmeticRight)),
    ("cmp", Operation::Compare),
    ("test", Operation::Test),
    ("xchg", Operation::Exchange),
    ("uxch", Operation::UnlockedExchange),
    ("cmpxchg", Operation::CompareExchange),
    ("xadd", Operation::ExchangeAdd),
    ("nop", Operation::Nothing),
    ("ret", Operation::Return),
];

/// All others but those with a condition.
/// What moves lines between caches and memory changes nothing in a model without persistence.
pub(super) const PLAIN: [(&str, Operation); 15] = [
    ("jmp", Operation::Jump),
    ("mfence", Operation::Fence(FenceKind::Full)),
    ("sfence", Operation::Fence(FenceKind::StoreStore)),
    ("lfence", Operation::Fence(FenceKind::LoadLoad)),
    ("pause", Operation::Nothing),
    ("endbr32", Operation::Nothing),
    ("endbr64", Operation::Nothing),
    ("clflush", Operation::Nothing),
    ("clflushopt", Operation::Nothing),
    ("clwb", Operation::Nothing),
    ("prefetcht0", Operation::Nothing),
    ("prefetcht1", Operation::Nothing),
    ("prefetcht2", Operation::Nothing),
    ("prefetchnta", Operation::Nothing),
    ("prefetchw", Operation::Nothing),
];

/// Condition codes as mnemonics end with them; `lt` and `gt` are herd's. The first name of each is
/// the one printed.
pub(super) const CONDITIONS: [(&str, Code, bool); 28] = [
    ("e", Code::Equal, false),
    ("z", Code::Equal, false),
    ("ne", Code::Equal, true),
    ("nz", Code::Equal, true),
    ("l", Code::Less, false),
    ("lt", Code::Less, false),
    ("nge", Code::Less, false),
    ("ge", Code::Less, true),
    ("nl", Code::Less, true),
    ("le", Code::LessOrEqual, false),
    ("ng", Code::LessOrEqual, false),
    ("g", Code::LessOrEqual, true),
    ("gt", Code::LessOrEqual, true),
    ("nle", Code::LessOrEqual, true),
    ("b", Code::Below, false),
    ("c", Code::Below, false),
    ("nae", Code::Below, false),
    ("ae", Code::Below, true),
    ("nb", Code::Below, true),
    ("nc", Code::Below, true),
    ("be", Code::BelowOrEqual, false),
    ("na", Code::BelowOrEqual, false),
    ("a", Code::BelowOrEqual, true),
    ("nbe", Code::BelowOrEqual, true),
    ("s", Code::Sign, false),
    ("ns", Code::Sign, true),
    ("o", Code::Overflow, false),
    ("no", Code::Overflow, true),
];

/// What a mnemonic, in lower case, does, and the width it ends with.
pub(super) fn find(word: &str) -> Option<(Operation, Option<u8>)> {
    let exact = |word: &str| {
        SIZED.iter().chain(&PLAIN).find(|(name, _)| *name == word).map(|(_, operation)| *operation)
    };
    if let Some(operation) = exact(word).or_else(|| conditional(word)) {
        return Some((operation, None));
    }
    let bits = match word.as_bytes().last()? {
        b'b' => 8,
        b'w' => 16,
        b'l' => 32,
        b'q' => 64,
        _ => return None,
    };
    let stem = word.get(..word.len() - 1)?;
    let sized = SIZED.iter().find(|(name, _)| *name == stem).map(|(_, operation)| *operation);
    let moved = || conditional(stem).filter(|found| matches!(found, Operation::MoveIf(_)));
    Some((sized.or_else(moved)?, Some(bits)))
}

fn conditional(word: &str) -> Option<Operation> {
    let condition = |suffix: &str| {
        let found = CONDITIONS.iter().find(|(name, _, _)| *name == suffix);
        found.map(|(_, code, negated)| Condition { code: *code, negated: *negated })
    };
    if let Some(suffix) = word.strip_prefix("cmov") {
        return condition(suffix).map(Operation::MoveIf);
    }
    if let Some(suffix) = word.strip_prefix("set") {
        return condition(suffix).map(Operation::SetIf);
    }
    word.strip_prefix('j').and_then(condition).map(Operation::JumpIf)
}

/// How a condition ends a mnemonic.
pub(super) fn condition_suffix(condition: Condition) -> &'static str {
    CONDITIONS
        .iter()
        .find(|(_, code, negated)| *code == condition.code && *negated == condition.negated)
        .map_or("", |(name, _, _)| name)
}

/// Mnemonics worth suggesting.
pub(super) fn suggestions() -> impl Iterator<Item = &'static str> {
    let jumps = ["je", "jne", "jl", "jge", "jle", "jg", "jb", "jae", "jbe", "ja", "js", "jns"];
    SIZED.iter().chain(&PLAIN).map(|(name, _)| *name).chain(jumps).chain(["lock"])
}
