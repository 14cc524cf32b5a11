//! Copies of any number that have identities, which are nothing but names ([`program::identities`]).
//!
//! Copies are counted, so which copy a cell names cannot be kept in the cell. It is kept with the copy that is
//! named: the content of the cell says *somebody*, and the local state of one copy says that it is the one
//! (it *owns* the cell). From the outside each copy is like every other; from the inside an identity is the
//! copy's own or another's. So all identities become two: `first`, the own one, and `first + 1`, another's.
//!
//! - *What a thread sees.* A cell that names somebody holds `first` for its owner and `first + 1` for all
//!   others. Constants are below `first`, and what was loaded is compared with constants and with the own
//!   identity only, so every step does with these two what it does with identities.
//! - *What it leaves.* If the cell then holds `first` the thread owns it; if it holds a constant nobody does. If another
//!   one owned it that one has to be told. It is the only one of its kind: a transition takes its token as well, from
//!   whatever local state that owns the cell, and puts it back as one that does not. That is two threads in
//!   one transition, which a net has nothing against.
//! - *What is copied.* What watches a program may keep what a cell holds in a cell of its own ([`super::watched`]). If that
//!   is another's identity its owner is told that it owns this cell, too.
//!
//! *Why that is exact.* Let a state of an instance be related to the marking that counts local states after
//! renaming in each the own identity to `first` and all others to `first + 1`, with the cells it is named by. A cell
//! names somebody exactly if one copy owns it. Steps of related states and transitions correspond to each other, by the
//! cases above, in both directions: for a step there is the transition whose tokens are those of the thread and
//! of the owner, and for a transition there is such a thread and such an owner, as tokens stand for threads. So a marking can
//! be covered exactly if an instance reaches a state that has at least that.

use automata::Threads;
use program::{Names, Value};

use super::watched::{self, Watched};
use crate::buffers::Buffered;
use crate::robustness::{self, Attacks};
use crate::sc::{self, Sc};

/// Threads of whose contents it is known what they hold.
pub(super) trait Holding: Threads {
    /// Of a content that holds what a cell of memory does, the address and the value.
    fn kept(&self, cell: Self::Cell, content: &Self::Content) -> Option<(Value, Value)>;

    /// The same with another value.
    fn holding(&self, content: &Self::Content, value: Value) -> Self::Content;
}

impl Holding for Sc<'_> {
    fn kept(&self, cell: sc::Cell, content: &sc::Content) -> Option<(Value, Value)> {
        match cell {
            sc::Cell::Lock | sc::Cell::Published(_) => None,
            sc::Cell::Memory(address) => Some((address, content.value)),
        }
    }

    fn holding(&self, content: &sc::Content, value: Value) -> sc::Content {
        sc::Content { value, ..content.clone() }
    }
}

impl Holding for Attacks<'_> {
    fn kept(
        &self,
        cell: robustness::Cell,
        content: &robustness::Content,
    ) -> Option<(Value, Value)> {
        Self::name_of(cell).map(|address| (address, content.value()))
    }

    fn holding(&self, content: &robustness::Content, value: Value) -> robustness::Content {
        content.holding(value)
    }
}

impl Holding for Buffered<'_> {
    fn kept(&self, cell: sc::Cell, content: &sc::Content) -> Option<(Value, Value)> {
        self.sc().kept(cell, content)
    }

    fn holding(&self, content: &sc::Content, value: Value) -> sc::Content {
        self.sc().holding(content, value)
    }
}

impl Holding for Watched<'_> {
    fn kept(&self, cell: watched::Cell, content: &watched::Content) -> Option<(Value, Value)> {
        match (cell, content) {
            (watched::Cell::Sc(cell), watched::Content::Sc(plain)) => self.sc.kept(cell, plain),
            (_, watched::Content::Stage(stage)) => stage.held(),
            (watched::Cell::Stage, watched::Content::Sc(_)) => None,
        }
    }

    fn holding(&self, content: &watched::Content, value: Value) -> watched::Content {
        match content {
            watched::Content::Sc(plain) => {
                watched::Content::Sc(sc::Content { value, ..plain.clone() })
            }
            watched::Content::Stage(stage) => watched::Content::Stage(stage.holding(value)),
        }
    }
}

/// Whose identity something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    Nobodys,
    Own,
    Anothers,
}

/// What names copies.
#[derive(Clone, Copy)]
pub(super) struct Naming<'a> {
    pub(super) names: &'a Names,
    pub(super) memory: &'a program::Memory,
}

impl Naming<'_> {
    /// Whose identity a content holds for who sees it.
    pub(super) fn whose<T: Holding>(
        &self,
        threads: &T,
        cell: T::Cell,
        content: &T::Content,
    ) -> Whose {
        let held = threads.kept(cell, content);
        let named = held.and_then(|(address, value)| Some((self.first(address)?, value)));
        match named {
            Some((first, value)) if value == first => Whose::Own,
            Some((first, value)) if value > first => Whose::Anothers,
            Some(_) | None => Whose::Nobodys,
        }
    }

    /// A content that names somebody, as its owner sees it or as others do.
    pub(super) fn seen<T: Holding>(
        &self,
        threads: &T,
        cell: T::Cell,
        content: &T::Content,
        is_owned: bool,
    ) -> T::Content {
        let held = threads.kept(cell, content);
        let first = held.and_then(|(address, _)| self.first(address));
        first.map_or_else(
            || content.clone(),
            |first| threads.holding(content, if is_owned { first } else { first + 1 }),
        )
    }

    fn first(&self, address: Value) -> Option<Value> {
        self.names.first_at(self.memory, address)
    }
}
