//! Mnemonics of the single-instruction atomics of LSE.

use program::{FetchOp, Order};

use super::mnemonic::{Atomic, Operation};

/// The operations of LSE atomics, with whether they compare unsigned numbers and whether the operand is complemented.
const FETCHES: [(&str, FetchOp, bool, bool); 8] = [
    ("add", FetchOp::Add, false, false),
    ("clr", FetchOp::And, false, true),
    ("eor", FetchOp::Xor, false, false),
    ("set", FetchOp::Or, false, false),
    ("smax", FetchOp::Max, false, false),
    ("smin", FetchOp::Min, false, false),
    ("umax", FetchOp::Max, true, false),
    ("umin", FetchOp::Min, true, false),
];

/// An atomic without its order and width.
fn atomic(stem: &str) -> Option<Operation> {
    let make = |atomic| Operation::Atomic { atomic, bits: None, order: Order::Plain };
    match stem {
        "swp" => return Some(make(Atomic::Swap)),
        "cas" => return Some(make(Atomic::CompareAndSwap)),
        _ => {}
    }
    let (keeps_old, name) = match stem.strip_prefix("ld") {
        Some(name) => (true, name),
        None => (false, stem.strip_prefix("st")?),
    };
    let (_, op, unsigned, complement) = FETCHES.iter().find(|(known, ..)| *known == name)?;
    let (op, unsigned, complement) = (*op, *unsigned, *complement);
    Some(make(Atomic::Fetch { op, unsigned, complement, keeps_old }))
}

/// An atomic with the letters for its order and width that it may end with.
pub(super) fn ordered_atomic(word: &str, width: Option<u8>) -> Option<Operation> {
    for (suffix, order) in [
        ("", Order::Plain),
        ("al", Order::AcquireRelease),
        ("a", Order::Acquire),
        ("l", Order::Release),
    ] {
        match word.strip_suffix(suffix).and_then(atomic) {
            Some(Operation::Atomic { atomic: Atomic::Fetch { keeps_old: false, .. }, .. })
                if matches!(order, Order::Acquire | Order::AcquireRelease) => {}
            Some(Operation::Atomic { atomic, .. }) => {
                return Some(Operation::Atomic { atomic, bits: width, order });
            }
            Some(other) => return Some(other),
            None => {}
        }
    }
    None
}
