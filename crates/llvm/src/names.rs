//! Names, strings and numbers as they are written, what they mean, and how to write them.

use std::borrow::Cow;

/// The bytes that an escaped string stands for: `\0A` is one byte, `\\` a backslash.
pub(crate) fn bytes(raw: &str) -> Cow<'_, [u8]> {
    if !raw.as_bytes().contains(&b'\\') {
        return Cow::Borrowed(raw.as_bytes());
    }
    let mut decoded = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        match (first, behind) {
            (b'\\', [b'\\', behind @ ..]) => {
                decoded.push(b'\\');
                rest = behind;
            }
            (b'\\', [high, low, behind @ ..]) => match (hex_digit(*high), hex_digit(*low)) {
                (Some(high), Some(low)) => {
                    decoded.push(high << 4 | low);
                    rest = behind;
                }
                _ => decoded.push(b'\\'),
            },
            _ => decoded.push(*first),
        }
    }
    Cow::Owned(decoded)
}

/// The text that an escaped string stands for; what is not UTF-8 is replaced.
pub(crate) fn string(raw: &str) -> Cow<'_, str> {
    match bytes(raw) {
        Cow::Borrowed(_) => Cow::Borrowed(raw),
        Cow::Owned(decoded) => Cow::Owned(String::from_utf8_lossy(&decoded).into_owned()),
    }
}

/// A name behind a sigil, decoded. A quoted number keeps its quotes: `%"1"` is not `%1`.
pub(crate) fn identifier(raw: &str) -> Cow<'_, str> {
    let Some(inner) = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return Cow::Borrowed(raw);
    };
    if is_number(inner) { Cow::Borrowed(raw) } else { string(inner) }
}

/// Whether a name is a number that LLVM gives to what has no name.
pub(crate) fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// An integer of at most 128 bits in any of its forms; larger ones of 128 bits wrap to negative.
pub(crate) fn integer(raw: &str) -> Option<i128> {
    if let Some(digits) = raw.strip_prefix("u0x") {
        return u128::from_str_radix(digits, 16).ok().map(u128::cast_signed);
    }
    if let Some(digits) = raw.strip_prefix("s0x") {
        let value = u128::from_str_radix(digits, 16).ok()?;
        // LLVM takes the highest bit that is set for the sign.
        let bits = 128 - value.leading_zeros();
        return Some(match 1_u128.checked_shl(bits) {
            Some(power) if value != 0 => value.wrapping_sub(power).cast_signed(),
            _ => value.cast_signed(),
        });
    }
    raw.parse().ok().or_else(|| raw.parse().ok().map(u128::cast_signed))
}

/// Appends what stands for some bytes between quotes.
pub(crate) fn escape(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'"' => push_hex(*byte, out),
            b' '..=b'~' => out.push(char::from(*byte)),
            _ => push_hex(*byte, out),
        }
    }
}

/// Appends a name as it stands behind a sigil, or before the colon of a label.
pub(crate) fn write_identifier(name: &str, out: &mut String) {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let quoted_number = name.starts_with('"')
        && name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).is_some_and(is_number);
    let starts_with_digit = name.starts_with(|first: char| first.is_ascii_digit());
    if quoted_number
        || is_number(name)
        || !name.is_empty() && name.bytes().all(plain) && !starts_with_digit
    {
        out.push_str(name);
        return;
    }
    out.push('"');
    escape(name.as_bytes(), out);
    out.push('"');
}

fn push_hex(byte: u8, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('\\');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}
