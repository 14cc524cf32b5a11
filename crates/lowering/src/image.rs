//! Initial contents by bytes, with addresses where pointers stand.

use std::collections::BTreeMap;

use program::Value;

/// The initial bytes of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Image {
    bytes: BTreeMap<u64, u8>,
    /// Addresses, each of eight bytes.
    pointers: BTreeMap<u64, Value>,
    /// What cannot be expressed: where it ends, and what it is.
    inexpressible: BTreeMap<u64, (u64, String)>,
}

impl Image {
    /// Puts a number of so many bytes, low bytes first.
    pub(crate) fn put(&mut self, offset: u64, width: u64, value: Value) {
        for at in 0..width {
            let byte = u8::try_from((value >> (8 * at.min(15))) & 0xff).expect("eight bits");
            self.put_byte(offset + at, byte);
        }
    }

    /// Puts a byte.
    pub(crate) fn put_byte(&mut self, offset: u64, byte: u8) {
        if byte != 0 {
            self.bytes.insert(offset, byte);
        }
    }

    /// Puts an address.
    pub(crate) fn put_pointer(&mut self, offset: u64, address: Value) {
        self.pointers.insert(offset, address);
    }

    /// Says that so many bytes hold something that cannot be expressed.
    pub(crate) fn put_inexpressible(&mut self, offset: u64, width: u64, what: String) {
        self.inexpressible.insert(offset, (offset + width, what));
    }

    /// What among so many bytes cannot be expressed.
    pub(crate) fn inexpressible(&self, offset: u64, width: u64) -> Option<&str> {
        let before = self.inexpressible.range(..offset + width);
        before.map(|(_, known)| known).find(|(end, _)| *end > offset).map(|(_, what)| &**what)
    }

    /// The number in so many bytes, without a sign.
    pub(crate) fn get(&self, offset: u64, width: u64) -> Value {
        let mut value: Value = 0;
        for at in 0..width.min(15) {
            let byte = self.bytes.get(&(offset + at)).copied().unwrap_or(0);
            value |= Value::from(byte) << (8 * at);
        }
        for (start, address) in self.pointers.range(offset.saturating_sub(7)..offset + width) {
            let shift = i128::from(*start) - i128::from(offset);
            let part = if shift >= 0 { address << (8 * shift) } else { address >> (-8 * shift) };
            value |= part;
        }
        if width < 15 { value & ((1 << (8 * width)) - 1) } else { value }
    }

    /// All addresses in it, with where they stand.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = (u64, Value)> {
        self.pointers.iter().map(|(offset, address)| (*offset, *address))
    }
}
