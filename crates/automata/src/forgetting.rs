//! What nobody reads any more, forgotten.
//!
//! A node that was taken off a stack still holds what came after it. Nobody will read that, and yet each order in which
//! nodes were once linked is a state of its own. So the contents of cells that nobody gets to any more are replaced by a
//! single one, [`FORGOTTEN`].
//!
//! # Nobody gets there: a guess
//!
//! Cells belong to *objects* ([`crate::Threads::forgettable`]). A thread knows objects by itself
//! ([`crate::Threads::knows`]: its code names them, a register points there), cells outside of objects lead to some, and the
//! cells of an object that somebody gets to lead further ([`crate::Threads::leads_to`]). All other objects are *dead*: this is
//! what a garbage collector that marks finds out.
//!
//! # Checked by the search
//!
//! That a dead object stays unread is not proven: pointers may be computed. It need not be. A step that reads a forgotten
//! content leads to a local state that is *noted* and *void*, by contract of [`crate::Threads::forgettable`]: nothing is explored
//! from there, so no run that is told makes such a step, and whoever searches begins again without forgetting if the search notes one.
//!
//! *If none is noted, the answer is that of the system without forgetting.* Say that a state f of this search *stands for* a
//! state s of the system if they differ at most in cells that are forgotten in f. A step that is explored from f reads no such
//! cell, so the same thread makes the same step from s, and what follows f stands for what follows s: what is overwritten becomes equal, and forgetting
//! more only makes f stand for more. Which threads are explored ([`crate::persistent`]) depends on local states, on what threads may
//! touch, and on what the steps that are explored find, all of which are the same in s. So a set that is persistent in f is
//! one in s, and by induction over the length of a run of the system from any state that f stands for, a run to the same goal or
//! local state to be noted is explored; it makes no difference through which s the search first came to f. Conditions see no
//! cell of an object. Where a thread would read a forgotten cell, it is not stuck here, and is explored at
//! the latest when all others turn in circles. Conversely the steps of each run that is told are those of the system.
//!
//! This makes no use of what dead means; that nobody gets to a dead object only keeps the search from being in vain.

use explore::State;

use crate::layout::{Field, Layout};
use crate::numbers::{FORGOTTEN, Numbers};

/// A cell that leads to objects: where it is in a state, and what each content leads to.
struct Leading {
    field: Field,
    to: Vec<u64>,
}

/// The cells of one object.
struct Object<const W: usize> {
    leading: Vec<Leading>,
    /// The bits of a state that stay when the object is forgotten,
    keep: State<W>,
    /// and what is put in there.
    put: State<W>,
}

/// What is known of who gets where.
#[derive(Default)]
pub(crate) struct Forgetting<const W: usize> {
    threads: Vec<(Field, usize)>,
    /// For each class what each local state knows.
    knows: Vec<Vec<u64>>,
    /// Cells outside of objects.
    outside: Vec<Leading>,
    objects: Vec<Object<W>>,
    /// The objects that have cells, as bits.
    all: u64,
}

impl<const W: usize> Forgetting<W> {
    /// Takes over what the automata know now.
    pub(crate) fn extend(&mut self, automata: &Numbers, layout: &Layout) {
        let objects = automata.cells.iter().filter_map(|cell| cell.object);
        let Some(last) = objects.max() else { return };
        self.threads =
            layout.threads.iter().copied().zip(automata.class_of.iter().copied()).collect();
        self.knows.resize(automata.classes.len(), Vec::new());
        for (knows, nodes) in self.knows.iter_mut().zip(&automata.classes) {
            let known = knows.len();
            knows.extend(nodes[known..].iter().map(|node| node.knows));
        }
        self.outside.clear();
        self.objects.clear();
        self.objects.resize_with(usize::from(last) + 1, || Object {
            leading: Vec::new(),
            keep: [u64::MAX; W],
            put: [0; W],
        });
        for (cell, field) in automata.cells.iter().zip(&layout.cells) {
            let leading = Leading { field: *field, to: cell.leads_to.clone() };
            let leads_nowhere = cell.leads_to.iter().all(|to| *to == 0);
            match cell.object {
                Some(number) => {
                    self.all |= 1 << number;
                    let object = &mut self.objects[usize::from(number)];
                    object.keep[field.word::<W>()] &= !(field.mask() << field.shift);
                    field.put(&mut object.put, FORGOTTEN);
                    object.leading.extend((!leads_nowhere).then_some(leading));
                }
                None => self.outside.extend((!leads_nowhere).then_some(leading)),
            }
        }
    }

    /// Whether there is nothing that can be forgotten.
    pub(crate) const fn is_none(&self) -> bool {
        self.all == 0
    }

    /// A state with what is dead in it forgotten.
    #[inline]
    pub(crate) fn without_what_is_dead(&self, mut state: State<W>) -> State<W> {
        if self.is_none() {
            return state;
        }
        let number = |field: &Field| usize::try_from(field.get(&state)).expect("a number");
        let mut found = 0;
        for (field, class) in &self.threads {
            found |= self.knows[*class][number(field)];
        }
        for leading in &self.outside {
            found |= leading.to[number(&leading.field)];
        }
        let mut alive = 0;
        while let open @ 1.. = found & self.all & !alive {
            let one = open.trailing_zeros() as usize;
            alive |= 1 << one;
            for leading in &self.objects[one].leading {
                found |= leading.to[number(&leading.field)];
            }
        }
        let mut dead = self.all & !alive;
        while dead != 0 {
            let object = &self.objects[dead.trailing_zeros() as usize];
            dead &= dead - 1;
            for (word, (keep, put)) in state.iter_mut().zip(object.keep.iter().zip(&object.put)) {
                *word = *word & keep | put;
            }
        }
        state
    }
}
