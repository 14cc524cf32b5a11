//! Memory cells that are one shared cell for the engine.
//!
//! Where a program accesses bytes with several widths, an access covers up to eight cells at once
//! ([`program::footprint`]), more than a step can touch. It is naturally aligned, so all of them lie in
//! the same eight bytes: the cells of a location that do are one *block*, which is read and written as
//! a whole. In all other programs a block is a single cell.

use program::{AccessWidth, Domain, Footprint, Instruction, Value};

use super::{Content, Reservation, Sc};

/// The widest access, in bytes.
const WIDEST: Value = 8;

/// Neighbouring memory cells that are one shared cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The address of the first.
    pub(crate) base: Value,
    step: Value,
    cells: Value,
}

impl Block {
    const fn single(address: Value) -> Self {
        Self { base: address, step: 1, cells: 1 }
    }

    pub(crate) fn addresses(self) -> impl Iterator<Item = Value> {
        (0..self.cells).map(move |cell| self.base + cell * self.step)
    }

    /// Whether a write there leaves nothing of what the block holds.
    pub(super) fn is_replaced_by(self, covered: Covered) -> bool {
        self.cells == Value::from(covered.cells())
    }

    /// Which of the cells an address is.
    fn place(self, address: Value) -> usize {
        usize::try_from((address - self.base) / self.step).unwrap_or(0)
    }
}

impl Content {
    /// What the block holds in the beginning.
    pub(super) fn initial(mut values: impl Iterator<Item = Value>) -> Self {
        let first = values.next().unwrap_or_default();
        Self { others: values.collect(), ..Self::of(first) }
    }

    /// What a cell of the block holds.
    pub(crate) fn held(&self, block: Block, address: Value) -> Value {
        match block.place(address).checked_sub(1) {
            None => self.value,
            Some(place) => self.others[place],
        }
    }

    /// Lets a cell of the block hold something.
    pub(crate) fn put(&mut self, block: Block, address: Value, value: Value) {
        match block.place(address).checked_sub(1) {
            None => self.value = value,
            Some(place) => self.others[place] = value,
        }
    }

    /// Whether a reservation of the thread stands.
    pub(crate) fn is_reserved_by(&self, thread: usize) -> bool {
        self.reserved_by.iter().any(|reservation| reservation.thread == thread)
    }

    /// Cells were written by a thread: that ends the reservations of others.
    pub(crate) fn end_reservations(&mut self, by: Option<usize>, covered: &Covered) {
        self.reserved_by.retain(|reservation| {
            Some(reservation.thread) == by || !covered.overlaps(reservation.cells)
        });
    }
}

/// The first and the last address of neighbouring cells of one location.
pub(crate) type Extent = (Value, Value);

/// The cells that an access covers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Covered {
    /// One.
    Cell(Value),
    /// As many as the access is wide.
    Across(Footprint),
}

impl Covered {
    /// The first and the last address.
    pub(crate) fn extent(self) -> Extent {
        match self {
            Self::Cell(address) => (address, address),
            Self::Across(cells) => {
                (cells.address, cells.addresses().last().unwrap_or(cells.address))
            }
        }
    }

    const fn cells(self) -> u8 {
        match self {
            Self::Cell(_) => 1,
            Self::Across(cells) => cells.cells,
        }
    }

    pub(crate) fn read(self, held: impl Fn(Value) -> Value) -> Value {
        match self {
            Self::Cell(address) => held(address),
            Self::Across(cells) => cells.read(held),
        }
    }

    /// What is written where.
    pub(crate) fn parts(self, value: Value) -> Vec<(Value, Value)> {
        match self {
            Self::Cell(address) => vec![(address, value)],
            Self::Across(cells) => cells.parts(value).collect(),
        }
    }

    /// Whether all of its cells are like this.
    pub(crate) fn all(self, is_such: impl Fn(Value) -> bool) -> bool {
        match self {
            Self::Cell(address) => is_such(address),
            Self::Across(cells) => cells.addresses().all(is_such),
        }
    }

    fn overlaps(self, (first, last): Extent) -> bool {
        !self.all(|address| !(first..=last).contains(&address))
    }
}

impl Reservation {
    pub(super) const fn of(thread: usize, cells: Extent) -> Self {
        Self { thread, cells }
    }
}

impl Sc<'_> {
    /// The block of a cell.
    pub(crate) fn block(&self, address: Value) -> Block {
        if !self.has_accesses_across {
            return Block::single(address);
        }
        let memory = self.program.memory();
        let Ok(cell) = memory.cell(address) else { return Block::single(address) };
        let (Domain::Wrapping(part), Some((location, index))) = (cell.domain, cell.place) else {
            return Block::single(address);
        };
        let location = memory.location(location);
        let step = Value::from(location.stride);
        if step >= WIDEST || Value::from(part.bits()) != 8 * step {
            return Block::single(address);
        }
        let begin = address.div_euclid(WIDEST) * WIDEST;
        let before = ((address - begin) / step).min(Value::from(index));
        let base = address - before * step;
        let left = Value::from(location.cells()) - (Value::from(index) - before);
        let cells = ((begin + WIDEST - base + step - 1) / step).min(left);
        Block { base, step, cells }
    }

    /// The cells that an access at an address covers; the address has a cell.
    pub(crate) fn covered(&self, instruction: &Instruction, address: Value) -> Covered {
        let width = instruction.memory_access().map(|(_, access)| access.width);
        match width {
            Some(width @ AccessWidth::Across(_)) => {
                let cells = self.program.memory().footprint(address, width);
                cells.map_or(Covered::Cell(address), Covered::Across)
            }
            Some(AccessWidth::Cell | AccessWidth::Bytes(_)) | None => Covered::Cell(address),
        }
    }
}
