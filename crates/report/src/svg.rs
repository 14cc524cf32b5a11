//! Pictures of executions in SVG: threads side by side, no other program needed. Colours follow the reader's
//! light or dark scheme.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::picture::{Arrow, EventBox, Picture};
use crate::table::width;

/// What an SVG looks like; also part of every HTML page.
pub(crate) const STYLE: &str = include_str!("svg.css");

/// The longest text in a box.
const LONGEST: usize = 44;
const CHARACTER: f64 = 7.3;
const BOX_HEIGHT: f64 = 40.0;
const ROW: f64 = 82.0;
const TOP: f64 = 58.0;
/// Between two columns, where most names of relations stand.
const GAP: f64 = 96.0;
const MARGIN: f64 = 28.0;

/// Where a box is.
#[derive(Clone, Copy)]
struct Place {
    column: usize,
    row: usize,
    x: f64,
    y: f64,
    width: f64,
}

/// A file with pictures, one below the other.
pub(crate) fn file(pictures: &[Picture]) -> String {
    let drawn: Vec<(String, f64, f64)> =
        pictures.iter().enumerate().map(|(number, picture)| body(picture, number)).collect();
    let wide = drawn.iter().map(|(_, width, _)| *width).fold(0.0, f64::max);
    let high: f64 = drawn.iter().map(|(_, _, height)| *height).sum();
    let titles: Vec<&str> = pictures.iter().map(|picture| picture.title.as_str()).collect();
    let mut text = opened(wide, high, &titles.join("; "));
    let _ = write!(text, "<style>\n{STYLE}</style>\n");
    let mut down = 0.0;
    for (body, _, height) in drawn {
        let _ = write!(text, "<g transform=\"translate(0 {down:.0})\">\n{body}</g>\n");
        down += height;
    }
    text.push_str("</svg>\n");
    text
}

/// A text as a picture.
pub(crate) fn text(text: &str) -> String {
    const LINE: f64 = 18.0;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let longest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
    let wide = (count(longest) * CHARACTER + 2.0 * MARGIN).max(320.0);
    let high = count(lines.len()) * LINE + 2.0 * MARGIN - 8.0;
    let mut all = opened(wide, high, lines.first().unwrap_or(&""));
    let _ = write!(all, "<style>\n{STYLE}</style>\n");
    for (number, line) in lines.iter().enumerate() {
        let y = MARGIN + 6.0 + count(number) * LINE;
        let line = escaped(line);
        let _ =
            writeln!(all, "<text x=\"{MARGIN}\" y=\"{y:.0}\" xml:space=\"preserve\">{line}</text>");
    }
    all.push_str("</svg>\n");
    all
}

/// A picture as an element of a page that has [`STYLE`]; `number` tells it from others there.
pub(crate) fn element(picture: &Picture, number: usize) -> String {
    let (body, wide, high) = body(picture, number);
    format!("{}{body}</svg>\n", opened(wide, high, &picture.title))
}

fn opened(wide: f64, high: f64, title: &str) -> String {
    let title = escaped(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fw-picture\" role=\"img\" \
         viewBox=\"0 0 {wide:.0} {high:.0}\" width=\"{wide:.0}\" height=\"{high:.0}\" \
         aria-label=\"{title}\">\n"
    )
}

