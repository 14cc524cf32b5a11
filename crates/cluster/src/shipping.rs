//! Tables as one list of numbers.

use explore::tables::{Component, Entries, Field, Operation, Tables};

/// The numbers that tables are.
pub(crate) fn packed(tables: &Tables) -> Vec<u64> {
    let Tables {
        words,
        widths,
        initial,
        components,
        operations,
        keeps,
        entries,
        indices,
        looks_at_all,
    } = tables;
    let mut numbers = vec![*words as u64, u64::from(*looks_at_all)];
    put(&mut numbers, widths.iter().map(|&width| width.into()));
    for list in [initial, keeps, entries, indices] {
        put(&mut numbers, list.iter().copied());
    }
    numbers.push(components.len() as u64);
    for Component { field, begins, marks } in components {
        numbers.push(packed_field(*field));
        put(&mut numbers, begins.iter().map(|&begin| begin.into()));
        put(&mut numbers, marks.iter().map(|&mark| mark.into()));
    }
    numbers.push(operations.len() as u64);
    for Operation { inputs, entries } in operations {
        put(&mut numbers, inputs.iter().map(|&input| packed_field(input)));
        numbers.extend(match *entries {
            Entries::Dense { base } => [0, base.into(), 0, 0],
            Entries::Sparse { base, first, count } => [1, base.into(), first.into(), count.into()],
        });
    }
    numbers
}

fn put(numbers: &mut Vec<u64>, list: impl ExactSizeIterator<Item = u64>) {
    numbers.push(list.len() as u64);
    numbers.extend(list);
}

fn packed_field(Field { word, shift, bits }: Field) -> u64 {
    u64::from_le_bytes([word, shift, bits, 0, 0, 0, 0, 0])
}

/// The tables that [`packed`] made these numbers of; nothing if it did not.
pub(crate) fn unpacked(numbers: &[u64]) -> Option<Tables> {
    let mut numbers = Numbers(numbers);
    let words = usize::try_from(numbers.next()?).ok()?;
    let looks_at_all = numbers.next()? != 0;
    let widths = numbers.list(|width| u32::try_from(width).ok())?;
    let mut plain = || numbers.list(Some);
    let (initial, keeps, entries, indices) = (plain()?, plain()?, plain()?, plain()?);
    let mut components = Vec::new();
    for _ in 0..numbers.next()? {
        components.push(Component {
            field: unpacked_field(numbers.next()?),
            begins: numbers.list(|begin| u32::try_from(begin).ok())?,
            marks: numbers.list(|mark| u8::try_from(mark).ok())?,
        });
    }
    let mut operations = Vec::new();
    for _ in 0..numbers.next()? {
        let inputs = numbers.list(|input| Some(unpacked_field(input)))?;
        let is_sparse = numbers.next()? != 0;
        let (base, first, count) = (numbers.small()?, numbers.small()?, numbers.small()?);
        let entries = if is_sparse {
            Entries::Sparse { base, first, count }
        } else {
            Entries::Dense { base }
        };
        operations.push(Operation { inputs, entries });
    }
    numbers.0.is_empty().then_some(Tables {
        words,
        widths,
        initial,
        components,
        operations,
        keeps,
        entries,
        indices,
        looks_at_all,
    })
}

fn unpacked_field(number: u64) -> Field {
    let [word, shift, bits, ..] = number.to_le_bytes();
    Field { word, shift, bits }
}

struct Numbers<'a>(&'a [u64]);

impl Numbers<'_> {
    fn next(&mut self) -> Option<u64> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn small(&mut self) -> Option<u32> {
        self.next().and_then(|number| u32::try_from(number).ok())
    }

    fn list<T>(&mut self, read: impl Fn(u64) -> Option<T>) -> Option<Vec<T>> {
        let length = usize::try_from(self.next()?).ok()?;
        let (list, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        list.iter().map(|&number| read(number)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_arrive_as_they_were() {
        let field = Field { word: 1, shift: 7, bits: 9 };
        let tables = Tables {
            words: 2,
            widths: vec![60, 3],
            initial: vec![1, 2, 3, 4],
            components: vec![Component { field, begins: vec![0, 1, 2], marks: vec![3, 255] }],
            operations: vec![
                Operation { inputs: vec![field, field], entries: Entries::Dense { base: 4 } },
                Operation {
                    inputs: vec![],
                    entries: Entries::Sparse { base: 1, first: 2, count: 3 },
                },
            ],
            keeps: vec![u64::MAX, 0, 5, 6],
            entries: vec![1 << 63, 9],
            indices: vec![8],
            looks_at_all: true,
        };
        let numbers = packed(&tables);
        assert_eq!(unpacked(&numbers), Some(tables));
        assert_eq!(unpacked(&numbers[1..]), None);
    }
}
