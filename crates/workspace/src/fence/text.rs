//! The repaired program as a text.

use std::collections::BTreeMap;

use frontend::edit::{AccessKind, Change, NewOrder, edit};
use patch::{AccessOrder, AccessText, FenceOrder, FenceText, Reordered};
use program::{Count, Diagnostic, Diagnostics, FenceKind, Order, Program, SourceId, Sources, Span};
use repair::{Decision, Kind};

use super::{Fence, FenceAnswer, FenceOutcome};
use crate::inputs::{Loaded, Origin};
use crate::source::Compilation;

/// The text with the changes, if there is a repair and it can be written; an error if somebody wants it
/// and it cannot.
pub(super) fn edited(
    loaded: &Loaded,
    question: &Fence,
    answer: &FenceAnswer,
) -> Result<Option<Vec<(SourceId, String)>>, Diagnostics> {
    match &answer.outcome {
        FenceOutcome::Repaired { .. } => {}
        FenceOutcome::Unrepairable { .. } | FenceOutcome::Undecided { .. } => return Ok(None),
    }
    let is_wanted = question.needs_text;
    if question.per_instance && has_copies(&loaded.program) {
        let message = "the copies of a thread share one text, but each is decided separately";
        let refused = Diagnostic::new(Span::NONE, message).help("leave out `--per-instance`");
        return if is_wanted { Err(vec![refused]) } else { Ok(None) };
    }
    let changes: Vec<Change> = if answer.is_minimising {
        answer.not_made().iter().filter_map(|at| undo(&answer.decisions[*at])).collect()
    } else {
        answer.made().iter().filter_map(|at| change(&answer.decisions[*at])).collect()
    };
    let made = answer.made().iter().map(|at| &answer.decisions[*at]);
    let stronger: Vec<Span> = made
        .filter(|decision| decision.kind == Kind::StrongerFence)
        .map(|decision| decision.span)
        .collect();
    let made = match &loaded.origin {
        Origin::Text(language, _) => {
            let source = source(answer);
            edit(&loaded.sources, source, *language, &changes).map(|text| vec![(source, text)])
        }
        Origin::Compiled(compilation) => {
            let fence = question.fence_text;
            let changes = (changes.as_slice(), stronger.as_slice());
            in_source(&loaded.sources, compilation, fence, changes, is_wanted)
        }
    };
    match made {
        Ok(texts) => Ok(Some(texts)),
        Err(errors) if is_wanted => Err(errors),
        Err(_) => Ok(None),
    }
}

/// Changes of texts in C and Rust, file by file, and fences there that become sequentially consistent; with
/// new fences written like this if that is said.
pub(crate) fn in_source(
    sources: &Sources,
    compilation: &Compilation,
    fence: Option<FenceText>,
    changes: (&[Change], &[Span]),
    is_wanted: bool,
) -> Result<Vec<(SourceId, String)>, Diagnostics> {
    let texts = edited_in_source(sources, compilation, fence, changes, is_wanted)?;
    Ok(texts.into_iter().map(|(source, edited)| (source, edited.text)).collect())
}

