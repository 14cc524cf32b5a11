//! Where in a packed state the numbers of local states and contents are.
//!
//! A number takes as many bits as the greatest one needs. Where the automata still grow it takes one
//! more at least, and as many as words that are there anyway have room for: a search that outgrows
//! its layout begins again. No number is split between words, and the top bit of each word stays zero:
//! the engine wants it.

use explore::WIDEST;

use crate::numbers::Numbers;

/// Bits for each thread and each cell of automata that grow, in the order in which they are tried.
const GENEROUS: [(u8, u8); 4] = [(10, 4), (8, 3), (6, 3), (5, 2)];

/// Local states up to which a layout is generous: tables grow with the bits of cells.
const FEW: usize = 256;

/// The place of one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) word: u8,
    pub(crate) shift: u8,
    pub(crate) bits: u8,
}

impl Field {
    #[inline]
    pub(crate) fn get<const W: usize>(self, state: &[u64; W]) -> u64 {
        (state[self.word::<W>()] >> self.shift) & self.mask()
    }

    pub(crate) fn put<const W: usize>(self, state: &mut [u64; W], number: u32) {
        state[self.word::<W>()] |= u64::from(number) << self.shift;
    }

    /// The word; the compiler sees that there is only one if there is only one.
    #[inline]
    pub(crate) const fn word<const W: usize>(self) -> usize {
        if W == 1 { 0 } else { self.word as usize }
    }

    pub(crate) const fn mask(self) -> u64 {
        (1 << self.bits) - 1
    }

    /// Whether that many different numbers have room.
    const fn holds(self, numbers: usize) -> bool {
        numbers <= 1 << self.bits
    }
}

/// The places of all numbers.
pub(crate) struct Layout {
    pub(crate) threads: Vec<Field>,
    pub(crate) cells: Vec<Field>,
    /// Bits of each word that are used.
    used: Vec<u32>,
}

impl Layout {
    /// A layout with room for what is in the automata, and more if they still grow.
    pub(crate) fn of(automata: &Numbers) -> Self {
        if automata.is_complete {
            return Self::with_room(automata, bits_for, (0, 0));
        }
        let twice = |numbers| bits_for(2 * numbers);
        let narrow = Self::with_room(automata, twice, (0, 0));
        if automata.classes.iter().any(|locals| locals.len() > FEW) {
            return narrow;
        }
        let mut generous =
            GENEROUS.into_iter().map(|least| Self::with_room(automata, twice, least));
        let generous = generous.find(|layout| layout.words() == narrow.words());
        generous.unwrap_or(narrow)
    }

    /// A layout with at least so many bits for each thread and each cell.
    fn with_room(
        automata: &Numbers,
        bits_for: impl Fn(usize) -> u8,
        (of_thread, of_cell): (u8, u8),
    ) -> Self {
        let threads = 0..automata.class_of.len();
        let threads = threads.map(|thread| bits_for(automata.locals_of(thread)).max(of_thread));
        let cells = automata.cells.iter();
        let cells = cells.map(|cell| bits_for(cell.contents).max(of_cell));
        let mut fields: Vec<Field> =
            threads.chain(cells).map(|bits| Field { word: 0, shift: 0, bits }).collect();
        // The widest first, each into the first word that has room for it.
        let mut order: Vec<usize> = (0..fields.len()).collect();
        order.sort_by_key(|number| std::cmp::Reverse(fields[*number].bits));
        let mut used: Vec<u32> = vec![0];
        for number in order {
            let bits = u32::from(fields[number].bits);
            let word = used.iter().position(|used| used + bits <= WIDEST).unwrap_or_else(|| {
                used.push(0);
                used.len() - 1
            });
            fields[number].word = u8::try_from(word).unwrap_or(u8::MAX);
            fields[number].shift = u8::try_from(used[word]).expect("less than a word");
            used[word] += bits;
        }
        let cells = fields.split_off(automata.class_of.len());
        Self { threads: fields, cells, used }
    }

    /// Whether everything in the automata still has room.
    pub(crate) fn fits(&self, automata: &Numbers) -> bool {
        let locals = (0..automata.class_of.len()).map(|thread| automata.locals_of(thread));
        let contents = automata.cells.iter().map(|cell| cell.contents);
        self.cells.len() == automata.cells.len()
            && self.threads.iter().zip(locals).all(|(field, numbers)| field.holds(numbers))
            && self.cells.iter().zip(contents).all(|(field, numbers)| field.holds(numbers))
    }

    /// How many words a state has.
    pub(crate) const fn words(&self) -> usize {
        self.used.len()
    }

    /// The bits of each word of a state.
    pub(crate) fn widths<const W: usize>(&self) -> [u32; W] {
        std::array::from_fn(|word| self.used.get(word).copied().unwrap_or(0))
    }

    /// The bits of a state.
    pub(crate) fn bits(&self) -> u32 {
        self.threads.iter().chain(&self.cells).map(|field| u32::from(field.bits)).sum()
    }
}

fn bits_for(numbers: usize) -> u8 {
    let greatest = numbers.saturating_sub(1);
    u8::try_from(usize::BITS - greatest.leading_zeros()).expect("at most 64")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_bits_as_needed() {
        for (numbers, bits) in [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (256, 8), (257, 9)]
        {
            assert_eq!(bits_for(numbers), bits, "{numbers}");
        }
    }
}
