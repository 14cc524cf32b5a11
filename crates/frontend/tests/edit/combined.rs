//! Several changes of one text.

use frontend::Language;
use frontend::edit::Change;
use program::{Instruction, Order, Program, canonical};

use super::model::{self, each, fence_after, fence_before, one, without_skips};
use super::texts::texts;
use super::{changed, edited, parse};

fn all_after(program: &Program) -> (Vec<Change>, Program) {
    let points = model::points(program);
    let expected = points.iter().fold(program.clone(), |program, point| {
        each(&program, |template| fence_after(template, *point))
    });
    (points.into_iter().map(Change::FenceAfter).collect(), expected)
}

fn all_before(program: &Program) -> (Vec<Change>, Program) {
    let labels = model::labels(program);
    let expected = labels.iter().fold(program.clone(), |program, (id, label, _)| {
        one(&program, *id, |template| fence_before(template, *label))
    });
    (labels.into_iter().map(|(_, _, point)| Change::FenceBefore(point)).collect(), expected)
}

fn check(language: Language, text: &str, changes: &[Change], expected: &Program) {
    let edited = edited(language, text, changes);
    let difference = canonical::difference(expected, &parse(language, &edited));
    assert_eq!(difference, None, "{text}\n{edited}");
}

#[test]
fn all_fences_after_edges() {
    for language in Language::ALL {
        for text in texts(language) {
            let (changes, expected) = all_after(&parse(language, &text));
            check(language, &text, &changes, &expected);
        }
    }
}

#[test]
fn all_fences_before_labels() {
    for language in Language::ALL {
        for text in texts(language) {
            let (changes, expected) = all_before(&parse(language, &text));
            check(language, &text, &changes, &expected);
        }
    }
}

/// Everywhere both: in `.fw` they could take each other's place.
#[test]
fn all_fences_at_once() {
    for language in [Language::Litmus, Language::Trencher, Language::Esop13, Language::Esop15] {
        for text in texts(language) {
            let program = parse(language, &text);
            let (mut changes, after) = all_after(&program);
            let (before, _) = all_before(&program);
            let expected = model::labels(&program).iter().fold(after, |program, (id, label, _)| {
                one(&program, *id, |template| fence_before(template, *label))
            });
            changes.extend(before);
            check(language, &text, &changes, &expected);
        }
    }
}

/// Fences taken out, fences put in after all else, and stores locked.
#[test]
fn everything_at_once() {
    for text in texts(Language::Fw) {
        let program = parse(Language::Fw, &text);
        let fences = model::spans(&program, |it| matches!(it, Instruction::Fence(_)));
        let stores = model::spans(
            &program,
            |it| matches!(it, Instruction::Store { access, .. } if access.order != Order::SeqCst),
        );
        let points: Vec<_> = model::points(&program)
            .into_iter()
            .filter(|point| fences.iter().all(|fence| fence.end != point.offset))
            .collect();
        let changes: Vec<Change> = (points.iter().copied().map(Change::FenceAfter))
            .chain(fences.iter().copied().map(Change::RemoveFence))
            .chain(stores.iter().copied().map(Change::LockStore))
            .collect();
        let found = parse(Language::Fw, &edited(Language::Fw, &text, &changes));
        let expected = points.iter().fold(program.clone(), |program, point| {
            each(&program, |template| fence_after(template, *point))
        });
        let expected = each(&expected, |template| {
            model::replace(template, |edge| match &edge.instruction {
                Instruction::Fence(_) if fences.contains(&edge.span) => {
                    Some(vec![Instruction::Skip])
                }
                Instruction::Store { address, value, access } => {
                    let access = program::Access { order: Order::SeqCst, ..*access };
                    let (address, value) = (address.clone(), value.clone());
                    Some(vec![Instruction::Store { address, value, access }])
                }
                _ => None,
            })
        });
        let difference = canonical::difference(&without_skips(&expected), &without_skips(&found));
        assert_eq!(difference, None, "{text}");
    }
}

/// A fence after each step, no other fence, and each store locked that can be.
#[test]
fn everything_at_once_in_transitions() {
    for text in texts(Language::Trencher) {
        let program = parse(Language::Trencher, &text);
        let fences = model::spans(&program, |it| matches!(it, Instruction::Fence(_)));
        let mut stores = model::spans(&program, |it| matches!(it, Instruction::Store { .. }));
        stores
            .retain(|span| changed(Language::Trencher, &text, &[Change::LockStore(*span)]).is_ok());
        let mut points = model::points(&program);
        points.retain(|point| fences.iter().all(|fence| fence.end != point.offset));
        let changes: Vec<Change> = (points.iter().copied().map(Change::FenceAfter))
            .chain(fences.iter().copied().map(Change::RemoveFence))
            .chain(stores.iter().copied().map(Change::LockStore))
            .collect();
        let expected = points.iter().fold(program.clone(), |program, point| {
            each(&program, |template| fence_after(template, *point))
        });
        let expected = each(&expected, |template| {
            model::replace(template, |edge| match &edge.instruction {
                Instruction::Fence(_) if fences.contains(&edge.span) => {
                    Some(vec![Instruction::Skip])
                }
                store @ Instruction::Store { .. } if stores.contains(&edge.span) => {
                    Some(vec![Instruction::Lock, store.clone(), Instruction::Unlock])
                }
                _ => None,
            })
        });
        check(Language::Trencher, &text, &changes, &expected);
    }
}

/// The same in tables: everything is there as often as it should be.
#[test]
fn everything_at_once_in_tables() {
    for text in texts(Language::Litmus) {
        let program = parse(Language::Litmus, &text);
        let is_fence = |it: &Instruction| matches!(it, Instruction::Fence(_));
        let is_update = |it: &Instruction| matches!(it, Instruction::Update { .. });
        let mut stores = model::spans(&program, |it| matches!(it, Instruction::Store { .. }));
        stores.retain(|span| changed(Language::Litmus, &text, &[Change::LockStore(*span)]).is_ok());
        let (mut changes, _) = all_after(&program);
        let fences = model::spans(&program, is_fence);
        changes.extend(all_before(&program).0);
        let (count, kept) = (changes.len(), fences.len());
        changes.extend(fences.into_iter().map(Change::RemoveFence));
        changes.extend(stores.iter().copied().map(Change::LockStore));
        let found = parse(Language::Litmus, &edited(Language::Litmus, &text, &changes));
        // Of the two fences beside one that is put back, one stays.
        assert_eq!(model::spans(&found, is_fence).len(), count - kept, "{text}");
        let updates = model::spans(&program, is_update).len();
        assert_eq!(model::spans(&found, is_update).len(), updates + stores.len(), "{text}");
    }
}

/// A fence that goes and comes back at its own place stays, or becomes a full one.
#[test]
fn fences_put_back() {
    for language in Language::ALL {
        for text in texts(language) {
            let program = parse(language, &text);
            let is_full = |it: &Instruction| *it == Instruction::Fence(program::FenceKind::Full);
            for span in model::spans(&program, is_full) {
                let source = span.source.expect("parsed from a text");
                let point = program::InsertionPoint { source, offset: span.end };
                let changes = [Change::RemoveFence(span), Change::FenceAfter(point)];
                assert_eq!(edited(language, &text, &changes), text);
            }
        }
    }
}
