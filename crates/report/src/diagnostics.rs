//! Errors in an input, with the source, a caret and what to do.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use program::{Diagnostic, SourceId, Sources, Span};

use crate::terminal::{line, lines, shortened, styled};

/// Renders errors one after the other, with colours if asked, for [`crate::terminal::text`].
pub fn render(errors: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    let mut text = String::new();
    for error in errors {
        text.push_str(&rendered(Level::ERROR, error, sources, colour));
        text.push_str("\n\n");
    }
    text
}

/// Something in a program to look at, which need not be wrong.
pub(crate) fn note(what: &Diagnostic, sources: &Sources, colour: bool) -> String {
    rendered(Level::NOTE, what, sources, colour)
}

/// Words from elsewhere are harmless and of some length before any colour is put in.
fn rendered(level: Level<'_>, what: &Diagnostic, sources: &Sources, colour: bool) -> String {
    let words = |words: &str| lines(&shortened(words));
    let harmless = Diagnostic {
        message: words(&what.message),
        span: what.span,
        label: words(&what.label),
        related: what.related.as_ref().map(|(span, label)| (*span, words(label))),
        help: what.help.as_deref().map(words),
    };
    let path = what.span.source.map(|source| line(sources.name(source)));
    let group = group(level, &harmless, sources, path.as_deref());
    styled(&renderer(colour).render(&[group]))
}

const fn renderer(colour: bool) -> Renderer {
    if colour { Renderer::styled() } else { Renderer::plain() }
}

fn group<'a>(
    level: Level<'a>,
    error: &'a Diagnostic,
    sources: &'a Sources,
    path: Option<&'a str>,
) -> Group<'a> {
    let title = level.primary_title(&error.message);
    let mut group = match error.span.source {
        Some(source) => {
            let excerpt = Excerpt::around(error, sources, source);
            let label = (!error.label.is_empty()).then_some(error.label.as_str());
            let primary = AnnotationKind::Primary.span(excerpt.range(error.span)).label(label);
            let mut snippet = Snippet::source(excerpt.text)
                .path(path)
                .line_start(excerpt.line)
                .annotation(primary);
            if let Some((span, label)) = &error.related
                && span.source == Some(source)
            {
                let context = AnnotationKind::Context.span(excerpt.range(*span));
                snippet = snippet.annotation(context.label(label.as_str()));
            }
            title.element(snippet)
        }
        None => Group::with_title(title),
    };
    if let Some(help) = &error.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    group
}

/// The lines of a source that an error is about, so that a large source is not laid out as a
/// whole for each error.
struct Excerpt<'a> {
    text: &'a str,
    /// The number of the first line.
    line: usize,
    /// Where the excerpt begins in the source.
    offset: usize,
}

impl<'a> Excerpt<'a> {
    fn around(error: &Diagnostic, sources: &'a Sources, source: SourceId) -> Self {
        let spans = std::iter::once(error.span)
            .chain(error.related.iter().map(|(span, _)| *span))
            .filter(|span| span.source == Some(source));
        let text = sources.text(source);
        let (mut first, mut last) = (usize::MAX, 0);
        for span in spans {
            first = first.min(span.start as usize);
            last = last.max(span.end as usize);
        }
        // Spans begin and end where characters do; a careless one must not stop the report.
        let (first, last) = (text.floor_char_boundary(first), text.ceil_char_boundary(last));
        let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
        let end = text[last..].find('\n').map_or(text.len(), |at| last + at);
        let (line, _) = sources.line_column(source, u32::try_from(start).unwrap_or(u32::MAX));
        Self { text: &text[start..end], line, offset: start }
    }

    /// A span of the source as a range of the excerpt.
    fn range(&self, span: Span) -> std::ops::Range<usize> {
        let inside = |at: u32| (at as usize).saturating_sub(self.offset).min(self.text.len());
        inside(span.start)..inside(span.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, error: Diagnostic, expected: &Expect) {
        let mut sources = Sources::new();
        sources.add("test.fw", text);
        expected.assert_eq(&render(&[error], &sources, false));
    }

    fn span(start: usize, end: usize) -> Span {
        let mut sources = Sources::new();
        Span::new(sources.add("", ""), start..end)
    }

    #[test]
    fn an_error_points_at_the_source_and_says_what_to_do() {
        check(
            "first\nsecond wrnog\nthird\n",
            Diagnostic::new(span(13, 18), "unknown word `wrnog`")
                .label("not a word")
                .related(span(0, 5), "the first line")
                .help("did you mean `wrong`?"),
            &expect![[r#"
                error: unknown word `wrnog`
                 --> test.fw:2:8
                  |
                1 | first
                  | ----- the first line
                2 | second wrnog
                  |        ^^^^^ not a word
                  |
                  = help: did you mean `wrong`?

            "#]],
        );
    }

    #[test]
    fn an_error_without_a_place() {
        check(
            "",
            Diagnostic::new(Span::NONE, "nothing to set").help("set something"),
            &expect![[r#"
            error: nothing to set
             |
             = help: set something

        "#]],
        );
    }

    #[test]
    fn an_error_at_the_end_of_the_text() {
        check(
            "abc",
            Diagnostic::new(span(3, 3), "expected more"),
            &expect![[r#"
            error: expected more
             --> test.fw:1:4
              |
            1 | abc
              |    ^

        "#]],
        );
        check(
            "abc\n",
            Diagnostic::new(span(4, 4), "expected more"),
            &expect![[r#"
            error: expected more
             --> test.fw:2:1
              |
            2 |
              | ^

        "#]],
        );
    }

    #[test]
    fn only_the_surroundings_are_shown_of_a_very_long_line() {
        let text = format!("{}{}", "ä".repeat(1000), "b".repeat(100_000));
        check(
            &text,
            Diagnostic::new(span(3000, 3005), "too long"),
            &expect![[r#"
                error: too long
                 --> test.fw:1:2001
                  |
                1 | ...bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb...
                  |                                                                  ^^^^^

            "#]],
        );
    }
}
