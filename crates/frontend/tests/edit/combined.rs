//! Several changes of one text.

use frontend::Language;
use frontend::edit::Change;
use program::{FenceKind, InsertionPoint, Instruction, Order, Program, Template, canonical};

use super::model::{self, each, fence_after, fence_before, one, without_skips};
use super::texts::texts;
use super::{FULL, changed, edited, kinds, parse};

fn all_after(program: &Program, kinds: &[FenceKind]) -> (Vec<Change>, Program) {
    let points = model::points(program);
    let expected = points.iter().fold(program.clone(), |program, point| {
        each(&program, |template| fence_after(template, *point, kinds))
    });
    let changes = points
        .iter()
        .flat_map(|point| kinds.iter().map(|kind| Change::FenceAfter(*point, *kind)))
        .collect();
    (changes, expected)
}

fn all_before(program: &Program, kinds: &[FenceKind]) -> (Vec<Change>, Program) {
    let labels = model::labels(program);
    let expected = labels.iter().fold(program.clone(), |program, (id, label, _)| {
        one(&program, *id, |template| fence_before(template, *label, kinds))
    });
    let changes = labels
        .iter()
        .flat_map(|(_, _, point)| kinds.iter().map(|kind| Change::FenceBefore(*point, *kind)))
        .collect();
    (changes, expected)
}

fn check(language: Language, text: &str, changes: &[Change], expected: &Program) {
    let edited = edited(language, text, changes);
    let difference = canonical::difference(expected, &parse(language, &edited));
    assert_eq!(difference, None, "{text}\n{edited}");
}

/// Full fences, then fences of all kinds.
fn full_and_all(language: Language, text: &str) -> [&'static [FenceKind]; 2] {
    [&[FULL], kinds(language, text)]
}

#[test]
fn all_fences_after_edges() {
    for language in Language::ALL {
        for text in texts(language) {
            for kinds in full_and_all(language, &text) {
                let (changes, expected) = all_after(&parse(language, &text), kinds);
                check(language, &text, &changes, &expected);
            }
        }
    }
}

#[test]
fn all_fences_before_labels() {
    for language in Language::ALL {
        for text in texts(language) {
            for kinds in full_and_all(language, &text) {
                let (changes, expected) = all_before(&parse(language, &text), kinds);
                check(language, &text, &changes, &expected);
            }
        }
    }
}

/// Everywhere both: in `.fw` they could take each other's place.
#[test]
fn all_fences_at_once() {
    for language in [Language::Litmus, Language::Trencher, Language::Esop13, Language::Esop15] {
        for text in texts(language) {
            for kinds in full_and_all(language, &text) {
                let program = parse(language, &text);
                let (mut changes, after) = all_after(&program, kinds);
                let (before, _) = all_before(&program, &[FULL]);
                let labels = model::labels(&program);
                let expected = labels.iter().fold(after, |program, (id, label, _)| {
                    one(&program, *id, |template| fence_before(template, *label, &[FULL]))
                });
                changes.extend(before);
                check(language, &text, &changes, &expected);
            }
        }
    }
}

/// Those that do take each other's place in `.fw` still stand there, one after the other.
#[test]
fn all_fences_at_once_can_be_read() {
    for text in texts(Language::Fw) {
        let program = parse(Language::Fw, &text);
        let (mut changes, _) = all_after(&program, &FenceKind::ALL);
        changes.extend(all_before(&program, &FenceKind::ALL).0);
        parse(Language::Fw, &edited(Language::Fw, &text, &changes));
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
        let changes: Vec<Change> = (points.iter().map(|point| Change::FenceAfter(*point, FULL)))
            .chain(fences.iter().copied().map(Change::RemoveFence))
            .chain(stores.iter().copied().map(Change::LockStore))
            .collect();
        let found = parse(Language::Fw, &edited(Language::Fw, &text, &changes));
        let expected = points.iter().fold(program.clone(), |program, point| {
            each(&program, |template| fence_after(template, *point, &[FULL]))
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
        let changes: Vec<Change> = (points.iter().map(|point| Change::FenceAfter(*point, FULL)))
            .chain(fences.iter().copied().map(Change::RemoveFence))
            .chain(stores.iter().copied().map(Change::LockStore))
            .collect();
        let expected = points.iter().fold(program.clone(), |program, point| {
            each(&program, |template| fence_after(template, *point, &[FULL]))
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
        let (mut changes, _) = all_after(&program, &[FULL]);
        let fences = model::spans(&program, is_fence);
        changes.extend(all_before(&program, &[FULL]).0);
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

/// A fence that goes and comes back at its own place stays, or becomes the one that comes.
#[test]
fn fences_put_back() {
    for language in Language::ALL {
        for text in texts(language) {
            let program = parse(language, &text);
            let edges = || program.templates().iter().flat_map(Template::edges);
            let fences = edges().filter_map(|edge| match edge.instruction {
                Instruction::Fence(kind) => Some((edge.span, kind)),
                _ => None,
            });
            for (span, old) in fences {
                // Some instructions are two fences.
                let alone = edges().filter(|edge| edge.span == span).count() == 1;
                let source = span.source.expect("parsed from a text");
                let point = |offset| InsertionPoint { source, offset };
                for new in kinds(language, &text).iter().copied().filter(|_| alone) {
                    let changes =
                        [Change::RemoveFence(span), Change::FenceAfter(point(span.end), new)];
                    let edited = edited(language, &text, &changes);
                    let expected = each(&program, |template| {
                        model::replace(template, |edge| {
                            (edge.span == span).then(|| vec![Instruction::Fence(new)])
                        })
                    });
                    let difference = canonical::difference(&expected, &parse(language, &edited));
                    assert_eq!(difference, None, "{text}\n{edited}");
                    if new == old {
                        assert_eq!(edited, text);
                    }
                }
            }
        }
    }
}

/// Of several fences that are put around the place of one that goes, one takes its place.
#[test]
fn several_fences_put_back() {
    use FenceKind::{Full, LoadLoad, Release, StoreStore};
    let text = "shared x\nthread t {\n  x = 1\n  fence(acquire) // here\n  x = 2\n}\n";
    let program = parse(Language::Fw, text);
    let span = model::spans(&program, |it| matches!(it, Instruction::Fence(_)))[0];
    let source = span.source.expect("parsed from a text");
    let before = |kind| Change::FenceBefore(InsertionPoint { source, offset: span.start }, kind);
    let after = |kind| Change::FenceAfter(InsertionPoint { source, offset: span.end }, kind);
    for (changes, fences) in [
        (vec![after(Release), after(Full)], "  fence // here\n  fence(release)\n"),
        (vec![before(Release), before(Full)], "  fence\n  fence(release) // here\n"),
        (vec![before(Full), after(Full)], "  fence // here\n"),
        (
            vec![before(LoadLoad), after(StoreStore)],
            "  fence(load_load) // here\n  fence(store_store)\n",
        ),
    ] {
        let changes: Vec<Change> = changes.into_iter().chain([Change::RemoveFence(span)]).collect();
        let expected = text.replace("  fence(acquire) // here\n", fences);
        assert_eq!(edited(Language::Fw, text, &changes), expected);
    }
}