/// The same, with what is new in each text.
pub(crate) fn edited_in_source(
    sources: &Sources,
    compilation: &Compilation,
    fence: Option<FenceText>,
    (changes, stronger): (&[Change], &[Span]),
    is_wanted: bool,
) -> Result<Vec<(SourceId, patch::Edited)>, Diagnostics> {
    let mut files: BTreeMap<SourceId, Vec<patch::Change>> = BTreeMap::new();
    let mut errors = Vec::new();
    for (source, span) in stronger.iter().filter_map(|span| Some((span.source?, span))) {
        let change = patch::Change::StrengthenFence(span.start as usize);
        files.entry(source).or_default().push(change);
    }
    for change in changes {
        let (source, change) = match change {
            Change::FenceBefore(point, kind) | Change::FenceAfter(point, kind) => {
                let Some(fence) = fence.or_else(|| fence_text(*kind)) else {
                    let at = Span::new(point.source, point.offset as usize..point.offset as usize);
                    errors.push(Diagnostic::new(at, "C and Rust have no fence of this kind"));
                    continue;
                };
                (Some(point.source), patch::Change::FenceAfter(point.offset as usize, fence))
            }
            Change::LockStore(span) => (span.source, patch::Change::LockStore(span.start as usize)),
            Change::RemoveFence(span) => {
                (span.source, patch::Change::RemoveFence(span.start as usize))
            }
            Change::UnlockStore(span) => {
                (span.source, patch::Change::UnlockStore(span.start as usize))
            }
            Change::Order(change) => (change.span.source, patch::Change::Order(in_text(change))),
        };
        match source {
            Some(source) => files.entry(source).or_default().push(change),
            None => errors.push(Diagnostic::new(
                Span::NONE,
                "this position is in none of the program's files",
            )),
        }
    }
    let mut texts = Vec::new();
    for (source, changes) in files {
        let name = sources.name(source);
        if is_wanted && let Some(at) = compilation.not_utf8(name, sources.text(source)) {
            errors.push(
                Diagnostic::new(Span::new(source, at..at + 1), "this is not UTF-8 text")
                    .label("the first invalid byte; the changed text cannot be written")
                    .help("save the file as UTF-8, as by `iconv -f latin1 -t utf-8`"),
            );
        }
        let language = compilation.language(name);
        match patch::edited(sources.text(source), language, &changes) {
            Ok(edited) => texts.push((source, edited)),
            Err(refusals) => errors.extend(refusals.into_iter().map(|(offset, refusal)| {
                let span = Span::new(source, offset..offset);
                Diagnostic::new(span, "the change cannot be made here").label(refusal.to_string())
            })),
        }
    }
    if errors.is_empty() { Ok(texts) } else { Err(errors) }
}

/// An access of C or Rust that gets another order.
pub(crate) const fn in_text(change: &NewOrder) -> Reordered {
    const fn order(order: Order) -> AccessOrder {
        match order {
            Order::Plain | Order::Volatile | Order::Relaxed => AccessOrder::Relaxed,
            Order::Acquire => AccessOrder::Acquire,
            Order::Release => AccessOrder::Release,
            Order::AcquireRelease => AccessOrder::AcqRel,
            Order::SeqCst => AccessOrder::SeqCst,
        }
    }
    Reordered {
        start: change.span.start as usize,
        end: change.span.end as usize,
        access: match change.kind {
            AccessKind::Load => AccessText::Load,
            AccessKind::Store => AccessText::Store,
            AccessKind::Update => AccessText::Update,
        },
        is_atomic: !matches!(change.from, Order::Plain | Order::Volatile),
        order: order(change.order),
        failing: match change.failing {
            Some(failing) => Some(order(failing)),
            None => None,
        },
    }
}

/// The fence of C11 and Rust that orders at least what a kind does.
const fn fence_text(kind: FenceKind) -> Option<FenceText> {
    match kind {
        FenceKind::Full => Some(FenceText::SEQ_CST),
        FenceKind::Lightweight => Some(FenceText::Language(FenceOrder::AcqRel)),
        FenceKind::Acquire => Some(FenceText::Language(FenceOrder::Acquire)),
        FenceKind::Release => Some(FenceText::Language(FenceOrder::Release)),
        FenceKind::StoreStore
        | FenceKind::LoadLoad
        | FenceKind::LoadStore
        | FenceKind::StoreLoad
        | FenceKind::Control => None,
    }
}

fn has_copies(program: &Program) -> bool {
    program.templates().iter().any(|template| match template.count() {
        Count::Exactly(count) => count > 1,
        Count::Any => true,
    })
}

/// The text of the program: the first that was read.
fn source(answer: &FenceAnswer) -> SourceId {
    let sources = answer.decisions.iter().filter_map(|decision| decision.span.source);
    sources.min().unwrap_or_else(|| program::index::Idx::new(0))
}

fn change(decision: &Decision) -> Option<Change> {
    match decision.kind {
        Kind::FenceBefore => {
            decision.point.map(|point| Change::FenceBefore(point, FenceKind::Full))
        }
        Kind::FenceAfter => decision.point.map(|point| Change::FenceAfter(point, FenceKind::Full)),
        Kind::LockedStore => Some(Change::LockStore(decision.span)),
        Kind::StrongerFence | Kind::OldFence | Kind::OldLockedStore | Kind::OldExchange => None,
    }
}

fn undo(decision: &Decision) -> Option<Change> {
    match decision.kind {
        Kind::OldFence => Some(Change::RemoveFence(decision.span)),
        Kind::OldLockedStore | Kind::OldExchange => Some(Change::UnlockStore(decision.span)),
        Kind::FenceBefore | Kind::FenceAfter | Kind::StrongerFence | Kind::LockedStore => None,
    }
}
