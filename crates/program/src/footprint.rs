//! Which cells an access covers, and how its value lies in them.
//!
//! Almost every access covers one cell. Where a program accesses the same bytes with several widths, memory
//! is laid out in cells as narrow as its accesses need, and an access *across* cells
//! ([`AccessWidth::Across`]) covers as many neighbouring ones as it has bytes. Its value lies in them with
//! the least significant part first (little-endian, as x86, Arm and RISC-V have it).
//!
//! An access across cells is single-copy atomic: all of its cells are read or written at once. The
//! architectures promise that to naturally aligned accesses alone, so any other is a fault.

use crate::instruction::AccessWidth;
use crate::memory::{Cell, Memory};
use crate::value::{Domain, Fault, IntType, Value};

/// The cells that an access covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Footprint {
    /// The address of the first.
    pub address: Value,
    /// The first.
    pub cell: Cell,
    /// How many there are.
    pub cells: u8,
    /// The type of the value, if it lies across cells.
    across: Option<Across>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Across {
    int: IntType,
    /// The type of each cell.
    part: IntType,
}

impl Footprint {
    /// The greatest number of cells: 128 bits, byte by byte.
    pub const MAX_CELLS: usize = 16;

    /// The addresses of the cells.
    pub fn addresses(self) -> impl Iterator<Item = Value> + Clone {
        let step = self.across.map_or(1, |across| Value::from(across.part.bits() / 8));
        (0..Value::from(self.cells)).map(move |cell| self.address + cell * step)
    }

    /// Whether the cell at this address is one of them.
    pub fn covers(self, address: Value) -> bool {
        self.addresses().any(|covered| covered == address)
    }

    /// Whether some cell is covered by both.
    pub fn overlaps(self, other: Self) -> bool {
        self.addresses().any(|address| other.covers(address))
    }

    /// What is written where `value` is to be: wrapped or refused as the cells demand.
    pub const fn admit(self, value: Value) -> Result<Value, Fault> {
        match self.across {
            None => self.cell.domain.admit(value),
            Some(across) => Ok(across.int.wrap(value)),
        }
    }

    /// What the cells hold, first to last, once they hold an admitted value together.
    pub fn parts(self, value: Value) -> impl Iterator<Item = (Value, Value)> {
        let part = move |cell: u8| match self.across {
            None => value,
            Some(across) => across.part.wrap(value >> (cell * across.part.bits())),
        };
        self.addresses().zip((0..self.cells).map(part))
    }

    /// The value that cells with these contents, first to last, hold together.
    pub fn joined(self, contents: impl IntoIterator<Item = Value>) -> Value {
        let mut contents = contents.into_iter();
        let Some(across) = self.across else { return contents.next().unwrap_or_default() };
        let bits = across.part.bits();
        if self.cells == 1 {
            return across.int.wrap(contents.next().unwrap_or_default());
        }
        let mask = (1 << bits) - 1;
        let placed = contents.zip(0_u8..).map(|(part, cell)| (part & mask) << (cell * bits));
        across.int.wrap(placed.fold(0, |all, part| all | part))
    }

    /// The value in memory, where `held` says what each cell holds.
    pub fn read(self, held: impl Fn(Value) -> Value) -> Value {
        if self.across.is_none() {
            return held(self.address);
        }
        self.joined(self.addresses().map(held))
    }
}

