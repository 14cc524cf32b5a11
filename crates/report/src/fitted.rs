//! Text for people in a terminal of some width: lines that are too long go on below, where they can be told from
//! others.
//!
//! A row of a table goes on below the beginning of its text; a sentence, a little further in than it begins. An
//! excerpt of a source is not broken, since it would not look like the source: what does not fit is cut off.

use unicode_width::UnicodeWidthChar;

use crate::table::width;
use crate::terminal;

/// Fewer columns than these are too few for anything.
const LEAST: usize = 30;

/// A character with the colours before it.
struct Unit<'a> {
    text: &'a str,
    width: usize,
    is_blank: bool,
}

/// The same text, with no line longer than that many columns.
pub fn fitted(text: &str, columns: usize) -> String {
    let columns = columns.max(LEAST);
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        if width(line) <= columns {
            out.push_str(line);
        } else {
            match gutter(line) {
                Some(gutter) => excerpt(line, gutter, columns, &mut out),
                None => wrap(line, columns, &mut out),
            }
        }
        out.push_str(end);
    }
    out
}

/// How wide the left edge of an excerpt is: an optional number, a blank and a bar.
fn gutter(line: &str) -> Option<usize> {
    let shown = terminal::text(line, false);
    let after = shown.trim_start().trim_start_matches(|digit: char| digit.is_ascii_digit());
    after.strip_prefix(" |").or_else(|| after.strip_prefix('|'))?;
    let before = shown.len() - after.len();
    Some(before + after.find('|')? + 1)
}

/// A line of a source is cut off; what is said about one goes on below.
fn excerpt(line: &str, gutter: usize, columns: usize, out: &mut String) {
    let shown = terminal::text(line, false);
    let is_source = shown.trim_start().starts_with(|digit: char| digit.is_ascii_digit());
    let units = units(line);
    if is_source {
        push(&units, columns - 1, out);
        out.push('…');
        return;
    }
    let said = shown.rfind(['^', '-', '_']).map_or(0, |at| at + 2);
    let indent = said.min(columns / 2).max(gutter + 1);
    let left = format!("{}|{}", " ".repeat(gutter - 1), " ".repeat(indent - gutter));
    pieces(&units, columns, (0, &left), out);
}

fn wrap(line: &str, columns: usize, out: &mut String) {
    let shown = terminal::text(line, false);
    let lead = shown.len() - shown.trim_start_matches(' ').len();
    let text = cells(line).into_iter().rfind(|at| *at <= columns / 2);
    let indent = text.unwrap_or(lead + 2).min(columns / 2);
    pieces(&units(line), columns, (text.unwrap_or(0), &" ".repeat(indent)), out);
}

/// The columns at which cells begin, after two blanks or more, but for the first.
fn cells(line: &str) -> Vec<usize> {
    let (mut found, mut at, mut blanks, mut is_inside) = (Vec::new(), 0, 0, false);
    for unit in units(line) {
        if unit.is_blank {
            blanks += 1;
        } else {
            if is_inside && blanks > 1 {
                found.push(at);
            }
            (blanks, is_inside) = (0, true);
        }
        at += unit.width;
    }
    found
}

/// The characters of a line.
fn units(line: &str) -> Vec<Unit<'_>> {
    let mut units = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(character) = line[at..].chars().next() {
        if let Some(length) = terminal::style_at(&line[at..]) {
            at += length;
            continue;
        }
        at += character.len_utf8();
        units.push(Unit {
            text: &line[start..at],
            width: character.width().unwrap_or(1),
            is_blank: character == ' ',
        });
        start = at;
    }
    if start < line.len() {
        // What ends the last colour.
        units.push(Unit { text: &line[start..], width: 0, is_blank: false });
    }
    units
}

