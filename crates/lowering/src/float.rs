//! Floating-point numbers as LLVM writes them and as they lie in memory. Nothing is computed with them.

use llvm::FloatKind;
use program::Value;

/// The bits of a floating-point number as LLVM writes it. `float` is written like the `double` of the same
/// value; what has another format has a letter.
pub(crate) fn float_bits(kind: FloatKind, text: &str) -> Option<Value> {
    let hexadecimal = |digits: &str| u128::from_str_radix(digits, 16).ok();
    let bits = match kind {
        FloatKind::Half => hexadecimal(text.strip_prefix("0xH")?)?,
        FloatKind::BFloat => hexadecimal(text.strip_prefix("0xR")?)?,
        FloatKind::X86Fp80 => hexadecimal(text.strip_prefix("0xK")?)?,
        // The lower half stands first.
        FloatKind::Fp128 => hexadecimal(text.strip_prefix("0xL")?)?.rotate_left(64),
        FloatKind::Float => narrowed(double(text)?).to_bits().into(),
        FloatKind::Double => double(text)?.to_bits().into(),
        FloatKind::PpcFp128 => return None,
    };
    Some(bits.cast_signed())
}

fn double(text: &str) -> Option<f64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(f64::from_bits),
        None => text.parse().ok(),
    }
}

/// The `float` that a `double` of the same value stands for.
#[expect(clippy::cast_possible_truncation, reason = "it is exact: that is how it was written")]
const fn narrowed(double: f64) -> f32 {
    double as f32
}