fn body(picture: &Picture, number: usize) -> (String, f64, f64) {
    let (places, wide, high) = layout(picture);
    let mut text = String::new();
    heads(&mut text, number);
    let title = escaped(&picture.title);
    let _ = writeln!(text, "<text x=\"{MARGIN}\" y=\"20\" class=\"title\">{title}</text>");
    for column in picture.columns.iter().filter(|column| !column.boxes.is_empty()) {
        let Some(first) = column.boxes.first().and_then(|one| places.get(&one.id)) else {
            continue;
        };
        let centre = first.x + first.width / 2.0;
        let name = escaped(&cut(&column.name, LONGEST));
        let _ = writeln!(
            text,
            "<line class=\"lane\" x1=\"{centre:.1}\" y1=\"{TOP}\" x2=\"{centre:.1}\" y2=\"{:.1}\"/>\
             <text class=\"thread\" x=\"{centre:.1}\" y=\"{:.1}\">{name}</text>",
            high - 14.0,
            TOP - 12.0
        );
        for one in &column.boxes {
            draw_box(&mut text, one, places[&one.id]);
        }
    }
    let mut named = Vec::new();
    for arrow in &picture.arrows {
        if let (Some(from), Some(to)) = (places.get(&arrow.from), places.get(&arrow.to)) {
            draw_arrow(&mut text, arrow, (*from, *to), number, &mut named);
        }
    }
    if picture.omitted > 0 {
        let _ = writeln!(
            text,
            "<text class=\"line\" x=\"{MARGIN}\" y=\"{:.1}\">{} other events are not drawn</text>",
            high - 4.0,
            picture.omitted
        );
    }
    (text, wide, high)
}

/// Places for all boxes, and the size of the picture.
fn layout(picture: &Picture) -> (BTreeMap<String, Place>, f64, f64) {
    let mut places = BTreeMap::new();
    let (mut x, mut rows) = (MARGIN, 0);
    let with_events = picture.columns.iter().filter(|column| !column.boxes.is_empty());
    for (number, column) in with_events.enumerate() {
        let texts = column.boxes.iter().flat_map(|one| [first_line(one), second_line(one)]);
        let longest = texts.map(|text| width(&text)).max().unwrap_or(0).max(width(&column.name));
        let longest = u32::try_from(longest.clamp(12, LONGEST)).unwrap_or(44);
        let wide = f64::from(longest) * CHARACTER + 18.0;
        for (row, one) in column.boxes.iter().enumerate() {
            let y = TOP + f64::from(u32::try_from(row).unwrap_or(u32::MAX)) * ROW;
            let place = Place { column: number, row, x, y, width: wide };
            places.insert(one.id.clone(), place);
        }
        rows = rows.max(column.boxes.len());
        x += wide + GAP;
    }
    let high = TOP + f64::from(u32::try_from(rows).unwrap_or(u32::MAX)) * ROW;
    let title = u32::try_from(width(&picture.title)).unwrap_or(u32::MAX);
    let wide = (f64::from(title) * CHARACTER + 2.0 * MARGIN).max(320.0);
    (places, (x - GAP + MARGIN + 30.0).max(wide), high)
}

fn first_line(one: &EventBox) -> String {
    if one.line.is_empty() { one.code.clone() } else { format!("{}: {}", one.line, one.code) }
}

fn second_line(one: &EventBox) -> String {
    one.effect.clone()
}

fn draw_box(text: &mut String, one: &EventBox, place: Place) {
    let on = if one.is_shown { " on" } else { "" };
    let (first, second) = (first_line(one), second_line(one));
    let whole = escaped(&format!("{first}  {second}"));
    let Place { x, y, width, .. } = place;
    let _ = writeln!(
        text,
        "<g><title>{whole}</title><rect class=\"box{on}\" x=\"{x:.1}\" y=\"{y:.1}\" \
         width=\"{width:.1}\" height=\"{BOX_HEIGHT}\" rx=\"6\"/>"
    );
    let is_alone = first.is_empty() || second.is_empty();
    let (first_at, second_at) = if is_alone { (24.0, 24.0) } else { (16.0, 32.0) };
    for (class, down, line) in [("code", first_at, first), ("effect", second_at, second)] {
        if !line.is_empty() {
            let line = escaped(&cut(&line, LONGEST));
            let (x, y) = (x + 9.0, y + down);
            let _ =
                writeln!(text, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{line}</text>");
        }
    }
    text.push_str("</g>\n");
}

/// The class of a relation: those with a colour of their own, and the others.
fn class(relation: &str) -> &'static str {
    match relation {
        "po" => "po",
        "rf" | "rfe" | "rfi" => "rf",
        "co" | "coe" | "coi" => "co",
        "fr" | "fre" | "fri" => "fr",
        _ => "other",
    }
}

