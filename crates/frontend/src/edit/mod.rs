//! Changing the text of a program: fences put in or taken out, stores locked or unlocked, and all
//! else (comments, blanks, line breaks) left as its author wrote it.
//!
//! A change names a place by what the program model says about it: an insertion point, or the span
//! of an edge. Each language has a module of its own that knows how a person would write the change
//! there; all of them collect [`patch::Patches`] of the one text, so that several changes do not
//! get in each other's way. What a language cannot express is refused, with the reason; then no
//! text comes out at all.
//!
//! Several kinds of fences at one point are several fences, in the order of [`FenceKind`]. A fence
//! that is removed while others are put in at the same place is replaced by one of these, so that
//! callers may take all fences out and put the ones they need in.

pub(crate) mod blocks;
pub(crate) mod patch;
pub(crate) mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use program::{Diagnostic, Diagnostics, FenceKind, InsertionPoint, Order, SourceId, Sources, Span};

use crate::{Language, esop13, esop15, fw, litmus, remmex, rmm, trencher};

/// A change of a program's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// A fence of this kind that every path through a label passes; the point is that of
    /// [`program::Label::before`].
    FenceBefore(InsertionPoint, FenceKind),
    /// A fence of this kind right after the instructions with this insertion point, that of
    /// [`program::Edge::after`].
    FenceAfter(InsertionPoint, FenceKind),
    /// The ordinary store with this span (that of its edge) becomes one that waits for the store
    /// buffer and writes memory at once.
    LockStore(Span),
    /// The fence with this span goes away. Where it holds a label or a step, a step that does
    /// nothing stays.
    RemoveFence(Span),
    /// The locked store, or the exchange whose result nobody uses, with this span becomes an
    /// ordinary store.
    UnlockStore(Span),
    /// Accesses get another order.
    Order(NewOrder),
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// It reads.
    Load,
    /// It writes.
    Store,
    /// It reads and writes at once.
    Update,
}

/// The accesses of a kind with a span, and the order that they get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NewOrder {
    /// Where they stand: the span of their edge.
    pub span: Span,
    /// What they do.
    pub kind: AccessKind,
    /// The order they have.
    pub from: Order,
    /// The order they get.
    pub order: Order,
    /// The order of a compare-and-swap that fails.
    pub failing: Option<Order>,
}

/// A changed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The text.
    pub text: String,
    /// The parts of it that were inserted, in their order. What stands in place of something else is none.
    pub inserted: Vec<Range<usize>>,
}

/// The text of a source, which is a correct program of `language`, with these changes, or why they
/// cannot be made. Changes that are mentioned twice are made once; their order does not matter.
pub fn edit(
    sources: &Sources,
    source: SourceId,
    language: Language,
    changes: &[Change],
) -> Result<String, Diagnostics> {
    edited(sources, source, language, changes).map(|edited| edited.text)
}

/// The same, with what is new in the text.
pub fn edited(
    sources: &Sources,
    source: SourceId,
    language: Language,
    changes: &[Change],
) -> Result<Edited, Diagnostics> {
    let plan = Plan::new(source, changes)?;
    if !matches!(language, Language::Fw | Language::Litmus) && !plan.orders.is_empty() {
        return Err(plan.orders.iter().map(|change| no_orders(change.span)).collect());
    }
    match language {
        Language::Fw => fw::edit(sources, source, plan),
        Language::Litmus => litmus::edit(sources, source, plan),
        Language::Trencher => trencher::edit(sources, source, plan),
        Language::Esop13 => esop13::edit(sources, source, plan),
        Language::Esop15 => esop15::edit(sources, source, plan),
        Language::Rmm => rmm::edit(sources, source, plan),
        Language::Remmex => remmex::edit(sources, source, plan),
    }
}

/// The fences to be put in, by the offsets of their insertion points.
pub(crate) type Fences = BTreeMap<u32, BTreeSet<FenceKind>>;

/// Changes of one text, by what they change.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) before: Fences,
    pub(crate) after: Fences,
    pub(crate) lock: BTreeSet<Span>,
    pub(crate) remove: BTreeSet<Span>,
    pub(crate) unlock: BTreeSet<Span>,
    pub(crate) orders: BTreeSet<NewOrder>,
}

