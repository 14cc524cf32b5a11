//! Values are exact integers; domains say what a register or a memory cell can hold.
//!
//! Expressions compute with mathematical integers, so no intermediate result is ever silently
//! wrong. Only where a value comes to rest, in a register or in memory, does its [`Domain`] decide:
//! a declared width wraps as in C, a declared range is a promise whose breach is a reachable
//! error, and everything else is a checked 64-bit integer whose overflow makes an answer
//! *undecided*.

use std::fmt;

/// A value or an address: an exact integer. What comes to rest in a register or in memory
/// lies between −2⁶³ and 2⁶⁴ − 1, unless that has 128 bits; the wider type gives intermediate results their room.
pub type Value = i128;

/// Whether a value can come to rest in a register or in memory of at most 64 bits.
pub const fn is_at_rest(value: Value) -> bool {
    i64::MIN as Value <= value && value <= u64::MAX as Value
}

/// A fixed-width integer type of C or Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntType {
    bits: u8,
    signed: bool,
}

impl IntType {
    /// The type with this many bits (1 to 64, or 128 signed ones), or nothing if there is no such type.
    pub const fn new(bits: u8, signed: bool) -> Option<Self> {
        let exists = bits >= 1 && bits <= 64 || bits == Self::WIDEST && signed;
        if exists { Some(Self { bits, signed }) } else { None }
    }

    /// As many bits as a value has: two registers of a machine, accessed as one.
    const WIDEST: u8 = 128;

    /// How many bits a value occupies.
    pub const fn bits(self) -> u8 {
        self.bits
    }

    /// Whether values are read in two's complement.
    pub const fn signed(self) -> bool {
        self.signed
    }

    /// The least value.
    pub const fn min(self) -> Value {
        if self.signed { Value::MIN >> (Self::WIDEST - self.bits) } else { 0 }
    }

    /// The greatest value.
    pub const fn max(self) -> Value {
        let unused = Self::WIDEST - self.bits;
        if self.signed { Value::MAX >> unused } else { Value::MAX >> (unused - 1) }
    }

    /// The value of this type that is congruent to `value` modulo 2^bits.
    pub const fn wrap(self, value: Value) -> Value {
        let unused = Self::WIDEST - self.bits;
        let high = value << unused;
        if self.signed { high >> unused } else { (high.cast_unsigned() >> unused).cast_signed() }
    }

    /// The type named `u8`, `i32` and so on: any width from 1 to 64, and `i128`.
    pub fn from_name(name: &str) -> Option<Self> {
        let signed = match name.as_bytes().first()? {
            b'u' => false,
            b'i' => true,
            _ => return None,
        };
        let digits = &name[1..];
        if digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        Self::new(digits.parse().ok()?, signed)
    }
}

impl fmt::Display for IntType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }
}

/// What a register or a memory cell can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Domain {
    /// A checked 64-bit integer: nothing was declared.
    Integer,
    /// The declared values from `low` to `high`, both included; anything else is an error.
    Range {
        /// The least value.
        low: Value,
        /// The greatest value.
        high: Value,
    },
    /// A C-like integer: whatever is put in wraps.
    Wrapping(IntType),
}

impl Domain {
    /// The least and the greatest value that can be held.
    pub const fn bounds(self) -> (Value, Value) {
        match self {
            Self::Integer => (i64::MIN as Value, i64::MAX as Value),
            Self::Range { low, high } => (low, high),
            Self::Wrapping(int) => (int.min(), int.max()),
        }
    }

    /// Whether `value` can be held as it is.
    pub const fn contains(self, value: Value) -> bool {
        let (low, high) = self.bounds();
        low <= value && value <= high
    }

    /// What is held after `value` is put in.
    pub const fn admit(self, value: Value) -> Result<Value, Fault> {
        match self {
            Self::Wrapping(int) => Ok(int.wrap(value)),
            Self::Integer if !self.contains(value) => Err(Fault::Overflow),
            Self::Range { low, high } if !self.contains(value) => {
                Err(Fault::OutOfRange { value, low, high })
            }
            Self::Integer | Self::Range { .. } => Ok(value),
        }
    }
}

