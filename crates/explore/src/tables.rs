//! Transition systems as plain data, for engines that run elsewhere: on a graphics card, on several
//! machines.
//!
//! A state is a few numbers side by side. Some of them are the local states of *components*; what a
//! component can do is a list of [`Operation`]s for each of its local states: an operation takes some
//! numbers of the state as an index into a table, and finds there which bits to put in place of those
//! that it does not keep. That is all there is to a step, so an engine needs no code of whoever made
//! the tables; [`Tabulated`] is the same as an ordinary [`System`].
//!
//! Whether a state is a goal is for the client to say ([`Request::is_goal`]), who may know more than
//! the tables do. [`mark`]s of local states say which states are worth asking about, and which are
//! worth expanding.

use std::fmt::Debug;
use std::ops::ControlFlow;

use crate::{Limit, Limits, Progress, State, Statistics, System, Unknown};

/// The place of a number in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// The word it is in.
    pub word: u8,
    /// The bits below it.
    pub shift: u8,
    /// The bits it has.
    pub bits: u8,
}

impl Field {
    fn get(self, state: &[u64]) -> u64 {
        (state[usize::from(self.word)] >> self.shift) & ((1 << self.bits) - 1)
    }
}

/// What local states are marked with, as bits.
pub mod mark {
    /// The client looks at a state if any component is in such a local state,
    pub const LOOK_IF_ANY: u8 = 1;
    /// if all are in such,
    pub const LOOK_IF_ALL: u8 = 2;
    /// or if all are in such and stay in such: no step from the state leads one of them elsewhere, or
    /// changes anything but a local state.
    pub const LOOK_IF_CALM: u8 = 4;
    /// A state is expanded if all components are in such local states,
    pub const EXPAND_IF_ALL: u8 = 8;
    /// or if any is in such a one.
    pub const EXPAND_IF_ANY: u8 = 16;
}

/// The first word of an entry that is no successor has the top bit, which no state has. It says that
/// the operation is not possible,
pub const BLOCKED: u64 = 1 << 63;
/// that it is not known what it does,
pub const UNKNOWN: u64 = BLOCKED | 1;
/// or that there are several successors: entries from the one whose number stands above these bits,
/// up to the next that is [`BLOCKED`].
pub const SEVERAL: u64 = BLOCKED | 2;
/// Bits below the number of the first of several.
pub const SEVERAL_SHIFT: u32 = 2;

/// One thing that a component can do in one of its local states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The numbers that together are the index; the first is the lowest.
    pub inputs: Vec<Field>,
    /// Where its entries are.
    pub entries: Entries,
}

/// Where the entries of an operation are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entries {
    /// One for each index, from this entry on.
    Dense {
        /// The number of the first entry.
        base: u32,
    },
    /// Only those that are known, in the ascending order of their indices; others are [`UNKNOWN`].
    Sparse {
        /// The number of the first entry.
        base: u32,
        /// The place of the first index in [`Tables::indices`].
        first: u32,
        /// How many there are.
        count: u32,
    },
}

/// A part of the system that has a local state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Where its local state is.
    pub field: Field,
    /// For each local state, the number of its first operation; one more at the end.
    pub begins: Vec<u32>,
    /// For each local state, what it is marked with.
    pub marks: Vec<u8>,
}

/// A transition system by its tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// Words of a state.
    pub words: usize,
    /// The bits of each word that a state can use.
    pub widths: Vec<u32>,
    /// The initial states, one after the other.
    pub initial: Vec<u64>,
    /// The components.
    pub components: Vec<Component>,
    /// The operations of all components.
    pub operations: Vec<Operation>,
    /// For each operation, the bits of a state that stay.
    pub keeps: Vec<u64>,
    /// The entries of all operations.
    pub entries: Vec<u64>,
    /// The indices of entries that are sparse.
    pub indices: Vec<u64>,
    /// Whether the client looks at every state, whatever the marks.
    pub looks_at_all: bool,
}

impl Tables {
    /// The entry with this number.
    fn entry(&self, number: usize) -> &[u64] {
        &self.entries[number * self.words..][..self.words]
    }

    /// What all local states of a state are marked with, and what any of them is.
    fn marks(&self, state: &[u64]) -> (u8, u8) {
        self.components.iter().fold((u8::MAX, 0), |(all, any), component| {
            let local = usize::try_from(component.field.get(state)).expect("a local state");
            let marks = component.marks[local];
            (all & marks, any | marks)
        })
    }

    /// Whether the client has to be asked about a state.
    pub fn is_to_be_looked_at(&self, state: &[u64]) -> bool {
        let (all, any) = self.marks(state);
        self.looks_at_all
            || any & mark::LOOK_IF_ANY != 0
            || all & mark::LOOK_IF_ALL != 0
            || all & mark::LOOK_IF_CALM != 0 && self.is_calm(state)
    }

    /// Whether all steps from a state are from calm local states to calm ones and change nothing else.
    fn is_calm(&self, state: &[u64]) -> bool {
        let others = self.outside_components();
        let mut is_calm = true;
        // Of what is not known the client knows more.
        let _ = self.successors(state, |next| {
            let words = next.iter().zip(state).zip(&others);
            is_calm &= words.into_iter().all(|((next, word), others)| (next ^ word) & others == 0)
                && self.marks(next).0 & mark::LOOK_IF_CALM != 0;
        });
        is_calm
    }

