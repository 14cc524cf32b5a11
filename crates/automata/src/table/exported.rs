//! Steps as plain data, for engines that run elsewhere ([`explore::tables`]).

use explore::tables::{BLOCKED, Component, Entries, Field as Place, Operation, SEVERAL};
use explore::tables::{SEVERAL_SHIFT, Tables};

use super::{MANY, NO_STATE, ThreadTable};
use crate::layout::Field;

impl From<Field> for Place {
    fn from(Field { word, shift, bits }: Field) -> Self {
        Self { word, shift, bits }
    }
}

impl<const W: usize> ThreadTable<W> {
    /// Adds the thread as a component whose local states have these marks.
    pub(crate) fn export(&self, marks: Vec<u8>, tables: &mut Tables) {
        let first = number(tables.operations.len());
        for (operation, op) in self.operations.iter().enumerate() {
            tables.keeps.extend(op.keep);
            let inputs = self.inputs[operation].all();
            let bits: u32 = inputs.iter().map(|input| u32::from(input.bits)).sum();
            let base = number(tables.entries.len() / W);
            let (entries, puts): (Entries, Vec<[u64; W]>) = if op.is_sparse {
                let known = self.sparse.iter().filter(|((of, _), _)| *of == number(operation));
                let mut known: Vec<_> =
                    known.map(|((_, index), (_, put))| (*index, *put)).collect();
                known.sort_unstable();
                let first = number(tables.indices.len());
                tables.indices.extend(known.iter().map(|(index, _)| *index));
                let count = number(known.len());
                let puts = known.into_iter().map(|(_, put)| put).collect();
                (Entries::Sparse { base, first, count }, puts)
            } else {
                let place = op.base as usize;
                (Entries::Dense { base }, self.dense[place..][..1 << bits].to_vec())
            };
            tables.entries.extend(puts.iter().flatten());
            self.export_several(base as usize, &puts, tables);
            let inputs = inputs.iter().map(|input| Place::from(*input)).collect();
            tables.operations.push(Operation { inputs, entries });
        }
        let begins = self.begins.iter().map(|begin| first + begin).collect();
        tables.components.push(Component { field: self.field.into(), begins, marks });
    }

    /// Adds the successors of entries that have several, and says there where they are.
    fn export_several(&self, base: usize, puts: &[[u64; W]], tables: &mut Tables) {
        for (at, put) in puts.iter().enumerate() {
            if put[0] & MANY != MANY {
                continue;
            }
            let several = usize::try_from((put[0] & !NO_STATE) >> 2).expect("few");
            let first = (tables.entries.len() / W) as u64;
            tables.entries.extend(self.many[several].iter().flat_map(|(_, put)| *put));
            tables.entries.push(BLOCKED);
            tables.entries.extend([0; W].iter().skip(1));
            tables.entries[(base + at) * W] = SEVERAL | first << SEVERAL_SHIFT;
        }
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 entries")
}
