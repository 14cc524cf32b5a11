//! Initial contents by bytes, with addresses where pointers stand.

use std::collections::BTreeMap;

use program::Value;

use crate::thread::FRESH;

/// The initial bytes of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Image {
    bytes: BTreeMap<u64, u8>,
    /// Addresses, each of eight bytes.
    pointers: BTreeMap<u64, Value>,
    /// What cannot be expressed: where it ends, and what it is.
    inexpressible: BTreeMap<u64, (u64, String)>,
    /// What nobody has written: where it begins and ends.
    unwritten: BTreeMap<u64, u64>,
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

    /// Says that nobody has written so many bytes.
    pub(crate) fn leave_unwritten(&mut self, offset: u64, width: u64) {
        if width > 0 {
            self.unwritten.insert(offset, offset + width);
        }
    }

    /// Whether there are bytes that nobody has written.
    pub(crate) fn is_unwritten(&self) -> bool {
        !self.unwritten.is_empty()
    }

    /// Whether nobody has written any of so many bytes.
    pub(crate) fn is_unwritten_at(&self, offset: u64, width: u64) -> bool {
        let before = self.unwritten.range(..=offset).next_back();
        before.is_some_and(|(_, end)| offset + width <= *end)
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
            let byte = self.byte(offset + at);
            value |= Value::from(byte) << (8 * at);
        }
        for (start, address) in self.pointers.range(offset.saturating_sub(7)..offset + width) {
            let shift = i128::from(*start) - i128::from(offset);
            let part = if shift >= 0 { address << (8 * shift) } else { address >> (-8 * shift) };
            value |= part;
        }
        if width < 15 { value & ((1 << (8 * width)) - 1) } else { value }
    }

    fn byte(&self, offset: u64) -> u8 {
        if let Some(byte) = self.bytes.get(&offset) {
            return *byte;
        }
        if self.is_unwritten_at(offset, 1) { FRESH } else { 0 }
    }

    /// All addresses in it, with where they stand.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = (u64, Value)> {
        self.pointers.iter().map(|(offset, address)| (*offset, *address))
    }
}