impl Plan {
    fn new(source: SourceId, changes: &[Change]) -> Result<Self, Diagnostics> {
        let mut plan = Self::default();
        let mut errors = Vec::new();
        for change in changes {
            let (here, span) = match *change {
                Change::FenceBefore(point, _) | Change::FenceAfter(point, _) => {
                    (Some(point.source), point_span(point.source, point.offset))
                }
                Change::LockStore(span) | Change::RemoveFence(span) | Change::UnlockStore(span) => {
                    (span.source, span)
                }
                Change::Order(change) => (change.span.source, change.span),
            };
            if here != Some(source) {
                errors.push(Diagnostic::new(span, "this stands in no text that can be changed"));
                continue;
            }
            match *change {
                Change::FenceBefore(point, kind) => {
                    plan.before.entry(point.offset).or_default().insert(kind)
                }
                Change::FenceAfter(point, kind) => {
                    plan.after.entry(point.offset).or_default().insert(kind)
                }
                Change::LockStore(span) => plan.lock.insert(span),
                Change::RemoveFence(span) => plan.remove.insert(span),
                Change::UnlockStore(span) => plan.unlock.insert(span),
                Change::Order(change) => plan.orders.insert(change),
            };
        }
        if errors.is_empty() { Ok(plan) } else { Err(errors) }
    }

    /// The fence that takes the place of one that is to be removed, if one is put in right before
    /// or right after it; with that, this one is settled. The others come before and after it.
    pub(crate) fn puts_back(&mut self, fence: Span) -> Option<FenceKind> {
        let nearest_before = [&self.before, &self.after]
            .into_iter()
            .find_map(|fences| fences.get(&fence.start).and_then(BTreeSet::last));
        let nearest_after = [&self.after, &self.before]
            .into_iter()
            .find_map(|fences| fences.get(&fence.end).and_then(BTreeSet::first));
        let kind = *nearest_before.or(nearest_after)?;
        for fences in [&mut self.before, &mut self.after] {
            settle(fences, fence.start, kind);
            settle(fences, fence.end, kind);
        }
        Some(kind)
    }

    /// Whether the fence right after one that is to be removed is a full one; if so, that is
    /// settled.
    pub(crate) fn puts_full_after(&mut self, fence: Span) -> bool {
        settle(&mut self.after, fence.end, FenceKind::Full)
    }

    /// The errors for fences of other kinds than those there are, which are put in nowhere then.
    pub(crate) fn refuse_kinds(
        &mut self,
        source: SourceId,
        language: &str,
        has: impl Fn(FenceKind) -> bool,
    ) -> Diagnostics {
        let mut errors = Vec::new();
        for fences in [&mut self.before, &mut self.after] {
            for (offset, kinds) in fences {
                for kind in kinds.extract_if(.., |kind| !has(*kind)) {
                    errors.push(no_such_fence(source, *offset, kind, language, &has));
                }
            }
        }
        errors
    }
}

fn settle(fences: &mut Fences, offset: u32, kind: FenceKind) -> bool {
    fences.get_mut(&offset).is_some_and(|kinds| kinds.remove(&kind))
}

/// An insertion point, to point at it.
pub(crate) const fn point_span(source: SourceId, offset: u32) -> Span {
    Span { source: Some(source), start: offset, end: offset }
}

/// The error that no statement can be inserted at a point.
pub(crate) fn no_insertion(source: SourceId, offset: u32) -> Diagnostic {
    Diagnostic::new(point_span(source, offset), "no fence can be put here")
        .help("a fence goes before or after a whole statement")
}

/// The error that a language does not have a kind of fence.
fn no_such_fence(
    source: SourceId,
    offset: u32,
    kind: FenceKind,
    language: &str,
    has: impl Fn(FenceKind) -> bool,
) -> Diagnostic {
    let word = |kind| format!("`{}`", fw::fence_kind(kind));
    let others: Vec<String> =
        FenceKind::ALL.into_iter().filter(|kind| has(*kind)).map(word).collect();
    let message = format!("{language} has no fence of the kind {}", word(kind));
    Diagnostic::new(point_span(source, offset), message)
        .help(format!("it has fences of these kinds: {}", others.join(", ")))
}

/// The error that a language's accesses have no orders that could be changed.
pub(crate) fn no_orders(span: Span) -> Diagnostic {
    let message = "orders of accesses are changed in C, Rust, litmus tests in C and `.fw` only";
    Diagnostic::new(span, message).help("allow fences alone")
}

/// The error that no fence stands where one is to be removed.
pub(crate) fn no_fence(span: Span) -> Diagnostic {
    Diagnostic::new(span, "this is no fence, so it cannot be removed as one")
}

/// The error that no store stands where one is to be locked.
pub(crate) fn no_store(span: Span) -> Diagnostic {
    Diagnostic::new(span, "this is no ordinary store, so it cannot be made a locked one")
        .help("put a fence after it instead")
}

/// The error that no locked store stands where one is to be unlocked.
pub(crate) fn no_locked_store(span: Span) -> Diagnostic {
    Diagnostic::new(span, "this is no locked store, so it cannot be made an ordinary one")
}
