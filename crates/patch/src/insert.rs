//! How fences are put after a place, in each language. Why each form is exact is said in `c` and
//! `rust`.

use std::ops::Range;

use crate::c;
use crate::edit::Effect;
use crate::fence::{Atomics, FenceText};
use crate::language::{Edition, Language};
use crate::place::{Place, PlaceKind, Refusal};
use crate::splice::Splice;
use crate::syntax::{Syntax, ancestors, children};
use crate::tree::Node;

/// Puts fences after the place with a point.
pub(crate) fn fences_after(
    syntax: &Syntax,
    fences: &[FenceText],
    point: usize,
) -> Result<Effect, Refusal> {
    let place = syntax.place_with_point(point).ok_or(Refusal::NoSuchPlace)?;
    let texts: Vec<String> = fences.iter().map(|fence| fence.in_text(syntax, point)).collect();
    let (splices, uses_atomics) = match syntax.language() {
        Language::C => {
            let by_header = Atomics::of(syntax.text()) == Atomics::Header;
            let is_standard =
                |fence: &FenceText| by_header && matches!(fence, FenceText::Language(_));
            (in_c(syntax, &place, &texts)?, fences.iter().any(is_standard))
        }
        Language::Rust(edition) => (in_rust(syntax, &place, &texts, edition), false),
    };
    Ok(Effect { splices, uses_atomics })
}

fn in_c(syntax: &Syntax, place: &Place, fences: &[String]) -> Result<Vec<Splice>, Refusal> {
    let range = &place.range;
    let fence = fences.join(" ");
    let name = unused_name(syntax.text());
    let around = |piece: &Range<usize>, before: String, behind: String| {
        vec![Splice::before(piece, before), Splice::behind(piece, behind)]
    };
    Ok(match place.kind {
        PlaceKind::Statement => vec![Splice::behind(range, after_statement(syntax, range, fences))],
        PlaceKind::SoleBody => around(range, "{ ".to_owned(), format!(" {fence} }}")),
        // `!!` because a bit-field or a pointer is a condition too.
        PlaceKind::Condition => {
            around(range, format!("({{ _Bool {name} = !!("), format!("); {fence} {name}; }})"))
        }
        // `+` promotes as `switch` does, and makes a value of a bit-field.
        PlaceKind::SwitchValue => {
            around(range, format!("({{ __auto_type {name} = +("), format!("); {fence} {name}; }})"))
        }
        PlaceKind::ForStep => vec![Splice::behind(range, format!(", ({{ {fence} }})"))],
        PlaceKind::ForDeclaration => {
            let header = enclosing(syntax, range, "for_statement")?;
            vec![
                Splice::replace(header.start_byte()..range.start, "{ "),
                Splice::behind(range, format!(" {fence} for (;")),
                Splice::behind(&header.byte_range(), " }"),
            ]
        }
        PlaceKind::ReturnValue => {
            let value = returned(syntax, range)?.byte_range();
            let function = enclosing(syntax, range, "function_definition")?;
            // With the type of the function, a returned `0` is a pointer where it should be one.
            let kind = c::return_type(syntax, function).unwrap_or("__auto_type ".to_owned());
            around(&value, format!("({{ {kind}{name} = ("), format!("); {fence} {name}; }})"))
        }
        PlaceKind::VoidReturn => {
            let value = returned(syntax, range)?;
            let statement = enclosing(syntax, range, "return_statement")?;
            vec![
                Splice::replace(range.start..value.start_byte(), "{ "),
                Splice::behind(&statement.byte_range(), format!(" {fence} return; }}")),
            ]
        }
        PlaceKind::TailExpression | PlaceKind::BodyExpression | PlaceKind::Scrutinee => {
            return Err(Refusal::NoSuchPlace);
        }
    })
}

