//! Automata by numbers alone: local states, cells and contents are numbered, and what each step does
//! is a table from the numbers of contents to numbers.
//!
//! This is all that a search needs as long as it does not ask what a number means ([`Meaning`]). So
//! [`crate::system`], all that it uses and the search engine are compiled once for each width of a
//! state, here, whatever kinds of threads are explored.

use explore::{Limit, Lookout};

use crate::eager::Patience;
use crate::outcomes::{Contents, Outcomes};
use crate::{Mark, Mode, PerCell, Reductions};

/// As many local states as a small automaton has: it gets room for them at once.
pub(crate) const LIKELY: usize = 64;

/// A step of a local state.
pub(crate) struct Transition {
    pub(crate) cells: PerCell<(u32, Mode)>,
    /// See [`crate::Threads::is_private`].
    pub(crate) is_private: bool,
    /// What it does, by the contents of those cells whose content matters, in their order.
    pub(crate) outcomes: Outcomes,
}

impl Transition {
    /// The cells whose content matters.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = u32> {
        self.cells.iter().filter(|(_, mode)| mode.reads()).map(|(cell, _)| *cell)
    }
}

/// A local state.
pub(crate) struct Node {
    pub(crate) mark: Mark,
    /// Whether it can be that no step is possible, or the thread waits.
    pub(crate) can_be_stuck: bool,
    /// See [`crate::Threads::knows`].
    pub(crate) knows: u64,
    pub(crate) transitions: Vec<Transition>,
}

/// A cell that threads share.
pub(crate) struct Cell {
    /// How many contents it has; number 0 is what it holds in the beginning.
    pub(crate) contents: usize,
    /// Whether the condition looks at it.
    pub(crate) is_visible: bool,
    /// The object that it belongs to ([`crate::Threads::forgettable`]); it is forgotten if it holds [`FORGOTTEN`].
    pub(crate) object: Option<u8>,
    /// What each content leads to ([`crate::Threads::leads_to`]).
    pub(crate) leads_to: Vec<u64>,
}

/// The number of what a cell holds that is forgotten.
pub(crate) const FORGOTTEN: u32 = 1;

/// The address of what one step does with one combination of contents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) class: usize,
    pub(crate) local: u32,
    pub(crate) step: usize,
    pub(crate) contents: Contents,
}

/// Where a thread can begin.
pub(crate) struct Beginnings {
    /// Each with a fingerprint of the names of the local steps that lead there.
    pub(crate) rests: Vec<(u32, u64)>,
    /// With which patience these were taken.
    pub(crate) patience: Patience,
}

/// All automata.
pub(crate) struct Numbers {
    pub(crate) reductions: Reductions,
    /// The class of each thread.
    pub(crate) class_of: Vec<usize>,
    /// The local states of each class.
    pub(crate) classes: Vec<Vec<Node>>,
    pub(crate) cells: Vec<Cell>,
    /// Where each thread can begin, after its first local steps.
    pub(crate) initial: Vec<Beginnings>,
    /// Whether everything that can happen is in them, but for further contents of confined cells.
    pub(crate) is_complete: bool,
}

impl Numbers {
    /// A step of a local state of a class.
    pub(crate) fn transition(&self, class: usize, local: u32, step: usize) -> &Transition {
        &self.classes[class][local as usize].transitions[step]
    }

    /// How many local states a thread has.
    pub(crate) fn locals_of(&self, thread: usize) -> usize {
        self.classes[self.class_of[thread]].len()
    }

    /// Everything that is known of what steps do.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> {
        self.classes.iter().enumerate().flat_map(|(class, nodes)| {
            nodes.iter().enumerate().flat_map(move |(local, node)| {
                node.transitions.iter().enumerate().flat_map(move |(step, transition)| {
                    let local = number_of(local);
                    transition.outcomes.iter().map(move |(contents, _)| Entry {
                        class,
                        local,
                        step,
                        contents: contents.clone(),
                    })
                })
            })
        })
    }
}

/// The numbers of a state of the whole system.
pub(crate) struct Numbered {
    /// Of the local states of the threads.
    pub(crate) locals: Vec<u32>,
    /// Of the contents of the cells.
    pub(crate) contents: Vec<u32>,
}

/// What a search must ask those who know what the numbers mean. It does so rarely, which is why a call
/// through a pointer does no harm: when automata grow, and in states where somebody looks.
pub(crate) trait Meaning: Send + Sync {
    /// The automata as far as they are known.
    fn numbers(&self) -> &Numbers;

    /// Finds out what one step does with one combination of contents, unless that is known.
    fn learn(&mut self, entry: &Entry, lookout: &mut Lookout) -> Result<(), Limit>;

    /// See [`crate::Threads::footprint_key`].
    fn footprint_key(&self, class: usize, local: u32) -> Option<usize>;

    /// Calls `touch` with what a thread may touch from a local state on ([`crate::Threads::may_touch`]);
    /// a cell without a number is one that nobody has met.
    fn may_touch(&self, class: usize, local: u32, touch: &mut dyn FnMut(Option<u32>, Mode))
    -> bool;

    /// Whether two steps of local states of a class have the same name.
    fn have_same_name(&self, class: usize, first: (u32, usize), second: (u32, usize)) -> bool;

    /// See [`crate::Threads::has_condition`].
    fn has_condition(&self) -> bool;

    /// See [`crate::Threads::condition_is_symmetric`].
    fn condition_is_symmetric(&self) -> bool;

    /// See [`crate::Threads::condition_is_of_ends`].
    fn condition_is_of_ends(&self) -> bool;

    /// See [`crate::Threads::condition`].
    fn condition(&self, state: &Numbered) -> bool;

    /// Whether a state is stuck ([`crate::stuck`]).
    fn is_stuck(&self, state: &Numbered) -> bool;
}

#[inline]
pub(crate) fn number_of(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 local states and contents")
}
