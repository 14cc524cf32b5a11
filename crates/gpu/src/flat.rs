//! Tables as the kernels read them: arrays of numbers.

use explore::tables::{Entries, Field, Tables, Unsuitable};

/// Above the place of a complex input.
const IS_COMPLEX: u32 = 1 << 31;
/// Above the number of inputs of an operation with few entries.
const IS_SPARSE: u32 = 1 << 31;

/// The arrays, in words of 64 bits.
pub(crate) struct Flat {
    pub(crate) operations: Vec<u64>,
    pub(crate) begins: Vec<u64>,
    pub(crate) marks: Vec<u64>,
    pub(crate) entries: Vec<u64>,
    pub(crate) complexes: Vec<u64>,
    pub(crate) indices: Vec<u64>,
}

impl Flat {
    /// The arrays of tables that a card can search.
    pub(crate) fn new(tables: &Tables) -> Result<Self, Unsuitable> {
        if !(1..=2).contains(&tables.words) {
            let why = format!(
                "a state takes {} words of 64 bits, and the graphics card has room for two",
                tables.words
            );
            return Err(Unsuitable(why));
        }
        let (mut operations, mut complexes) = (Vec::new(), Vec::new());
        for (number, operation) in tables.operations.iter().enumerate() {
            let keep = &tables.keeps[number * tables.words..][..tables.words];
            operations.extend(keep);
            let inputs: Vec<u32> = operation.inputs.iter().map(|field| packed(*field)).collect();
            let (base, input) = match (operation.entries, inputs.as_slice()) {
                (Entries::Dense { base }, []) => (base, 0),
                (Entries::Dense { base }, [input]) => (base, *input),
                (Entries::Dense { base }, inputs) => {
                    let at = counted(complexes.len());
                    complexes.push(counted(inputs.len()));
                    complexes.extend(inputs);
                    (base, at | IS_COMPLEX)
                }
                (Entries::Sparse { base, first, count }, inputs) => {
                    let at = counted(complexes.len());
                    complexes.push(counted(inputs.len()) | IS_SPARSE);
                    complexes.extend(inputs);
                    complexes.extend([first, count]);
                    (base, at | IS_COMPLEX)
                }
            };
            operations.push(u64::from(base) | u64::from(input) << 32);
        }
        let (mut begins, mut marks) = (Vec::new(), Vec::new());
        for component in &tables.components {
            begins.extend(&component.begins);
            marks.extend(component.marks.iter().map(|marks| u32::from(*marks)));
            // As many as there are beginnings.
            marks.push(0);
        }
        Ok(Self {
            operations,
            begins: paired(&begins),
            marks: paired(&marks),
            entries: tables.entries.clone(),
            complexes: paired(&complexes),
            indices: tables.indices.clone(),
        })
    }
}

fn packed(field: Field) -> u32 {
    u32::from(field.word) << 16 | u32::from(field.shift) << 8 | u32::from(field.bits)
}

fn counted(length: usize) -> u32 {
    u32::try_from(length).expect("fewer than 2^31 inputs")
}

/// Two numbers to a word, the first below.
fn paired(numbers: &[u32]) -> Vec<u64> {
    let word = |pair: &[u32]| {
        pair.iter().rev().fold(0, |word: u64, number| word << 32 | u64::from(*number))
    };
    numbers.chunks(2).map(word).collect()
}
