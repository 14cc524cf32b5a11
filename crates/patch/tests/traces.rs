//! A fence is executed exactly when control leaves its place: seen in traces of programs in which
//! every fence is replaced by a call that says so.

mod tools;

use std::collections::BTreeMap;

use patch::{Change, Edition, FenceText, Language, Place, PlaceKind, Syntax, edit};
use tools::{TEXTS, Workshop};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    /// Control is in the place of this note.
    Note(usize),
    /// What the note made is dropped.
    Drop(usize),
    /// The fence of the place with this index.
    Fence(usize),
}

fn events(output: &str) -> Vec<Event> {
    let event = |line: &str| {
        let (word, number) = line.split_once(' ')?;
        let number = number.parse().ok()?;
        match word {
            "note" => Some(Event::Note(number)),
            "drop" => Some(Event::Drop(number)),
            "fence" => Some(Event::Fence(number)),
            _ => None,
        }
    };
    output.lines().filter_map(event).collect()
}

/// In which place each note is.
fn noted(syntax: &Syntax, text: &str, places: &[Place]) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for word in ["note(", "says("] {
        for (at, _) in text.match_indices(word) {
            let digits: String =
                text[at + word.len()..].chars().take_while(char::is_ascii_digit).collect();
            if let (Ok(number), Ok(place)) = (digits.parse::<usize>(), syntax.place_at(at)) {
                let index = places.iter().position(|other| *other == place);
                found.insert(number, index.expect("place_at finds what places lists"));
            }
        }
    }
    found
}

/// The text with a call instead of each fence, numbered as the places are.
fn told(text: &str, language: Language, places: &[Place]) -> String {
    let changes: Vec<Change> =
        places.iter().map(|it| Change::FenceAfter(it.point, FenceText::SEQ_CST)).collect();
    let patched = edit(text, language, &changes).expect("places");
    let fence = match language {
        Language::C => "atomic_thread_fence(memory_order_seq_cst)",
        Language::Rust(_) => "std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst)",
    };
    let mut told = patched;
    for index in 0..places.len() {
        let call = match language {
            Language::C => format!("fenced({index})"),
            Language::Rust(_) => format!("println!(\"fence {index}\")"),
        };
        told = told.replacen(fence, &call, 1);
    }
    told
}

/// Functions that are called in places and have none of their own here.
const HELPERS: [&str; 9] =
    ["fenced", "note", "says", "nothing", "drop", "value", "is", "some", "itself"];

#[test]
fn a_fence_is_executed_exactly_when_its_place_is_left() {
    for (name, text, language) in TEXTS.iter().filter(|(name, ..)| name.starts_with("control")) {
        let syntax = Syntax::parse(text, *language);
        let mut places = syntax.places();
        places.retain(|place| {
            let function = syntax.function_at(place.range.start).map(|(name, _)| name);
            !function.is_some_and(|name| HELPERS.contains(&name))
        });
        let place_of = noted(&syntax, text, &places);
        let workshop = Workshop::new("traces");
        let before = workshop.run(text, *language);
        let after = workshop.run(&told(text, *language, &places), *language);

        let without: String =
            after.0.split_inclusive('\n').filter(|line| !line.starts_with("fence ")).collect();
        assert_eq!(before, (without, after.1), "{name}: other output than without fences");

        let trace = events(&after.0);
        let mut checked = 0;
        for (at, event) in trace.iter().enumerate() {
            let context = || {
                format!(
                    "{name} {language:?} at {event:?}: {:?}",
                    &trace[at..trace.len().min(at + 6)]
                )
            };
            match event {
                Event::Note(number) => {
                    let Some(&index) = place_of.get(number) else { continue };
                    if !places[index].exits.is_empty() {
                        continue;
                    }
                    checked += 1;
                    assert_eq!(
                        next_outside(&trace[at + 1..], index, &places, &place_of),
                        Some(Event::Fence(index)),
                        "{}",
                        context()
                    );
                    let dropped = trace[at..]
                        .iter()
                        .position(|it| *it == Event::Drop(*number))
                        .filter(|_| *number < 900);
                    let fenced = trace[at..].iter().position(|it| *it == Event::Fence(index));
                    if let (Some(dropped), Some(dies)) =
                        (dropped, dies_inside(places[index].kind, *language))
                    {
                        assert_eq!(Some(dropped) < fenced, dies, "{}", context());
                    }
                }
                Event::Fence(index) => {
                    // Since the place was last left, control was in it.
                    if place_of.values().any(|place| place == index) {
                        let entered = trace[..at].iter().rev().find(|earlier| match earlier {
                            Event::Note(number) => place_of.get(number) == Some(index),
                            Event::Fence(other) => other == index,
                            Event::Drop(_) => false,
                        });
                        assert!(matches!(entered, Some(Event::Note(_))), "{}", context());
                    }
                }
                Event::Drop(_) => {}
            }
        }
        assert!(checked > 90, "{name}: only {checked} notes in places");
    }
}

/// The next event that is not inside of a place.
fn next_outside(
    trace: &[Event],
    index: usize,
    places: &[Place],
    place_of: &BTreeMap<usize, usize>,
) -> Option<Event> {
    let outer = &places[index].range;
    let is_inside = |other: usize| {
        let inner = &places[other].range;
        outer.start <= inner.start && inner.end <= outer.end
    };
    trace.iter().copied().find(|event| match event {
        Event::Note(number) => !place_of.get(number).is_some_and(|other| is_inside(*other)),
        Event::Fence(other) => *other == index || !is_inside(*other),
        Event::Drop(_) => false,
    })
}

/// Whether temporaries are dropped as part of a place; none where a note's value may be kept.
fn dies_inside(kind: PlaceKind, language: Language) -> Option<bool> {
    match kind {
        PlaceKind::Condition | PlaceKind::BodyExpression => Some(true),
        PlaceKind::TailExpression => Some(language == Language::Rust(Edition::From2024)),
        PlaceKind::ReturnValue | PlaceKind::Scrutinee => Some(false),
        PlaceKind::Statement
        | PlaceKind::SoleBody
        | PlaceKind::SwitchValue
        | PlaceKind::ForDeclaration
        | PlaceKind::ForStep
        | PlaceKind::VoidReturn => None,
    }
}
