//! Steps as masks and tables: what the search executes.
//!
//! An operation takes the bits of the thread and of the cells it writes out of a state and puts
//! others in; which ones it finds in a table, at the numbers of the contents that matter. Tables
//! of one thread are its own, so that the bits in them need no shifting.

mod exported;

use explore::Origin;
use rustc_hash::FxHashMap;

use crate::MOST_CELLS;
use crate::diamonds::{Diamonds, Footing, LeftOut};
use crate::layout::{Field, Layout};
use crate::numbers::{LIKELY, Numbers};
use crate::outcomes::{Contents, Outcome};

/// The top bit of a state's word is zero, so what has it is no state.
const NO_STATE: u64 = 1 << 63;
/// Tables with more places than this are kept as maps: most of their places stay empty.
const LARGEST: u32 = 10;

/// What an operation does in a state.
pub(crate) enum Found<'a, const W: usize> {
    /// Nothing.
    Blocked,
    /// This was not asked before.
    Unknown,
    /// One successor: its flags, and what is to be put in.
    One(u8, &'a [u64; W]),
    /// Several.
    Many(&'a [(u8, [u64; W])]),
}

/// See [`Outcome::closes_loop`].
pub(crate) const CLOSES_LOOP: u8 = 1;
/// The condition can tell the states before and after from each other.
pub(crate) const VISIBLE: u8 = 2;

/// One step of one local state of one thread: what a search without reductions needs of it.
struct Operation<const W: usize> {
    /// The bits that stay.
    keep: [u64; W],
    base: u32,
    /// The content that matters, if it is one: its place in the state. No bits if it is none.
    mask: u16,
    word: u8,
    shift: u8,
    /// The number of its [`Footing`].
    footing: Origin,
    /// Whether there are several contents that matter.
    has_inputs: bool,
    is_sparse: bool,
}

impl<const W: usize> Operation<W> {
    /// The content that matters.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a part of `plain_successors`")]
    fn content(&self, state: &[u64; W]) -> usize {
        // The compiler sees that there is only one word if there is only one.
        let word = if W == 1 { 0 } else { usize::from(self.word) };
        let [low, high, ..] = (state[word] >> self.shift).to_le_bytes();
        usize::from(u16::from_le_bytes([low, high]) & self.mask)
    }
}

/// The contents that matter to an operation.
struct Inputs {
    fields: [Field; MOST_CELLS],
    count: u8,
}

impl Inputs {
    fn all(&self) -> &[Field] {
        &self.fields[..usize::from(self.count)]
    }

    /// The contents as one number.
    fn index<const W: usize>(&self, state: &[u64; W]) -> u64 {
        let mut index = 0;
        let mut at = 0;
        for input in self.all() {
            index |= input.get(state) << at;
            at += input.bits;
        }
        index
    }
}

/// The steps of one thread.
pub(crate) struct ThreadTable<const W: usize> {
    field: Field,
    /// For each local state, where its operations begin; one more at the end.
    begins: Vec<u32>,
    operations: Vec<Operation<W>>,
    inputs: Vec<Inputs>,
    dense: Vec<[u64; W]>,
    flags: Vec<u8>,
    sparse: FxHashMap<(u32, u64), (u8, [u64; W])>,
    many: Vec<Vec<(u8, [u64; W])>>,
}

const BLOCKED: u64 = NO_STATE;
const UNKNOWN: u64 = NO_STATE | 1;
const MANY: u64 = NO_STATE | 2;

impl<const W: usize> ThreadTable<W> {
    pub(crate) fn new(field: Field) -> Self {
        let mut begins = Vec::with_capacity(LIKELY);
        begins.push(0);
        Self {
            field,
            begins,
            operations: Vec::with_capacity(LIKELY),
            inputs: Vec::with_capacity(LIKELY),
            dense: Vec::with_capacity(4 * LIKELY),
            flags: Vec::with_capacity(4 * LIKELY),
            sparse: FxHashMap::default(),
            many: Vec::new(),
        }
    }

    /// The number of the local state in a packed state.
    #[inline]
    pub(crate) fn local(&self, state: &[u64; W]) -> usize {
        usize::try_from(self.field.get(state)).expect("a number of a local state")
    }

    /// The operations of a local state, by number.
    #[inline]
    pub(crate) fn operations(&self, local: usize) -> std::ops::Range<usize> {
        self.begins[local] as usize..self.begins[local + 1] as usize
    }

    #[inline]
    pub(crate) fn keep(&self, operation: usize) -> &[u64; W] {
        &self.operations[operation].keep
    }

    /// What an operation does in a state. Inlined for the search, which has no use for the flags
    /// unless there are reductions.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "measured: a fifth of the time of a search")]
    pub(crate) fn find(&self, operation: usize, state: &[u64; W]) -> Found<'_, W> {
        if self.operations[operation].is_sparse {
            return self.find_sparse(operation, state);
        }
        let place = self.place(operation, state);
        self.found(self.flags[place], &self.dense[place])
    }

    /// Where in the table is what an operation does in a state.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a part of `plain_successors`")]
    fn place(&self, operation: usize, state: &[u64; W]) -> usize {
        let op = &self.operations[operation];
        let index = if op.has_inputs { self.index(operation, state) } else { op.content(state) };
        op.base as usize + index
    }

    #[inline(never)]
    fn index(&self, operation: usize, state: &[u64; W]) -> usize {
        usize::try_from(self.inputs[operation].index(state)).expect("a small table")
    }

    /// Calls `visit` with the successors of a state by this thread as long as they are plain to see,
    /// with the footing of the step and whether that is not among those to be left out; says whether
    /// something is left that only [`Self::find`] can tell. This is where a search without
    /// reductions spends its time.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "measured")]
    pub(crate) fn plain_successors(
        &self,
        state: &[u64; W],
        left_out: &LeftOut,
        mut visit: impl FnMut([u64; W], Origin, bool),
    ) -> bool {
        let mut is_more = false;
        for operation in self.operations(self.local(state)) {
            let op = &self.operations[operation];
            if op.is_sparse {
                is_more = true;
                continue;
            }
            let put = &self.dense[self.place(operation, state)];
            if put[0] & NO_STATE == 0 {
                let next = std::array::from_fn(|at| state[at] & op.keep[at] | put[at]);
                visit(next, op.footing, !left_out.has(op.footing));
            } else {
                is_more |= put[0] != BLOCKED;
            }
        }
        is_more
    }

    /// Whether [`Self::plain_successors`] tells all about an operation.
    pub(crate) fn is_plain(&self, operation: usize, state: &[u64; W]) -> bool {
        let is_plain = |put: u64| put & NO_STATE == 0 || put == BLOCKED;
        !self.operations[operation].is_sparse
            && is_plain(self.dense[self.place(operation, state)][0])
    }

    #[inline(never)]
    fn find_sparse(&self, operation: usize, state: &[u64; W]) -> Found<'_, W> {
        let index = self.inputs[operation].index(state);
        let key = (u32::try_from(operation).expect("few operations"), index);
        match self.sparse.get(&key) {
            None => Found::Unknown,
            Some((flags, put)) => self.found(*flags, put),
        }
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a part of `find`")]
    fn found<'a>(&'a self, flags: u8, put: &'a [u64; W]) -> Found<'a, W> {
        if put[0] & NO_STATE == 0 {
            return Found::One(flags, put);
        }
        match put[0] & 3 {
            0 => Found::Blocked,
            1 => Found::Unknown,
            _ => Found::Many(&self.many[usize::try_from((put[0] & !NO_STATE) >> 2).expect("few")]),
        }
    }

    /// The contents that matter to an operation in a state, in the order of its cells.
    pub(crate) fn contents(&self, operation: usize, state: &[u64; W]) -> Contents {
        let number = |input: &Field| u32::try_from(input.get(state)).expect("a content's number");
        self.inputs[operation].all().iter().map(number).collect()
    }

    /// Makes room for the local states that are new in the automata.
    pub(crate) fn extend(
        &mut self,
        automata: &Numbers,
        layout: &Layout,
        thread: usize,
        diamonds: &mut Diamonds<W>,
    ) {
        let nodes = &automata.classes[automata.class_of[thread]];
        for node in &nodes[self.begins.len() - 1..] {
            for transition in &node.transitions {
                let mut keep = [u64::MAX; W];
                let mut clear = |field: Field| {
                    keep[field.word::<W>()] &= !(field.mask() << field.shift);
                };
                clear(self.field);
                let mut inputs = [Field::default(); MOST_CELLS];
                let mut count = 0;
                let mut footing = Footing::of(thread);
                for (cell, mode) in &transition.cells {
                    let field = layout.cells[*cell as usize];
                    footing.add(field, *mode);
                    if mode.writes() {
                        clear(field);
                    }
                    if mode.reads() {
                        inputs[count] = field;
                        count += 1;
                    }
                }
                let footing = diamonds.number_of(footing);
                let bits: u32 = inputs[..count].iter().map(|field| u32::from(field.bits)).sum();
                let is_sparse = bits > LARGEST;
                let base = u32::try_from(self.dense.len()).expect("fewer than 2^32 entries");
                if !is_sparse {
                    let mut unknown = [0; W];
                    unknown[0] = UNKNOWN;
                    self.dense.resize(self.dense.len() + (1 << bits), unknown);
                    self.flags.resize(self.dense.len(), 0);
                }
                // One content that matters, or none.
                let Field { word, shift, .. } = inputs[0];
                let mask = u16::try_from(inputs[0].mask()).unwrap_or(u16::MAX);
                let has_inputs = count > 1;
                self.operations.push(Operation {
                    keep,
                    base,
                    mask,
                    word,
                    shift,
                    footing,
                    has_inputs,
                    is_sparse,
                });
                let count = u8::try_from(count).expect("at most four");
                self.inputs.push(Inputs { fields: inputs, count });
            }
            self.begins.push(u32::try_from(self.operations.len()).expect("few operations"));
        }
    }

    /// Puts in what a step does with one combination of contents.
    pub(crate) fn fill(
        &mut self,
        automata: &Numbers,
        layout: &Layout,
        thread: usize,
        (local, step): (u32, usize),
        contents: &Contents,
    ) {
        let nodes = &automata.classes[automata.class_of[thread]];
        let node = &nodes[local as usize];
        let transition = &node.transitions[step];
        let pack = |outcome: &Outcome| {
            let mut put = [0; W];
            self.field.put(&mut put, outcome.local);
            let mut flags = if outcome.closes_loop { CLOSES_LOOP } else { 0 };
            for ((cell, mode), content) in transition.cells.iter().zip(&outcome.contents) {
                if mode.writes() {
                    layout.cells[*cell as usize].put(&mut put, *content);
                    if automata.cells[*cell as usize].is_visible {
                        flags |= VISIBLE;
                    }
                }
            }
            if node.mark.visible || nodes[outcome.local as usize].mark.visible {
                flags |= VISIBLE;
            }
            (flags, put)
        };
        let mut special = [0; W];
        let (flags, put) = match transition.outcomes.get(contents).expect("it was asked for") {
            [] => {
                special[0] = BLOCKED;
                (0, special)
            }
            [one] => pack(one),
            outcomes => {
                special[0] = MANY | u64::try_from(self.many.len()).expect("few") << 2;
                let outcomes = outcomes.iter().map(pack).collect();
                self.many.push(outcomes);
                (0, special)
            }
        };
        let operation = self.begins[local as usize] as usize + step;
        let op = &self.operations[operation];
        let mut index = 0;
        let mut at = 0;
        for (input, content) in self.inputs[operation].all().iter().zip(contents) {
            index |= u64::from(*content) << at;
            at += input.bits;
        }
        if op.is_sparse {
            let key = (u32::try_from(operation).expect("few operations"), index);
            self.sparse.insert(key, (flags, put));
        } else {
            let place = op.base as usize + usize::try_from(index).expect("a small table");
            self.dense[place] = put;
            self.flags[place] = flags;
        }
    }
}