    /// The bits of each word that belong to no component.
    pub fn outside_components(&self) -> Vec<u64> {
        let mut others = vec![u64::MAX; self.words];
        for Component { field, .. } in &self.components {
            others[usize::from(field.word)] &= !(((1 << field.bits) - 1) << field.shift);
        }
        others
    }

    /// Whether a state has successors that matter.
    pub fn is_to_be_expanded(&self, state: &[u64]) -> bool {
        let (all, any) = self.marks(state);
        all & mark::EXPAND_IF_ALL != 0 || any & mark::EXPAND_IF_ANY != 0
    }

    /// Calls `visit` with each successor of a state.
    pub fn successors(&self, state: &[u64], mut visit: impl FnMut(&[u64])) -> Result<(), Unknown> {
        if !self.is_to_be_expanded(state) {
            return Ok(());
        }
        let mut next = vec![0; self.words];
        for component in &self.components {
            let local = usize::try_from(component.field.get(state)).expect("a local state");
            for operation in component.begins[local]..component.begins[local + 1] {
                let operation = operation as usize;
                let keep = &self.keeps[operation * self.words..][..self.words];
                let mut apply = |entry: &[u64]| {
                    for (word, next) in next.iter_mut().enumerate() {
                        *next = state[word] & keep[word] | entry[word];
                    }
                    visit(&next);
                };
                let entry = self.found(&self.operations[operation], state)?;
                match entry[0] {
                    first if first & BLOCKED == 0 => apply(entry),
                    BLOCKED => {}
                    UNKNOWN => return Err(Unknown),
                    several => {
                        let first = (several & !BLOCKED) >> SEVERAL_SHIFT;
                        let mut number = usize::try_from(first).expect("a number of an entry");
                        while self.entry(number)[0] != BLOCKED {
                            apply(self.entry(number));
                            number += 1;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// What stands in the table of an operation for a state.
    fn found(&self, operation: &Operation, state: &[u64]) -> Result<&[u64], Unknown> {
        let mut index = 0;
        let mut at = 0;
        for input in &operation.inputs {
            index |= input.get(state) << at;
            at += input.bits;
        }
        let number = match operation.entries {
            Entries::Dense { base } => {
                base as usize + usize::try_from(index).map_err(|_| Unknown)?
            }
            Entries::Sparse { base, first, count } => {
                let indices = &self.indices[first as usize..][..count as usize];
                base as usize + indices.binary_search(&index).map_err(|_| Unknown)?
            }
        };
        Ok(self.entry(number))
    }
}

/// How much of what is looked for is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Shortest paths to so many goals that are as near as the nearest, or as many as there are.
    Nearest(usize),
    /// All goals, without paths.
    All,
}

/// What an engine is asked.
pub struct Request<'a> {
    /// How much is wanted.
    pub wanted: Wanted,
    /// How far it may go.
    pub limits: Limits,
    /// Whether a state is a goal; asked of states that are to be looked at
    /// ([`Tables::is_to_be_looked_at`]), of each at least once.
    pub is_goal: &'a mut dyn FnMut(&[u64]) -> bool,
    /// Told of the progress; can end the search.
    pub watch: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
}

impl Debug for Request<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { wanted, limits, .. } = self;
        f.debug_struct("Request").field("wanted", wanted).field("limits", limits).finish()
    }
}

/// What a search by an engine came to; states are slices of as many words as the tables say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableOutcome {
    /// All reachable states were found. If all goals were wanted, these are they, in ascending order;
    /// otherwise there is none.
    Exhausted(Vec<Vec<u64>>),
    /// Shortest paths to goals.
    Found(Vec<Vec<Vec<u64>>>),
    /// There is a goal, but the engine cannot tell how to get there.
    Untraced,
    /// A limit was reached first; nothing is known.
    Stopped(Limit),
    /// The successors of this state are not all in the tables; nothing is known.
    Unknown(Vec<u64>),
}

/// The result of a search by an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSearch {
    /// What it came to.
    pub outcome: TableOutcome,
    /// What it did.
    pub statistics: Statistics,
}

/// Why an engine cannot search some tables, or at all, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsuitable(pub String);

/// Who searches tables: breadth first and exactly, so that states, transitions, depth and verdict are
/// those of [`crate::search()`] over [`Tabulated`].
pub trait TableEngine: Debug + Send + Sync {
    /// Searches.
    fn search(&self, tables: &Tables, request: Request<'_>) -> Result<TableSearch, Unsuitable>;
}

/// Tables as a system for the search engine of this crate, which looks for the states of which
/// `is_goal` says so.
pub struct Tabulated<'t, F> {
    /// The tables.
    pub tables: &'t Tables,
    /// Whether a state is a goal.
    pub is_goal: F,
}

impl<const W: usize, F: Fn(&[u64]) -> bool + Send + Sync> System<W> for Tabulated<'_, F> {
    fn initial(&self, number: usize) -> Option<State<W>> {
        let state = self.tables.initial.chunks_exact(W).nth(number)?;
        state.try_into().ok()
    }

    fn successors(&self, state: &State<W>, mut visit: impl FnMut(State<W>)) -> Result<(), Unknown> {
        self.tables.successors(state, |next| visit(next.try_into().expect("as many words")))
    }

    fn widths(&self) -> [u32; W] {
        std::array::from_fn(|word| self.tables.widths[word])
    }

    fn is_goal(&self, state: &State<W>) -> bool {
        self.tables.is_to_be_looked_at(state) && (self.is_goal)(state)
    }
}
