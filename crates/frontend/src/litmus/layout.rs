//! Where locations lie: one after the other, far from zero and apart from each other, so that
//! neither a small number nor an index one too large is the address of a location.

use program::Value;

const FIRST: Value = 0x1000;
const ALIGNMENT: Value = 16;

/// The addresses of locations with these numbers of bytes.
pub(super) fn bases(bytes: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut next = FIRST;
    let mut bases = Vec::new();
    for bytes in bytes {
        bases.push(next);
        next += (bytes / ALIGNMENT + 1) * ALIGNMENT;
    }
    bases
}

/// Whether a value can be the address of a location of a test.
pub(super) const fn is_address(value: Value) -> bool {
    value >= FIRST
}
