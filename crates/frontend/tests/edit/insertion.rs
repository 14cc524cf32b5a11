//! Insertion points are exact: a fence inserted into the text at the point of an edge is a fence
//! right after the edges with that point and nowhere else; one inserted at the point of a label is
//! a fence before everything that leaves the label.

use frontend::Language;
use program::{Program, canonical};

use super::model::{each, fence_after, fence_before, labels, one, points};
use super::{FULL, parse, texts};

fn check(expected: &Program, text: &str, offset: u32, inserted: &str) {
    let offset = offset as usize;
    let edited = format!("{}{inserted}{}", &text[..offset], &text[offset..]);
    let difference = canonical::difference(expected, &parse(Language::Fw, &edited));
    assert_eq!(difference, None, "{edited}");
}

#[test]
fn a_fence_in_the_text_is_a_fence_after_its_edges() {
    let mut checked = 0;
    for text in texts::texts(Language::Fw) {
        let program = parse(Language::Fw, &text);
        for point in points(&program) {
            let expected = each(&program, |template| fence_after(template, point, &[FULL]));
            // Behind a label a statement begins; elsewhere one may have to be ended first.
            let behind_label = text[..point.offset as usize].trim_end().ends_with(':');
            let inserted = if behind_label { "fence; " } else { "; fence; " };
            check(&expected, &text, point.offset, inserted);
            checked += 1;
        }
    }
    assert!(checked > 900, "{checked}");
}

#[test]
fn a_fence_in_the_text_is_a_fence_before_its_label() {
    let mut checked = 0;
    for text in texts::texts(Language::Fw) {
        let program = parse(Language::Fw, &text);
        for (id, label, point) in labels(&program) {
            let expected = one(&program, id, |template| fence_before(template, label, &[FULL]));
            let ends_block = text[point.offset as usize..].starts_with('}');
            let inserted = if ends_block { "; fence; " } else { "fence; " };
            check(&expected, &text, point.offset, inserted);
            checked += 1;
        }
    }
    assert!(checked > 800, "{checked}");
}
