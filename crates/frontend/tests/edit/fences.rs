//! Fences put into texts and taken out of them, one at a time.

use frontend::Language;
use frontend::edit::Change;
use program::{Instruction, canonical};

use super::model::{self, each, fence_after, fence_before, one, without_skips};
use super::texts::texts;
use super::{edited, parse};

fn after(language: Language) -> usize {
    let mut checked = 0;
    for text in texts(language) {
        let program = parse(language, &text);
        for point in model::points(&program) {
            let expected = each(&program, |template| fence_after(template, point));
            let edited = edited(language, &text, &[Change::FenceAfter(point)]);
            let difference = canonical::difference(&expected, &parse(language, &edited));
            assert_eq!(difference, None, "{point:?}\n{text}\n{edited}");
            checked += 1;
        }
    }
    checked
}

fn before(language: Language) -> usize {
    let mut checked = 0;
    for text in texts(language) {
        let program = parse(language, &text);
        for (id, label, point) in model::labels(&program) {
            let expected = one(&program, id, |template| fence_before(template, label));
            let edited = edited(language, &text, &[Change::FenceBefore(point)]);
            let difference = canonical::difference(&expected, &parse(language, &edited));
            assert_eq!(difference, None, "{point:?}\n{text}\n{edited}");
            checked += 1;
        }
    }
    checked
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
fn enough(counts: [usize; 5], least: [usize; 5]) {
    let enough = counts.iter().zip(least).all(|(count, least)| *count >= least);
    assert!(enough, "{counts:?}");
}

#[test]
fn a_fence_after_edges() {
    enough(Language::ALL.map(after), [2000, 200, 1500, 300, 300]);
}

#[test]
fn a_fence_before_a_label() {
    enough(Language::ALL.map(before), [1800, 200, 1500, 250, 250]);
}

#[test]
fn a_fence_taken_out() {
    enough(Language::ALL.map(removed), [100, 15, 30, 15, 15]);
}
