//! Names that cannot collide.

use proptest::prelude::*;

/// The beginning of a name.
pub(crate) fn stems() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9]{0,2}"
}

/// The name of thing number `number` of a kind.
pub(crate) fn name(stem: &str, kind: char, number: usize) -> String {
    format!("{stem}_{kind}{number}")
}
