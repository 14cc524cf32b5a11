//! Changes of a text.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::fence::{FenceText, missing_include};
use crate::insert;
use crate::language::Language;
use crate::order::{self, Reordered};
use crate::place::Refusal;
use crate::remove;
use crate::splice::{Splice, apply};
use crate::store;
use crate::strengthen;
use crate::syntax::Syntax;

/// One change. All offsets are those of the text before any change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// Puts a fence after the place with this point ([`Place::point`](crate::Place::point)).
    /// Several at one place stand one after the other, in the order of [`FenceText`].
    FenceAfter(usize, FenceText),
    /// Takes out the fence at this location.
    RemoveFence(usize),
    /// Makes the fence of the language at this location sequentially consistent.
    StrengthenFence(usize),
    /// Makes the atomic store at this location sequentially consistent.
    LockStore(usize),
    /// Makes the sequentially consistent store at this location, or the exchange whose result
    /// nobody uses, a release store.
    UnlockStore(usize),
    /// Gives an access another order.
    Order(Reordered),
}

impl Change {
    /// The offset that says where it is made.
    pub fn offset(self) -> usize {
        match self {
            Self::FenceAfter(offset, _)
            | Self::RemoveFence(offset)
            | Self::StrengthenFence(offset)
            | Self::LockStore(offset)
            | Self::UnlockStore(offset) => offset,
            Self::Order(change) => change.start,
        }
    }
}

/// What one change does to the text.
#[derive(Debug, Default)]
pub(crate) struct Effect {
    pub(crate) splices: Vec<Splice>,
    /// Whether it uses names of `<stdatomic.h>`.
    pub(crate) uses_atomics: bool,
}

/// Whether an access can get another order.
pub fn can_reorder(syntax: &Syntax, change: Reordered) -> Result<(), Refusal> {
    order::reorder(syntax, change).map(|_| ())
}

/// Whether one change can be made by itself, or why not.
pub fn can_be_made(syntax: &Syntax, change: Change) -> Result<(), Refusal> {
    let effect = match change {
        Change::FenceAfter(point, fence) => insert::fences_after(syntax, &[fence], point),
        Change::RemoveFence(offset) => remove::fence_at(syntax, offset),
        Change::StrengthenFence(offset) => strengthen::fence_at(syntax, offset),
        Change::LockStore(offset) => store::lock(syntax, offset),
        Change::UnlockStore(offset) => store::unlock(syntax, offset),
        Change::Order(change) => order::reorder(syntax, change),
    };
    effect.map(|_| ())
}

/// A changed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The text.
    pub text: String,
    /// The parts of it that were inserted, in their order. What stands in place of something else is none.
    pub inserted: Vec<Range<usize>>,
    /// Where all of it stood before.
    pub origins: Origins,
}

/// Where parts of a changed text stood before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins {
    /// What was changed, in its order: where it stood, and where it stands.
    pub(crate) changed: Vec<(Range<usize>, Range<usize>)>,
}

impl Origins {
    /// Where what stands here stood before; what is new stands where it was put in.
    pub fn of(&self, at: usize) -> usize {
        match self.changed.iter().rev().find(|(_, now)| now.start <= at) {
            None => at,
            Some((before, now)) if at < now.end => before.start,
            Some((before, now)) => before.end + (at - now.end),
        }
    }
}

/// Makes all changes, or says which of them cannot be made, and why.
pub fn edit(
    text: &str,
    language: Language,
    changes: &[Change],
) -> Result<String, Vec<(usize, Refusal)>> {
    edited(text, language, changes).map(|edited| edited.text)
}

/// The same, with what is new in the text.
pub fn edited(
    text: &str,
    language: Language,
    changes: &[Change],
) -> Result<Edited, Vec<(usize, Refusal)>> {
    let syntax = Syntax::parse(text, language);
    let changes: BTreeSet<Change> = changes.iter().copied().collect();
    let mut fenced = None;
    let mut splices = Vec::new();
    let mut refused = Vec::new();
    let mut uses_atomics = false;
    for change in &changes {
        let effect = match *change {
            // All fences of a place are put in together.
            Change::FenceAfter(point, _) if fenced == Some(point) => continue,
            Change::FenceAfter(point, _) => {
                fenced = Some(point);
                insert::fences_after(&syntax, &fences_at(&changes, point), point)
            }
            Change::RemoveFence(offset) => remove::fence_at(&syntax, offset),
            Change::StrengthenFence(offset) => strengthen::fence_at(&syntax, offset),
            Change::LockStore(offset) => store::lock(&syntax, offset),
            Change::UnlockStore(offset) => store::unlock(&syntax, offset),
            Change::Order(change) => order::reorder(&syntax, change),
        };
        match effect {
            Ok(effect) => {
                splices.extend(effect.splices);
                uses_atomics |= effect.uses_atomics;
            }
            Err(refusal) => refused.push((change.offset(), refusal)),
        }
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    if uses_atomics && let Some(at) = missing_include(&syntax) {
        let line_end = syntax.line_end();
        let before = if at == 0 || text[..at].ends_with('\n') { "" } else { line_end };
        let line = format!("{before}#include <stdatomic.h>{line_end}");
        splices.push(Splice::before(&(at..at), line));
    }
    apply(text, splices).map_err(|offset| vec![(offset, Refusal::Conflict)])
}

/// The fences that are put after one place, in order.
fn fences_at(changes: &BTreeSet<Change>, place: usize) -> Vec<FenceText> {
    let fence = |change: &Change| match *change {
        Change::FenceAfter(point, fence) => (point == place).then_some(fence),
        Change::RemoveFence(_)
        | Change::StrengthenFence(_)
        | Change::LockStore(_)
        | Change::UnlockStore(_)
        | Change::Order(_) => None,
    };
    changes.iter().filter_map(fence).collect()
}
