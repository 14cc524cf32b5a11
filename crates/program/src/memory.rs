//! Shared memory: flat integer addresses.
//!
//! A declared [`Location`] occupies the cells `base`, `base + stride`, …; arrays, fields of
//! structures (several interleaved locations) and byte layouts need nothing else. What an address
//! outside every location means is a property of the memory ([`Outside`]): an error, or, for the
//! languages of the ESOP'13 paper and of Trencher, one more zero-initialised cell.

use crate::index::{IndexVec, LocationId};
use crate::instruction::AccessWidth;
use crate::source::Span;
use crate::value::{Domain, Fault, IntType, Value};

/// The initial values of a location's cells.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Initial {
    /// The same value in each cell.
    Uniform(Value),
    /// One value per cell.
    Each(Vec<Value>),
}

/// A declared location: `length` cells at `base`, `base + stride`, ….
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// Its name in the source.
    pub name: String,
    /// The address of the first cell.
    pub base: Value,
    /// The number of cells, or nothing for a scalar, which has one.
    pub length: Option<u64>,
    /// The distance between the addresses of neighbouring cells.
    pub stride: u64,
    /// The initial values.
    pub initial: Initial,
    /// What a cell can hold.
    pub domain: Domain,
    /// Into how many cells each of its elements is divided: 1, unless parts of it are accessed.
    pub parts: u8,
    /// Whether it is a translation's own, and holds nothing that the program computes.
    pub generated: bool,
    /// Where it is declared.
    pub span: Span,
}

impl Location {
    /// A scalar at `base` that starts with zero and holds any integer.
    pub fn scalar(name: impl Into<String>, base: Value) -> Self {
        Self {
            name: name.into(),
            base,
            length: None,
            stride: 1,
            initial: Initial::Uniform(0),
            domain: Domain::Integer,
            parts: 1,
            generated: false,
            span: Span::NONE,
        }
    }

    /// The number of cells.
    pub fn cells(&self) -> u64 {
        self.length.unwrap_or(1)
    }

    /// The address of the cell with this index.
    pub fn address(&self, index: Value) -> Result<Value, Fault> {
        let length = self.cells();
        if (0..Value::from(length)).contains(&index) {
            Ok(self.base + index * Value::from(self.stride))
        } else {
            Err(Fault::IndexOutOfBounds { index, length })
        }
    }

    /// The address of the last cell.
    pub fn last_address(&self) -> Value {
        let steps = Value::from(self.cells().saturating_sub(1));
        self.base.saturating_add(steps.saturating_mul(Value::from(self.stride)))
    }

    /// The index of the cell at `address`, if there is one.
    pub fn index_of(&self, address: Value) -> Option<u64> {
        let offset = address.checked_sub(self.base)?;
        let stride = Value::from(self.stride);
        if offset < 0 || offset % stride != 0 {
            return None;
        }
        u64::try_from(offset / stride).ok().filter(|index| *index < self.cells())
    }

    /// The initial value of the cell with this index.
    pub fn initial_value(&self, index: u64) -> Value {
        match &self.initial {
            Initial::Uniform(value) => *value,
            Initial::Each(values) => {
                values[usize::try_from(index).expect("an index within the location")]
            }
        }
    }

    /// The name of the cell with this index.
    pub fn cell_name(&self, index: u64) -> String {
        if self.parts > 1 {
            let parts = u64::from(self.parts);
            return format!("{}+{}", self.element_name(index), index % parts * self.stride);
        }
        self.element_name(index)
    }

    /// The name of the element that the cell with this index belongs to.
    pub fn element_name(&self, index: u64) -> String {
        let parts = u64::from(self.parts);
        match self.length {
            None => self.name.clone(),
            Some(length) if self.parts > 1 && length == parts => self.name.clone(),
            Some(_) => format!("{}[{}]", self.name, index / parts),
        }
    }
}

/// What an address outside every declared location means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outside {
    /// An access to it is a fault.
    Fault,
    /// It is a cell that starts with zero and holds any integer.
    ZeroCell,
}

/// One cell of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The location it belongs to and its index there, unless it is undeclared.
    pub place: Option<(LocationId, u64)>,
    /// Its initial value.
    pub initial: Value,
    /// What it can hold.
    pub domain: Domain,
}

/// The shared memory of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    locations: IndexVec<LocationId, Location>,
    outside: Outside,
    /// The locations by their base, each with the greatest address up to there: what an address can
    /// belong to is found without looking at all of them.
    by_base: Vec<(LocationId, Value)>,
}

impl Memory {
    /// A memory of these locations.
    pub fn new(locations: IndexVec<LocationId, Location>, outside: Outside) -> Self {
        let mut order: Vec<LocationId> = locations.indices().collect();
        order.sort_by_key(|location| locations[*location].base);
        let mut greatest = Value::MIN;
        let by_base = order.into_iter().map(|id| {
            greatest = greatest.max(locations[id].last_address());
            (id, greatest)
        });
        let by_base = by_base.collect();
        Self { locations, outside, by_base }
    }

