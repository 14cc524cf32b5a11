//! Fences put into texts and taken out of them, one at a time.

use frontend::Language;
use frontend::edit::Change;
use program::{FenceKind, InsertionPoint, Instruction, Program, Template, canonical};

use super::model::{self, each, fence_after, fence_before, one, without_skips};
use super::texts::{one_of_each, texts};
use super::{FULL, changed, edited, kinds, parse};

/// A full fence, and another one, which changes from place to place.
fn some_kinds<'k>(
    kinds: &'k [FenceKind],
    checked: &mut usize,
) -> impl Iterator<Item = FenceKind> + use<'k> {
    *checked += 1;
    let other = kinds[*checked % kinds.len()];
    [FULL, other].into_iter().take(if other == FULL { 1 } else { 2 })
}

fn after(language: Language) -> usize {
    let mut checked = 0;
    for text in texts(language) {
        let program = parse(language, &text);
        for point in model::points(&program) {
            for kind in some_kinds(kinds(language, &text), &mut checked) {
                let expected = each(&program, |template| fence_after(template, point, &[kind]));
                let edited = edited(language, &text, &[Change::FenceAfter(point, kind)]);
                let difference = canonical::difference(&expected, &parse(language, &edited));
                assert_eq!(difference, None, "{kind:?} after {point:?}\n{text}\n{edited}");
            }
        }
    }
    checked
}

fn before(language: Language) -> usize {
    let mut checked = 0;
    for text in texts(language) {
        let program = parse(language, &text);
        for (id, label, point) in model::labels(&program) {
            for kind in some_kinds(kinds(language, &text), &mut checked) {
                let expected = one(&program, id, |template| fence_before(template, label, &[kind]));
                let edited = edited(language, &text, &[Change::FenceBefore(point, kind)]);
                let difference = canonical::difference(&expected, &parse(language, &edited));
                assert_eq!(difference, None, "{kind:?} before {point:?}\n{text}\n{edited}");
            }
        }
    }
    checked
}

/// A fence that is put in right beside one that is taken out takes its place, whichever step or label it belongs to.
#[test]
fn a_fence_takes_the_place_of_another() {
    let text = "shared x\nthread p { x = 1 ; fence }\n";
    let program = parse(Language::Fw, text);
    let span = model::spans(&program, |step| matches!(step, Instruction::Fence(_)))[0];
    let source = span.source.expect("it has a position");
    let mut changes = 0;
    for offset in [span.start, span.end] {
        let point = InsertionPoint { source, offset };
        for change in [Change::FenceAfter(point, FULL), Change::FenceBefore(point, FULL)] {
            if changed(Language::Fw, text, &[change]).is_ok() {
                let removed = Change::RemoveFence(span);
                assert_eq!(edited(Language::Fw, text, &[change, removed]), text, "{change:?}");
                changes += 1;
            }
        }
    }
    assert!(changes > 1, "{changes}");
}

/// Every kind in one text of every language and architecture: it is put in, or refused for being
/// none of theirs.
#[test]
fn every_kind_is_there_or_refused() {
    for (language, text) in one_of_each() {
        let program = parse(language, &text);
        let has = kinds(language, &text);
        let points = model::points(&program).into_iter();
        let labels = model::labels(&program);
        for kind in FenceKind::ALL {
            let changes = points
                .clone()
                .map(|point| Change::FenceAfter(point, kind))
                .chain(labels.iter().map(|(_, _, point)| Change::FenceBefore(*point, kind)));
            for change in changes {
                let result = changed(language, &text, &[change]);
                let fences = |program: &Program| {
                    let edges = program.templates().iter().flat_map(Template::edges);
                    edges.filter(|edge| edge.instruction == Instruction::Fence(kind)).count()
                };
                match result {
                    Ok(edited) => {
                        assert!(has.contains(&kind), "{kind:?} in {edited}");
                        let found = parse(language, &edited);
                        assert!(fences(&found) > fences(&program), "{kind:?} in {edited}");
                    }
                    Err(errors) => {
                        assert!(!has.contains(&kind), "{kind:?}\n{text}\n{errors:#?}");
                        let [error] = errors.as_slice() else { panic!("{errors:#?}") };
                        assert!(error.message.contains("has no fence of the kind"), "{error:#?}");
                    }
                }
            }
        }
    }
}

fn removed(language: Language) -> usize {
    let mut checked = 0;
    for text in texts(language) {
        let program = parse(language, &text);
        for span in model::spans(&program, |it| matches!(it, Instruction::Fence(_))) {
            let expected = each(&program, |template| {
                let is_it = |edge: &program::Edge| edge.span == span;
                model::replace(template, |edge| is_it(edge).then(|| vec![Instruction::Skip]))
            });
            let edited = edited(language, &text, &[Change::RemoveFence(span)]);
            let found = parse(language, &edited);
            let difference =
                canonical::difference(&without_skips(&expected), &without_skips(&found));
            assert_eq!(difference, None, "{span:?}\n{text}\n{edited}");
            checked += 1;
        }
    }
    checked
}

/// Without the shared corpus there is less to check.
fn enough(counts: [usize; 7], least: [usize; 7]) {
    let enough = counts.iter().zip(least).all(|(count, least)| *count >= least);
    assert!(enough, "{counts:?}");
}

#[test]
fn a_fence_after_edges() {
    enough(Language::ALL.map(after), [2000, 200, 1500, 300, 300, 150, 30]);
}

#[test]
fn a_fence_before_a_label() {
    enough(Language::ALL.map(before), [1800, 200, 1500, 250, 250, 150, 30]);
}

#[test]
fn a_fence_taken_out() {
    enough(Language::ALL.map(removed), [100, 15, 30, 15, 15, 12, 8]);
}