fn heads(text: &mut String, number: usize) {
    text.push_str("<defs>\n");
    for class in ["po", "rf", "co", "fr", "other"] {
        let _ = writeln!(
            text,
            "<marker id=\"{class}-{number}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" \
             markerUnits=\"userSpaceOnUse\" markerWidth=\"11\" markerHeight=\"11\" orient=\"auto\">\
             <path class=\"head-{class}\" d=\"M0 0L10 5L0 10z\"/></marker>"
        );
    }
    text.push_str("</defs>\n");
}

/// An arrow and its name; names do not cover each other.
fn draw_arrow(
    text: &mut String,
    arrow: &Arrow,
    (from, to): (Place, Place),
    number: usize,
    named: &mut Vec<(f64, f64)>,
) {
    let centre = |place: Place| place.x + place.width / 2.0;
    let [start, first, second, end] = if from.column == to.column {
        if to.row == from.row + 1 {
            let start = (centre(from), from.y + BOX_HEIGHT);
            let end = (centre(to), to.y);
            [start, start, end, end]
        } else {
            let side = from.x + from.width;
            // Long arrows pass outside of short ones.
            let apart = from.row.abs_diff(to.row).saturating_sub(2).min(8);
            let out = side + 24.0 + 6.0 * f64::from(u32::try_from(apart).unwrap_or(8));
            let (above, below) = (from.y + BOX_HEIGHT * 0.3, to.y + BOX_HEIGHT * 0.7);
            [(side, above), (out, above), (out, below), (side, below)]
        }
    } else {
        let is_rightwards = to.column > from.column;
        let start = (if is_rightwards { from.x + from.width } else { from.x }, from.y + 12.0);
        let end = (if is_rightwards { to.x } else { to.x + to.width }, to.y + BOX_HEIGHT - 12.0);
        let bend = (end.0 - start.0) * 0.5;
        [start, (start.0 + bend, start.1), (end.0 - bend, end.1), end]
    };
    let on = if arrow.is_shown { " on" } else { "" };
    let class = class(&arrow.relation);
    let head = if arrow.is_directed {
        format!(" marker-end=\"url(#{class}-{number})\"")
    } else {
        String::new()
    };
    let _ = writeln!(
        text,
        "<path class=\"arrow {class}{on}\" d=\"M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\"{head}/>",
        start.0, start.1, first.0, first.1, second.0, second.1, end.0, end.1
    );
    if arrow.relation == "po" && !arrow.is_shown {
        return;
    }
    // Nearer to the beginning than to the end, since arrows like to cross in the middle.
    let along = |part: f64| {
        let rest = 1.0 - part;
        let mix = |a: f64, b: f64, c: f64, d: f64| {
            rest.powi(3) * a
                + 3.0 * rest.powi(2) * part * b
                + 3.0 * rest * part.powi(2) * c
                + part.powi(3) * d
        };
        (mix(start.0, first.0, second.0, end.0), mix(start.1, first.1, second.1, end.1))
    };
    let is_free = |(x, y): (f64, f64), named: &[(f64, f64)]| {
        named
            .iter()
            .all(|(other_x, other_y)| (x - other_x).abs() > 24.0 || (y - other_y).abs() > 13.0)
    };
    let at = [0.32, 0.5, 0.68, 0.2, 0.8].map(along);
    let at = at.into_iter().find(|place| is_free(*place, named)).unwrap_or(at[0]);
    named.push(at);
    let (x, y) = at;
    let _ = writeln!(
        text,
        "<text class=\"name {class}\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
        y + 4.0,
        escaped(&arrow.relation)
    );
}

/// At most so many columns of a text.
fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Text between tags or in an attribute. Control characters have no place in XML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(character),
            control if control.is_control() => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_of_a_program_is_taken_for_a_tag() {
        let text = "<script>\"&'\u{1b}[0m\u{0}</script>";
        assert_eq!(
            escaped(text),
            "&lt;script&gt;&quot;&amp;&#39;\u{fffd}[0m\u{fffd}&lt;/script&gt;"
        );
    }
}