/// As many characters as fit.
fn push(units: &[Unit<'_>], columns: usize, out: &mut String) {
    let mut used = 0;
    for unit in units {
        used += unit.width;
        if used <= columns {
            out.push_str(unit.text);
        } else {
            // Colours that begin here end here too.
            out.push_str(terminal::styles_of(unit.text));
        }
    }
}

/// The characters in lines of that many columns, all but the first with something to the left. The first is broken
/// behind its first columns.
fn pieces(
    mut units: &[Unit<'_>],
    columns: usize,
    (mut first, left): (usize, &str),
    out: &mut String,
) {
    let mut room = columns;
    loop {
        let total: usize = units.iter().map(|unit| unit.width).sum();
        if total <= room {
            break;
        }
        let cut = place(units, room, std::mem::take(&mut first));
        let end = units[..cut].iter().rposition(|unit| !unit.is_blank).map_or(cut, |last| last + 1);
        out.extend(units[..end].iter().map(|unit| unit.text));
        let rest = &units[cut..];
        units = &rest[rest.iter().take_while(|unit| unit.is_blank).count()..];
        if units.is_empty() {
            return;
        }
        out.push('\n');
        out.push_str(left);
        room = columns - width(left);
    }
    out.extend(units.iter().map(|unit| unit.text));
}

/// Where a line is broken: between two cells, between two words, or where it ends.
fn place(units: &[Unit<'_>], room: usize, behind: usize) -> usize {
    let (mut used, mut fits) = (0, 0);
    for unit in units {
        used += unit.width;
        if used > room {
            break;
        }
        fits += 1;
    }
    let fits = fits.max(1);
    let first = units.iter().position(|unit| !unit.is_blank).unwrap_or(0).max(behind);
    // One may end right before the blank that no longer fits.
    let may = |at: &usize| units.get(*at).is_some_and(|unit| unit.is_blank) && *at > first;
    let is_gap = |at: &usize| may(at) && units.get(at + 1).is_some_and(|unit| unit.is_blank);
    let between_cells = (first.max(fits / 3)..=fits).rev().find(is_gap);
    let between_words = || (first + 1..=fits).rev().find(may);
    between_cells.or_else(between_words).unwrap_or(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, columns: usize, expected: &str) {
        let shown = fitted(text, columns);
        assert_eq!(terminal::text(&shown, false), expected);
        assert!(shown.lines().all(|line| width(line) <= columns), "{shown}");
    }

    #[test]
    fn what_fits_stays() {
        check("a line\n\n  another\n", 40, "a line\n\n  another\n");
    }

    #[test]
    fn sentences_go_on_further_in() {
        let words = "  note: one two three four five six seven eight nine\n";
        check(words, 30, "  note: one two three four\n    five six seven eight nine\n");
        // A name that is too long is broken, and nothing is lost.
        let long = "x".repeat(70);
        check(&long, 32, &format!("{}\n  {}\n  {}", &long[..32], &long[..30], &long[..8]));
    }

    #[test]
    fn rows_go_on_below_their_text() {
        let row = "  1  p[0]  x = 1  waits in the buffer          x=1\n";
        check(row, 40, "  1  p[0]  x = 1  waits in the buffer\n                  x=1\n");
    }

    #[test]
    fn excerpts_are_cut_and_what_is_said_goes_on() {
        let source = "12 |     while (flag[1 - i] == 1 && turn == 1 - i) { wait(); }\n";
        check(source, 40, "12 |     while (flag[1 - i] == 1 && tur…\n");
        let said = "   |     ^^^^^ this load is done before the store is\n";
        check(said, 40, "   |     ^^^^^ this load is done before\n   |           the store is\n");
    }

    #[test]
    fn colours_take_no_room() {
        let line = format!("a {} and so on and so on", terminal::verdict("violated"));
        check(&line, 30, "a violated and so on and so on");
        check(&line, 30, "a violated and so on and so on");
        let longer = format!("{line} {}", terminal::verdict("holds"));
        check(&longer, 30, "a violated and so on and so on\n  holds");
    }
}
