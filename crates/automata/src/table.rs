//! Steps as masks and tables: what the search executes.
//!
//! An operation takes the bits of the thread and of the cells it writes out of a state and puts
//! others in; which ones it finds in a table, at the numbers of the contents that matter. Tables
//! of one thread are its own, so that the bits in them need no shifting.

use rustc_hash::FxHashMap;

use crate::Threads;
use crate::build::{Automata, Outcome};
use crate::layout::{Field, Layout};

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

/// One step of one local state of one thread.
pub(crate) struct Operation<const W: usize> {
    /// The bits that stay.
    pub(crate) keep: [u64; W],
    base: u32,
    inputs: [Field; 4],
    count: u8,
    is_sparse: bool,
}

impl<const W: usize> Operation<W> {
    /// The contents that matter, as one number.
    fn index(&self, state: &[u64; W]) -> u64 {
        let mut index = 0;
        let mut at = 0;
        for input in &self.inputs[..usize::from(self.count)] {
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
        Self {
            field,
            begins: vec![0],
            operations: Vec::new(),
            dense: Vec::new(),
            flags: Vec::new(),
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
        let op = &self.operations[operation];
        if op.is_sparse {
            return self.find_sparse(operation, state);
        }
        let index = match op.count {
            0 => 0,
            1 => op.inputs[0].get(state),
            _ => op.index(state),
        };
        let place = op.base as usize + usize::try_from(index).expect("a small table");
        self.found(self.flags[place], &self.dense[place])
    }

    /// Calls `visit` with the successors of a state by this thread as long as they are plain to see;
    /// says whether something is left that only [`Self::find`] can tell. This is where a search
    /// without reductions spends its time.
    #[inline]
    pub(crate) fn plain_successors(
        &self,
        state: &[u64; W],
        mut visit: impl FnMut([u64; W]),
    ) -> bool {
        let mut is_more = false;
        for op in &self.operations[self.operations(self.local(state))] {
            match self.plain(op, state) {
                Some(put) if put[0] & NO_STATE == 0 => {
                    visit(std::array::from_fn(|at| state[at] & op.keep[at] | put[at]));
                }
                Some(put) => is_more |= put[0] != BLOCKED,
                None => is_more = true,
            }
        }
        is_more
    }

    /// Whether [`Self::plain_successors`] tells all about an operation.
    pub(crate) fn is_plain(&self, operation: usize, state: &[u64; W]) -> bool {
        let put = self.plain(&self.operations[operation], state);
        put.is_some_and(|put| put[0] & NO_STATE == 0 || put[0] == BLOCKED)
    }

    /// What the table has for an operation, if it is not a map.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a part of `plain_successors`")]
    fn plain(&self, op: &Operation<W>, state: &[u64; W]) -> Option<&[u64; W]> {
        let index = match op.count {
            0 => 0,
            1 => op.inputs[0].get(state),
            _ => op.index(state),
        };
        let place = op.base as usize + usize::try_from(index).expect("a small table");
        if op.is_sparse { None } else { self.dense.get(place) }
    }

    #[inline(never)]
    fn find_sparse(&self, operation: usize, state: &[u64; W]) -> Found<'_, W> {
        let index = self.operations[operation].index(state);
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
    pub(crate) fn contents(&self, operation: usize, state: &[u64; W]) -> Vec<u32> {
        let op = &self.operations[operation];
        let inputs = &op.inputs[..usize::from(op.count)];
        let number = |input: &Field| u32::try_from(input.get(state)).expect("a content's number");
        inputs.iter().map(number).collect()
    }

    /// Makes room for the local states that are new in the automata.
    pub(crate) fn extend<T: Threads>(
        &mut self,
        automata: &Automata<'_, T>,
        layout: &Layout,
        thread: usize,
    ) {
        let nodes = &automata.classes[automata.class_of[thread]].nodes;
        for node in &nodes[self.begins.len() - 1..] {
            for transition in &node.transitions {
                let mut keep = [u64::MAX; W];
                let mut clear = |field: Field| {
                    keep[field.word::<W>()] &= !(field.mask() << field.shift);
                };
                clear(self.field);
                let mut inputs = [Field::default(); 4];
                let mut count = 0;
                for (cell, mode) in &transition.cells {
                    let field = layout.cells[*cell as usize];
                    if mode.writes() {
                        clear(field);
                    }
                    if mode.reads() {
                        inputs[count] = field;
                        count += 1;
                    }
                }
                let bits: u32 = inputs[..count].iter().map(|field| u32::from(field.bits)).sum();
                let is_sparse = bits > LARGEST;
                let base = u32::try_from(self.dense.len()).expect("fewer than 2^32 entries");
                if !is_sparse {
                    let mut unknown = [0; W];
                    unknown[0] = UNKNOWN;
                    self.dense.resize(self.dense.len() + (1 << bits), unknown);
                    self.flags.resize(self.dense.len(), 0);
                }
                let count = u8::try_from(count).expect("at most four");
                self.operations.push(Operation { keep, base, inputs, count, is_sparse });
            }
            self.begins.push(u32::try_from(self.operations.len()).expect("few operations"));
        }
    }

    /// Puts in what a step does with one combination of contents.
    pub(crate) fn fill<T: Threads>(
        &mut self,
        automata: &Automata<'_, T>,
        layout: &Layout,
        thread: usize,
        (local, step): (u32, usize),
        contents: &[u32],
    ) {
        let class = &automata.classes[automata.class_of[thread]];
        let node = &class.nodes[local as usize];
        let transition = &node.transitions[step];
        let pack = |outcome: &Outcome<T::Name>| {
            let mut put = [0; W];
            self.field.put(&mut put, outcome.local);
            let mut flags = if outcome.closes_loop { CLOSES_LOOP } else { 0 };
            for ((cell, mode), content) in transition.cells.iter().zip(&outcome.contents) {
                if mode.writes() {
                    layout.cells[*cell as usize].put(&mut put, *content);
                    let (name, _) = automata.cells.get_index(*cell as usize).expect("a cell");
                    if automata.threads.is_visible(*name) {
                        flags |= VISIBLE;
                    }
                }
            }
            if node.mark.visible || class.nodes[outcome.local as usize].mark.visible {
                flags |= VISIBLE;
            }
            (flags, put)
        };
        let outcomes: Vec<(u8, [u64; W])> =
            transition.outcomes[contents].iter().map(pack).collect();
        let mut special = [0; W];
        let (flags, put) = match outcomes.as_slice() {
            [] => {
                special[0] = BLOCKED;
                (0, special)
            }
            [one] => *one,
            _ => {
                special[0] = MANY | u64::try_from(self.many.len()).expect("few") << 2;
                self.many.push(outcomes);
                (0, special)
            }
        };
        let operation = self.begins[local as usize] as usize + step;
        let op = &self.operations[operation];
        let mut index = 0;
        let mut at = 0;
        for (input, content) in op.inputs.iter().zip(contents) {
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