fn in_rust(syntax: &Syntax, place: &Place, fences: &[String], edition: Edition) -> Vec<Splice> {
    let range = &place.range;
    let in_variable = || {
        let (name, value) = (unused_name(syntax.text()), unwrapped(syntax, range));
        vec![
            Splice::before(&value, format!("{{ let {name} = ")),
            Splice::behind(&value, format!("; {}; {name} }}", fences.join("; "))),
        ]
    };
    let in_tuple = || {
        let value = unwrapped(syntax, range);
        let fences = fences.join(", ");
        vec![Splice::before(&value, "("), Splice::behind(&value, format!(", {fences}).0"))]
    };
    match (place.kind, edition) {
        (PlaceKind::Condition | PlaceKind::BodyExpression, _)
        | (PlaceKind::TailExpression, Edition::From2024) => in_variable(),
        (PlaceKind::Scrutinee | PlaceKind::ReturnValue, _)
        | (PlaceKind::TailExpression, Edition::UpTo2021) => in_tuple(),
        (
            PlaceKind::Statement
            | PlaceKind::SoleBody
            | PlaceKind::SwitchValue
            | PlaceKind::ForDeclaration
            | PlaceKind::ForStep
            | PlaceKind::VoidReturn,
            _,
        ) => {
            let statements: Vec<String> = fences.iter().map(|fence| format!("{fence};")).collect();
            vec![Splice::behind(range, after_statement(syntax, range, &statements))]
        }
    }
}

/// What is inside of `Some(…)`, `Ok(…)` and `Err(…)`. Wrapping a value does nothing that a fence could
/// be ordered with; and inside, the compiler still knows which type is expected and can convert a
/// `&Vec` to a slice, or a `Box` to that of a trait.
fn unwrapped(syntax: &Syntax, expression: &Range<usize>) -> Range<usize> {
    let wrapped = |node: Node<'_>| -> Option<Range<usize>> {
        let function = node.child_by_field_name("function")?;
        let list = node.child_by_field_name("arguments")?;
        let mut arguments = children(list).filter(Node::is_named);
        match (syntax.of(function), arguments.next(), arguments.next()) {
            ("Some" | "Ok" | "Err", Some(only), None) => Some(only.byte_range()),
            _ => None,
        }
    };
    let mut value = expression.clone();
    while let Some(inside) = syntax.node(&value).and_then(wrapped) {
        value = inside;
    }
    value
}

/// Fences behind a statement: on lines of their own if the statement has one.
fn after_statement(syntax: &Syntax, statement: &Range<usize>, fences: &[String]) -> String {
    let (before, behind) = syntax.around_on_line(statement);
    let gap = if before.trim().is_empty() && behind.trim().is_empty() {
        format!("{}{before}", syntax.line_end())
    } else {
        " ".to_owned()
    };
    format!("{gap}{}", fences.join(&gap))
}

/// A name that the text does not use. It can hide nothing but another name of this kind, and those
/// are not used inside of each other.
fn unused_name(text: &str) -> String {
    let mut name = "fenced".to_owned();
    while text.contains(&name) {
        name.push('_');
    }
    name
}

/// The value of a C `return`.
fn returned<'a>(syntax: &'a Syntax, place: &Range<usize>) -> Result<Node<'a>, Refusal> {
    let leaf = syntax.leaf(place.end.saturating_sub(1)).ok_or(Refusal::NoSuchPlace)?;
    ancestors(leaf)
        .find(|node| {
            node.end_byte() == place.end
                && node.parent().is_some_and(|around| {
                    around.kind() == "return_statement" && around.start_byte() == place.start
                })
        })
        .ok_or(Refusal::NoSuchPlace)
}

fn enclosing<'a>(
    syntax: &'a Syntax,
    place: &Range<usize>,
    kind: &str,
) -> Result<Node<'a>, Refusal> {
    let leaf = syntax.leaf(place.start).ok_or(Refusal::NoSuchPlace)?;
    ancestors(leaf).find(|node| node.kind() == kind).ok_or(Refusal::NoSuchPlace)
}
