//! Minimal configurations, and their order.
//!
//! A [`Configuration`] stands for all configurations that are at least as large. Of each thread it says at
//! which node it is, or only that it does not hold the memory lock, or nothing; of each cell what it holds, or
//! nothing; and of each load buffer which messages there are at least. A word has a [`MARK`] where an own
//! message stands (which one, the node says) and else the messages from memory, and claims. Marks match marks, since
//! words of one node have the same number of them; so an order of subwords is one between any two marks.

use super::automaton::{Automata, Held};

/// An own message in a word.
pub(super) const MARK: u32 = u32::MAX;
/// In a word: the beginning of a claim, and its cell. (Cells have twelve bits.)
const CLAIM: u32 = 1 << 31;
/// Of a thread nothing is said,
pub(super) const ANY: u32 = u32::MAX;
/// or only that it does not hold the memory lock.
pub(super) const FREE: u32 = u32::MAX - 1;
/// Of a cell nothing is said.
pub(super) const UNSAID: u16 = u16::MAX;

/// All configurations that are at least as large as this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// For each thread its node.
    pub(super) at: Box<[u32]>,
    /// For each cell what it holds.
    pub(super) memory: Box<[u16]>,
    /// For each thread its load buffer, oldest first.
    pub(super) words: Box<[Box<[u32]>]>,
}

/// A message from memory in a word.
pub(super) fn message(held: Held) -> u32 {
    (u32::from(held.cell) << 16) | u32::from(held.value)
}

/// The beginning of a claim to a cell in a word.
pub(super) fn claim(cell: u16) -> u32 {
    CLAIM | u32::from(cell)
}

/// The cell that is claimed from here on; nothing if this is a message.
pub(super) fn claimed(letter: u32) -> Option<u16> {
    let is_claim = letter & CLAIM != 0 && letter != MARK;
    is_claim.then(|| u16::try_from(letter & !CLAIM).expect("twelve bits"))
}

/// What a message says; nothing if it is an own one, or a claim.
pub(super) fn said(message: u32) -> Option<Held> {
    let cell = u16::try_from(message >> 16).expect("sixteen bits");
    let value = u16::try_from(message & 0xffff).expect("sixteen bits");
    (message & CLAIM == 0).then_some(Held { cell, value })
}

/// The word with no more than own messages.
pub(super) fn only_own(count: usize) -> Box<[u32]> {
    vec![MARK; count].into()
}

/// Whether a word is left of another when some messages are deleted.
fn is_subword(short: &[u32], long: &[u32]) -> bool {
    let mut rest = long.iter();
    short.len() <= long.len() && short.iter().all(|one| rest.any(|other| other == one))
}

impl Configuration {
    /// Nothing is said of anything.
    pub(super) fn all(automata: &Automata<'_, '_>) -> Self {
        let threads = automata.threads.len();
        Self {
            at: vec![ANY; threads].into(),
            memory: vec![UNSAID; automata.cells.len()].into(),
            words: vec![Box::from([]); threads].into(),
        }
    }

    /// With a thread at a node, and no more in its buffer than its own messages.
    pub(super) fn with(mut self, automata: &Automata<'_, '_>, thread: usize, node: u32) -> Self {
        self.at[thread] = node;
        self.words[thread] = only_own(automata.threads[thread].own(node).len());
        self
    }

    /// Whether another thread than this one claims a cell.
    pub(super) fn is_claimed_by_another(
        &self,
        automata: &Automata<'_, '_>,
        thread: usize,
        cell: u16,
    ) -> bool {
        let mut threads = self.at.iter().zip(&self.words).zip(&automata.threads).enumerate();
        threads.any(|(other, ((at, word), automaton))| {
            let at_node = *at < FREE && automaton.claim(*at) == Some(cell);
            other != thread && (at_node || word.contains(&claim(cell)))
        })
    }

    /// How many messages it asks for.
    pub(super) fn weight(&self) -> usize {
        self.words.iter().map(|word| word.len()).sum()
    }

    /// Whether it stands for all that the other one stands for, if its threads do.
    pub(super) fn is_below(&self, other: &Self) -> bool {
        let mut cells = self.memory.iter().zip(&other.memory);
        let mut words = self.words.iter().zip(&other.words);
        cells.all(|(own, other)| *own == UNSAID || own == other)
            && words.all(|(own, other)| is_subword(own, other))
    }

    /// Whether the beginning is one of those it stands for.
    pub(super) fn has_initial(&self, automata: &Automata<'_, '_>) -> bool {
        let begins = |(thread, at): (usize, &u32)| match *at {
            ANY | FREE => true,
            node => automata.threads[thread].initial.iter().any(|(begin, _)| *begin == node),
        };
        self.words.iter().all(|word| word.is_empty())
            && self.memory.iter().all(|value| *value == UNSAID || *value == 0)
            && self.at.iter().enumerate().all(begins)
    }
}
