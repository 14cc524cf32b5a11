//! Text on its way to a terminal.
//!
//! A terminal obeys what it reads. Names of files, of threads and of variables, titles and pieces of
//! source come from elsewhere, and must not be able to move the cursor, ring the bell, hide or reorder
//! what stands beside them. So control characters never reach a reader as they are: they are made
//! visible, whatever text they are in.
//!
//! Our own colours must get through. They are therefore not written as control characters at all, but
//! begin with [`STYLE`], a code point that Unicode keeps for uses like this; what follows it becomes a
//! control sequence here, if colours are wanted, and only if it is one that sets a colour or a weight.
//! A text that contains the code point itself can do no more than that.

use std::sync::OnceLock;

/// What our own colours begin with.
const STYLE: char = '\u{fdd0}';

/// The control character that colours begin with on a terminal.
const ESCAPE: char = '\u{1b}';

static COLUMNS: OnceLock<usize> = OnceLock::new();

/// Says how wide the terminal is that texts go to, once and before any text: a run has a column for each thread
/// only if there is room for that.
pub fn set_columns(columns: usize) {
    let _ = COLUMNS.set(columns);
}

/// How wide the terminal is, if texts go to one.
pub(crate) fn columns() -> Option<usize> {
    COLUMNS.get().copied()
}

/// Colours of a renderer, in the form in which texts carry them.
pub(crate) fn styled(rendered: &str) -> String {
    rendered.replace(ESCAPE, "\u{fdd0}")
}

/// A verdict in a word, in the colour of its kind.
pub(crate) fn verdict(word: &str) -> String {
    let colour = match word {
        "holds" | "repaired" => "32",
        "violated" | "unrepairable" => "31",
        _ => "33",
    };
    format!("{STYLE}[1m{STYLE}[{colour}m{word}{STYLE}[0m")
}

/// A text for people: nothing in it controls a terminal but our own colours, and they only if they are
/// wanted.
pub fn text(text: &str, colours: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c == STYLE
            && let Some(length) = style(rest)
        {
            if colours {
                shown.push(ESCAPE);
                shown.push_str(&rest[..length]);
            }
            rest = &rest[length..];
        } else {
            push_visible(c, &mut shown);
        }
    }
    shown
}

/// Data for a terminal, with control characters made visible. Lines may end as in DOS.
pub fn data(data: &str) -> String {
    let mut shown = String::with_capacity(data.len());
    let mut all = data.chars().peekable();
    while let Some(c) = all.next() {
        if c == '\r' && all.peek() == Some(&'\n') {
            shown.push(c);
        } else {
            push_visible(c, &mut shown);
        }
    }
    shown
}

/// A name as part of a line: no end of a line in it, and nothing that controls a terminal.
pub fn line(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '\n' | '\t' => shown.extend(picture(c)),
            STYLE => shown.extend(c.escape_unicode()),
            c => push_visible(c, &mut shown),
        }
    }
    shown
}

/// A text of several lines from elsewhere.
pub(crate) fn lines(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            STYLE => shown.extend(c.escape_unicode()),
            c => push_visible(c, &mut shown),
        }
    }
    shown
}

/// How long the colour is that a text begins with, in the form in which texts carry them.
pub(crate) fn style_at(text: &str) -> Option<usize> {
    style(text.strip_prefix(STYLE)?).map(|length| STYLE.len_utf8() + length)
}

/// The colours that a text begins with.
pub(crate) fn styles_of(text: &str) -> &str {
    let mut end = 0;
    while let Some(length) = style_at(&text[end..]) {
        end += length;
    }
    &text[..end]
}

/// How long the style is that a text begins with, if it is one: `[1;91m` and the like.
fn style(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix('[')?;
    let length = parameters.find('m')?;
    let is_colour = |parameter: &str| {
        let number = parameter.parse::<u8>();
        matches!(number, Ok(0 | 1 | 3 | 4 | 22 | 30..=37 | 39 | 90..=97))
    };
    parameters[..length].split(';').all(is_colour).then_some(length + 2)
}

fn push_visible(c: char, shown: &mut String) {
    match c {
        '\n' | '\t' => shown.push(c),
        c if controls_terminal(c) => match picture(c) {
            Some(picture) => shown.push(picture),
            None => shown.extend(c.escape_unicode()),
        },
        c => shown.push(c),
    }
}

/// Whether a character is an instruction to the terminal, or changes the order of what is around it.
fn controls_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Directions of writing, and isolates and embeddings.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Separators of lines and paragraphs.
            | '\u{2028}' | '\u{2029}'
            | STYLE)
}

/// The picture that Unicode has for a control character, as wide as any letter.
const fn picture(c: char) -> Option<char> {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32),
        '\u{7f}' => Some('␡'),
        _ => None,
    }
}

/// How many characters of a message are shown.
const LONGEST: usize = 2000;

/// A message that can be read: of a very long one the beginning and the end.
pub(crate) fn shortened(message: &str) -> String {
    let count = message.chars().count();
    if count <= LONGEST {
        return message.to_owned();
    }
    let beginning: String = message.chars().take(LONGEST * 3 / 4).collect();
    let end: String = message.chars().skip(count - LONGEST / 4).collect();
    let left_out = count - LONGEST;
    format!("{beginning} … ({left_out} characters left out) … {end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_made_visible_everywhere() {
        let evil = "a\u{1b}[31mb\u{7}\r\u{9b}2J\u{202e}c\u{7f}\0";
        let harmless = "a␛[31mb␇␍\\u{9b}2J\\u{202e}c␡␀";
        assert_eq!(text(evil, true), harmless);
        assert_eq!(text(evil, false), harmless);
        assert_eq!(data(evil), harmless);
        assert_eq!(line(evil), harmless);
        assert_eq!(lines(evil), harmless);
    }

    #[test]
    fn ends_of_lines_stay_where_lines_may_end() {
        let all = "one\ttwo\r\nthree\n";
        assert_eq!(text(all, true), "one\ttwo␍\nthree\n");
        assert_eq!(data(all), all);
        assert_eq!(line(all), "one␉two␍␊three␊");
    }

    #[test]
    fn only_our_own_colours_get_through_and_only_if_wanted() {
        let ours = styled("\u{1b}[1m\u{1b}[91merror\u{1b}[0m: x");
        assert_eq!(text(&ours, true), "\u{1b}[1m\u{1b}[91merror\u{1b}[0m: x");
        assert_eq!(text(&ours, false), "error: x");
        // Hidden text, a cleared screen, a title of the window.
        for not_ours in
            ["\u{fdd0}[8mx", "\u{fdd0}[2J", "\u{fdd0}]0;x\u{7}", "\u{fdd0}", "\u{fdd0}[m"]
        {
            assert!(!text(not_ours, true).contains('\u{1b}'), "{not_ours:?}");
        }
    }

    #[test]
    fn a_name_cannot_pretend_to_be_a_style() {
        assert_eq!(text(&line("\u{fdd0}[1mx"), true), "\\u{fdd0}[1mx");
    }

    #[test]
    fn a_very_long_message_is_shortened() {
        let long = "ä".repeat(100_000);
        let shown = shortened(&long);
        assert!(shown.chars().count() < LONGEST + 100, "{shown}");
        assert!(shown.contains("(98000 characters left out)"));
        assert_eq!(shortened("short"), "short");
    }
}
