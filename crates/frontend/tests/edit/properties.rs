//! Changes of generated programs, and changes that make no sense.

use std::collections::BTreeSet;

use frontend::edit::Change;
use frontend::{Language, print};
use program::index::Idx;
use program::{FenceKind, InsertionPoint, SourceId, Span, canonical};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use testkit::{Subset, programs};

use super::model::{self, each, fence_after, fence_before, one};
use super::texts::layout;
use super::{changed, edited, kinds, parse};

fn languages() -> impl Strategy<Value = Language> {
    select(Language::ALL.to_vec())
}

proptest! {
    #[test]
    fn fences_in_generated_programs(
        program in prop_oneof![programs(Subset::Everything), programs(Subset::Trencher)],
        // Few generated programs can be litmus tests, of which there are many others.
        language in languages().prop_filter("no table", |it| *it != Language::Litmus),
        choice in any::<Index>(),
        chosen in prop::collection::vec(any::<Index>(), 1..4),
    ) {
        let Ok(text) = print(&program, language) else { return Ok(()) };
        let program = parse(language, &text);
        let kinds = kinds(language, &text);
        let kinds: BTreeSet<FenceKind> = chosen.iter().map(|index| *index.get(kinds)).collect();
        let kinds: Vec<FenceKind> = kinds.into_iter().collect();
        let points = model::points(&program);
        if !points.is_empty() {
            let point = *choice.get(&points);
            let expected = each(&program, |template| fence_after(template, point, &kinds));
            let changes: Vec<Change> =
                kinds.iter().map(|kind| Change::FenceAfter(point, *kind)).collect();
            let found = parse(language, &edited(language, &text, &changes));
            prop_assert_eq!(canonical::difference(&expected, &found), None, "{}", text);
        }
        let labels = model::labels(&program);
        if !labels.is_empty() {
            let (id, label, point) = *choice.get(&labels);
            let expected = one(&program, id, |template| fence_before(template, label, &kinds));
            let changes: Vec<Change> =
                kinds.iter().map(|kind| Change::FenceBefore(point, *kind)).collect();
            let found = parse(language, &edited(language, &text, &changes));
            prop_assert_eq!(canonical::difference(&expected, &found), None, "{}", text);
        }
    }

    #[test]
    fn no_change_makes_an_editor_panic(
        language in languages(),
        places in prop::collection::vec(
            (0..5, any::<Index>(), any::<Index>(), select(FenceKind::ALL.to_vec())),
            1..8,
        ),
    ) {
        let text = layout(language);
        let program = parse(language, text);
        let source = SourceId::new(0);
        // Mostly places where something stands.
        let spans = model::spans(&program, |_| true);
        let changes: Vec<Change> = places
            .iter()
            .map(|(change, first, second, kind)| {
                let offset = first.index(text.len() + 1);
                let known = spans[second.index(spans.len())];
                let span = if offset % 4 == 0 {
                    Span::new(source, offset..offset + second.index(text.len() + 1))
                } else {
                    known
                };
                let offset = match offset % 3 {
                    0 => span.end,
                    1 => span.start,
                    _ => u32::try_from(offset).expect("a short text"),
                };
                let point = InsertionPoint { source, offset };
                match change {
                    0 => Change::FenceBefore(point, *kind),
                    1 => Change::FenceAfter(point, *kind),
                    2 => Change::LockStore(span),
                    3 => Change::RemoveFence(span),
                    _ => Change::UnlockStore(span),
                }
            })
            .collect();
        if let Ok(text) = changed(language, text, &changes) {
            parse(language, &text);
        }
        // Those that are possible one by one are possible together.
        let possible: Vec<Change> = changes
            .into_iter()
            .filter(|change| changed(language, text, &[*change]).is_ok())
            .collect();
        if let Ok(text) = changed(language, text, &possible) {
            parse(language, &text);
        }
    }
}