/// Why an instruction could not complete. All but [`Fault::Overflow`] stop the thread and are
/// reachable errors of the program; an overflow is a limit of this tool and makes the answer
/// *undecided*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// A value of undeclared range left the 64-bit integers.
    Overflow,
    /// A division or a remainder by zero.
    DivisionByZero,
    /// A shift by a negative amount.
    NegativeShift,
    /// An index outside an array.
    IndexOutOfBounds {
        /// The index used.
        index: Value,
        /// The number of elements.
        length: u64,
    },
    /// A value outside the declared range of a register or a location.
    OutOfRange {
        /// The value that was to be put in.
        value: Value,
        /// The least declared value.
        low: Value,
        /// The greatest declared value.
        high: Value,
    },
    /// An access to an address that belongs to no object.
    NoObject {
        /// The address accessed.
        address: Value,
    },
    /// An access narrower or wider than the memory cell it hits.
    MixedSize {
        /// The address accessed.
        address: Value,
    },
    /// An access across cells at an address that is no multiple of its width.
    Misaligned {
        /// The address accessed.
        address: Value,
    },
    /// A false assertion.
    AssertionFailed,
    /// A memory lock taken by the thread that holds it already.
    LockHeld,
    /// A memory lock given back by a thread that does not hold it.
    LockNotHeld,
}

impl Fault {
    /// Whether this is a limit of the tool and not an error of the program.
    pub const fn is_limit(self) -> bool {
        match self {
            Self::Overflow => true,
            Self::DivisionByZero
            | Self::NegativeShift
            | Self::IndexOutOfBounds { .. }
            | Self::OutOfRange { .. }
            | Self::NoObject { .. }
            | Self::MixedSize { .. }
            | Self::Misaligned { .. }
            | Self::AssertionFailed
            | Self::LockHeld
            | Self::LockNotHeld => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overflow => {
                write!(f, "a value of undeclared range overflows a 64-bit integer")
            }
            Self::DivisionByZero => write!(f, "division by zero"),
            Self::NegativeShift => write!(f, "shift by a negative amount"),
            Self::IndexOutOfBounds { index, length } => {
                write!(f, "index {index} outside an array of {length}")
            }
            Self::OutOfRange { value, low, high } => {
                write!(f, "value {value} outside the declared range {low}..={high}")
            }
            Self::NoObject { address } => write!(f, "address {address} belongs to no object"),
            Self::MixedSize { address } => {
                write!(f, "access of another width than the cell at address {address}")
            }
            Self::Misaligned { address } => {
                write!(
                    f,
                    "access to several cells at address {address}, which is not aligned to it"
                )
            }
            Self::AssertionFailed => write!(f, "assertion failed"),
            Self::LockHeld => write!(f, "the memory lock is already held by this thread"),
            Self::LockNotHeld => write!(f, "the memory lock is not held by this thread"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_wrap_as_in_c() {
        let u8 = IntType::new(8, false).unwrap();
        let i8 = IntType::new(8, true).unwrap();
        let u64 = IntType::new(64, false).unwrap();
        let i64 = IntType::new(64, true).unwrap();
        let check = |int: IntType, value, wrapped| assert_eq!(int.wrap(value), wrapped, "{int}");
        check(u8, 256, 0);
        check(u8, -1, 255);
        check(i8, 128, -128);
        check(i8, -129, 127);
        check(u64, -1, Value::from(u64::MAX));
        check(i64, 1 << 63, Value::from(i64::MIN));
        check(u64, Value::MAX, Value::from(u64::MAX));
        check(IntType::new(1, false).unwrap(), 3, 1);
        let i128 = IntType::new(128, true).unwrap();
        check(i128, Value::MIN, Value::MIN);
        check(i128, Value::MAX, Value::MAX);
        assert_eq!((i128.min(), i128.max()), (Value::MIN, Value::MAX));
        assert_eq!((i8.min(), i8.max(), u8.min(), u8.max()), (-128, 127, 0, 255));
        assert_eq!((i64.min(), i64.max()), (i64::MIN.into(), i64::MAX.into()));
        assert_eq!((u64.min(), u64.max()), (0, u64::MAX.into()));
    }

    #[test]
    fn names_of_types() {
        for name in ["u8", "i64", "u1", "i33", "i128"] {
            assert_eq!(IntType::from_name(name).unwrap().to_string(), name);
        }
        for name in ["u0", "u65", "i65", "u128", "i", "u08", "f32", "", "u-1", "u+8", "uü"] {
            assert_eq!(IntType::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn domains_admit_wrap_or_refuse() {
        let range = Domain::Range { low: -1, high: 3 };
        assert_eq!(range.admit(3), Ok(3));
        assert_eq!(range.admit(4), Err(Fault::OutOfRange { value: 4, low: -1, high: 3 }));
        assert_eq!(Domain::Integer.admit(1 << 62), Ok(1 << 62));
        assert_eq!(Domain::Integer.admit(1 << 63), Err(Fault::Overflow));
        assert_eq!(Domain::Wrapping(IntType::new(4, false).unwrap()).admit(17), Ok(1));
    }
}