impl Memory {
    /// The cells that an access of this width at `address` covers.
    pub fn footprint(&self, address: Value, width: AccessWidth) -> Result<Footprint, Fault> {
        let int = match width {
            AccessWidth::Cell | AccessWidth::Bytes(_) => {
                let cell = self.accessed_cell(address, width)?;
                return Ok(Footprint { address, cell, cells: 1, across: None });
            }
            AccessWidth::Across(int) => int,
        };
        let cell = self.cell(address)?;
        let (Domain::Wrapping(part), Some((location, index))) = (cell.domain, cell.place) else {
            return Err(Fault::MixedSize { address });
        };
        if !int.bits().is_multiple_of(part.bits()) || !part.bits().is_multiple_of(8) {
            return Err(Fault::MixedSize { address });
        }
        if address % Value::from(int.bits() / 8) != 0 {
            return Err(Fault::Misaligned { address });
        }
        let cells = int.bits() / part.bits();
        let location = self.location(location);
        if cells > 1 {
            let step = u64::from(part.bits() / 8);
            if location.stride != step {
                return Err(Fault::MixedSize { address });
            }
            if index + u64::from(cells) > location.cells() {
                let address = location.last_address() + Value::from(step);
                return Err(Fault::NoObject { address });
            }
        }
        Ok(Footprint { address, cell, cells, across: Some(Across { int, part }) })
    }

    /// What is read at the start by an access of this width, if there is something.
    pub fn initial(&self, address: Value, width: AccessWidth) -> Option<Value> {
        let initial = |address| self.cell(address).map_or(0, |cell| cell.initial);
        Some(self.footprint(address, width).ok()?.read(initial))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Initial, Location, Outside};

    fn int(bits: u8, signed: bool) -> IntType {
        IntType::new(bits, signed).unwrap()
    }

    /// Eight bytes 1, 2, …, 8 at 16, and four bytes at 24 that are one cell.
    fn memory() -> Memory {
        let bytes = Location {
            length: Some(8),
            domain: Domain::Wrapping(int(8, false)),
            initial: Initial::Each((1..=8).collect()),
            parts: 8,
            ..Location::scalar("x", 16)
        };
        let word =
            Location { domain: Domain::Wrapping(int(32, true)), ..Location::scalar("w", 24) };
        Memory::new([bytes, word].into_iter().collect(), Outside::Fault)
    }

    #[test]
    fn the_first_cell_holds_the_least_significant_part() {
        let memory = memory();
        let read = |address, int| memory.initial(address, AccessWidth::Across(int));
        assert_eq!(read(16, int(16, false)), Some(0x0201));
        assert_eq!(read(20, int(32, false)), Some(0x0807_0605));
        assert_eq!(read(16, int(64, false)), Some(0x0807_0605_0403_0201));
        assert_eq!(read(17, int(8, true)), Some(2));
        let wide = memory.footprint(20, AccessWidth::Across(int(32, true))).unwrap();
        let parts: Vec<_> = wide.parts(wide.admit(-2).unwrap()).collect();
        assert_eq!(parts, [(20, 0xfe), (21, 0xff), (22, 0xff), (23, 0xff)]);
        assert_eq!(wide.joined([0xfe, 0xff, 0xff, 0xff]), -2);
        assert!(wide.covers(23) && !wide.covers(24) && !wide.covers(19));
    }

    #[test]
    fn one_cell_is_covered_as_a_whole() {
        let memory = memory();
        let unsigned = memory.footprint(24, AccessWidth::Across(int(32, false))).unwrap();
        assert_eq!(unsigned.read(|_| -1), Value::from(u32::MAX));
        assert_eq!(unsigned.parts(Value::from(u32::MAX)).collect::<Vec<_>>(), [(24, -1)]);
        let cell = memory.footprint(24, AccessWidth::Cell).unwrap();
        assert_eq!(cell.read(|_| -1), -1);
    }

    #[test]
    fn what_cannot_be_accessed_at_once_is_a_fault() {
        let memory = memory();
        let fault = |address, bits| {
            memory.footprint(address, AccessWidth::Across(int(bits, false))).unwrap_err()
        };
        assert_eq!(fault(17, 16), Fault::Misaligned { address: 17 });
        assert_eq!(fault(24, 8), Fault::MixedSize { address: 24 });
        assert_eq!(fault(24, 64), Fault::MixedSize { address: 24 });
        assert_eq!(fault(40, 8), Fault::NoObject { address: 40 });
    }
}
