//! What instructions of x86 do, by their names.

use program::FenceKind;

use crate::asm::condition::Condition;

/// An operation with a destination that is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Increment,
    Decrement,
    Not,
    Negate,
}

/// An operation on one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitChange {
    Set,
    Reset,
    Complement,
    Test,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Fence(FenceKind),
    /// Nothing that a program can see.
    Nothing,
    /// Puts something into registers that depends on the machine.
    Unknown,
    /// The same, and waits until all stores are done.
    Serialise,
    /// Ends the thread by a fault.
    Trap,
    Move,
    /// A move that makes a value of so many bits wider.
    Widen {
        from: Option<u32>,
        is_signed: bool,
    },
    Exchange,
    ExchangeAdd,
    CompareExchange,
    Change(Change),
    Bit(BitChange),
    Compare,
    Test,
    Set(Condition),
    /// Subtraction with borrow, of a register from itself: all bits are the carry.
    Borrow,
    /// Compare-and-exchange of two registers at once, of so many bits each.
    CompareExchangePair(u32),
}

/// What a mnemonic means, and the width in bits that its suffix says.
pub(crate) fn meaning(mnemonic: &str) -> Option<(Operation, Option<u32>)> {
    if let Some(operation) = exact(mnemonic) {
        return Some((operation, None));
    }
    if let Some(condition) = mnemonic.strip_prefix("set") {
        return Condition::named(condition).map(|one| (Operation::Set(one), Some(8)));
    }
    if let Some(widening) = widening(mnemonic) {
        return Some(widening);
    }
    let suffix = mnemonic.chars().next_back()?;
    let bits = bits_of_suffix(suffix)?;
    let operation = exact(mnemonic.strip_suffix(suffix)?)?;
    takes_suffix(operation).then_some((operation, Some(bits)))
}

fn exact(mnemonic: &str) -> Option<Operation> {
    Some(match mnemonic {
        "mfence" => Operation::Fence(FenceKind::Full),
        "lfence" => Operation::Fence(FenceKind::LoadLoad),
        "sfence" => Operation::Fence(FenceKind::StoreStore),
        "pause" | "nop" | "nopl" | "nopw" | "prefetcht0" | "prefetcht1" | "prefetcht2"
        | "prefetchnta" | "prefetchw" | "endbr64" => Operation::Nothing,
        "rdtsc" | "rdtscp" | "rdrand" | "rdseed" | "rdpmc" | "xgetbv" | "rdpid" => {
            Operation::Unknown
        }
        "cpuid" | "serialize" => Operation::Serialise,
        "ud2" | "int3" => Operation::Trap,
        "mov" | "movabs" => Operation::Move,
        "xchg" => Operation::Exchange,
        "xadd" => Operation::ExchangeAdd,
        "cmpxchg" => Operation::CompareExchange,
        "add" => Operation::Change(Change::Add),
        "sub" => Operation::Change(Change::Sub),
        "and" => Operation::Change(Change::And),
        "or" => Operation::Change(Change::Or),
        "xor" => Operation::Change(Change::Xor),
        "inc" => Operation::Change(Change::Increment),
        "dec" => Operation::Change(Change::Decrement),
        "not" => Operation::Change(Change::Not),
        "neg" => Operation::Change(Change::Negate),
        "bts" => Operation::Bit(BitChange::Set),
        "btr" => Operation::Bit(BitChange::Reset),
        "btc" => Operation::Bit(BitChange::Complement),
        "bt" => Operation::Bit(BitChange::Test),
        "cmp" => Operation::Compare,
        "test" => Operation::Test,
        "sbb" => Operation::Borrow,
        "cmpxchg8b" => Operation::CompareExchangePair(32),
        "cmpxchg16b" => Operation::CompareExchangePair(64),
        _ => return None,
    })
}

const fn takes_suffix(operation: Operation) -> bool {
    match operation {
        Operation::Move
        | Operation::Exchange
        | Operation::ExchangeAdd
        | Operation::CompareExchange
        | Operation::Change(_)
        | Operation::Bit(_)
        | Operation::Compare
        | Operation::Test
        | Operation::Borrow => true,
        Operation::Fence(_)
        | Operation::Nothing
        | Operation::Unknown
        | Operation::Serialise
        | Operation::Trap
        | Operation::Widen { .. }
        | Operation::Set(_)
        | Operation::CompareExchangePair(_) => false,
    }
}

const fn bits_of_suffix(suffix: char) -> Option<u32> {
    match suffix {
        'b' => Some(8),
        'w' => Some(16),
        'l' => Some(32),
        'q' => Some(64),
        _ => None,
    }
}

/// `movzx` and `movsx` of Intel; `movzbl`, `movslq` and so on of AT&T.
fn widening(mnemonic: &str) -> Option<(Operation, Option<u32>)> {
    let (is_signed, widths) = match mnemonic.strip_prefix("movz") {
        Some(widths) => (false, widths),
        None => (true, mnemonic.strip_prefix("movs")?),
    };
    if let "x" | "xd" = widths {
        return Some((Operation::Widen { from: None, is_signed }, None));
    }
    let mut widths = widths.chars();
    let from = bits_of_suffix(widths.next()?)?;
    let to = bits_of_suffix(widths.next()?)?;
    (widths.next().is_none() && from < to)
        .then_some((Operation::Widen { from: Some(from), is_signed }, Some(to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_say_how_wide() {
        let cases = [
            ("sub", Some((Operation::Change(Change::Sub), None))),
            ("subb", Some((Operation::Change(Change::Sub), Some(8)))),
            ("btsl", Some((Operation::Bit(BitChange::Set), Some(32)))),
            ("cmpxchgq", Some((Operation::CompareExchange, Some(64)))),
            ("setnz", Some((Operation::Set(Condition::NotEqual), Some(8)))),
            ("movzbl", Some((Operation::Widen { from: Some(8), is_signed: false }, Some(32)))),
            ("movslq", Some((Operation::Widen { from: Some(32), is_signed: true }, Some(64)))),
            ("movsb", None),
            ("movlb", None),
            ("mfencel", None),
            ("jmp", None),
            ("é", None),
        ];
        for (mnemonic, expected) in cases {
            assert_eq!(meaning(mnemonic), expected, "{mnemonic}");
        }
    }
}