    /// The memory of the ESOP'13 paper: every value is the address of a zero-initialised cell.
    pub fn flat() -> Self {
        Self::new(IndexVec::new(), Outside::ZeroCell)
    }

    /// The declared locations.
    pub const fn locations(&self) -> &IndexVec<LocationId, Location> {
        &self.locations
    }

    /// One declared location.
    pub fn location(&self, location: LocationId) -> &Location {
        &self.locations[location]
    }

    /// What an address outside every location means.
    pub const fn outside(&self) -> Outside {
        self.outside
    }

    /// The location and index of `address`, if it is declared.
    pub fn place(&self, address: Value) -> Option<(LocationId, u64)> {
        let before = self.by_base.partition_point(|(id, _)| self.locations[*id].base <= address);
        self.by_base[..before]
            .iter()
            .rev()
            .take_while(|(_, greatest)| *greatest >= address)
            .find_map(|(id, _)| self.locations[*id].index_of(address).map(|index| (*id, index)))
    }

    /// Whether what an address belongs to is a translation's own ([`Location::generated`]).
    pub fn is_generated(&self, address: Value) -> bool {
        self.place(address).is_some_and(|(location, _)| self.locations[location].generated)
    }

    /// The cell at `address`.
    pub fn cell(&self, address: Value) -> Result<Cell, Fault> {
        match (self.place(address), self.outside) {
            (Some((id, index)), _) => {
                let location = &self.locations[id];
                Ok(Cell {
                    place: Some((id, index)),
                    initial: location.initial_value(index),
                    domain: location.domain,
                })
            }
            (None, Outside::ZeroCell) => {
                // An address is a value that came to rest, so it has the bounds of one.
                Domain::Integer.admit(address)?;
                Ok(Cell { place: None, initial: 0, domain: Domain::Integer })
            }
            (None, Outside::Fault) => Err(Fault::NoObject { address }),
        }
    }

    /// The cell that an access of this width at `address` hits.
    pub fn accessed_cell(&self, address: Value, width: AccessWidth) -> Result<Cell, Fault> {
        let cell = self.cell(address)?;
        if width.fits(cell.domain) { Ok(cell) } else { Err(Fault::MixedSize { address }) }
    }

    /// How a person names what lies across the cells at `address` in an access of this type: an element,
    /// or a part of one.
    pub fn name_across(&self, address: Value, int: IntType) -> String {
        let Some((id, index)) = self.place(address) else { return format!("mem[{address}]") };
        let location = &self.locations[id];
        let bytes = u64::from(location.parts) * location.stride;
        let is_element =
            index.is_multiple_of(location.parts.into()) && u64::from(int.bits() / 8) == bytes;
        if is_element { location.element_name(index) } else { location.cell_name(index) }
    }

    /// How a person names the cell at `address`.
    pub fn cell_name(&self, address: Value) -> String {
        match self.place(address) {
            Some((id, index)) => self.locations[id].cell_name(index),
            None => format!("mem[{address}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        // struct { u32 key; u32 next; } node[3], laid out by bytes from 16, next = 7, 8, 9.
        let field = |name: &str, base, initial| Location {
            length: Some(3),
            stride: 8,
            initial,
            domain: Domain::Wrapping(crate::IntType::new(32, false).unwrap()),
            ..Location::scalar(name, base)
        };
        let key = field("node.key", 16, Initial::Uniform(5));
        let next = field("node.next", 20, Initial::Each(vec![7, 8, 9]));
        Memory::new([key, next].into_iter().collect(), Outside::Fault)
    }

    #[test]
    fn interleaved_fields_have_their_own_cells() {
        let memory = memory();
        assert_eq!(memory.cell_name(24), "node.key[1]");
        assert_eq!(memory.cell_name(36), "node.next[2]");
        assert_eq!(memory.cell(36).unwrap().initial, 9);
        for outside in [15, 17, 40, 44, -16] {
            assert_eq!(memory.cell(outside), Err(Fault::NoObject { address: outside }));
        }
    }

    #[test]
    fn an_access_of_another_width_is_a_fault() {
        let memory = memory();
        assert!(memory.accessed_cell(16, AccessWidth::Bytes(4)).is_ok());
        assert!(memory.accessed_cell(16, AccessWidth::Cell).is_ok());
        assert_eq!(
            memory.accessed_cell(16, AccessWidth::Bytes(2)),
            Err(Fault::MixedSize { address: 16 })
        );
    }

    #[test]
    fn flat_memory_has_a_cell_everywhere() {
        let memory = Memory::flat();
        assert_eq!(memory.cell(-5).unwrap().initial, 0);
        assert_eq!(memory.cell(Value::from(i64::MAX) + 1), Err(Fault::Overflow));
    }
}
