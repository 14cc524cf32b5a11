//! Standard output and standard error, with colours where they can be seen.

use std::io::Write;

use anstream::{AutoStream, ColorChoice};

use crate::arguments::Color;

/// Where results and messages go.
pub(crate) struct Output {
    results: AutoStream<std::io::Stdout>,
    messages: AutoStream<std::io::Stderr>,
}

impl Output {
    pub(crate) fn new(color: Color) -> Self {
        let choice = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self {
            results: AutoStream::new(std::io::stdout(), choice),
            messages: AutoStream::new(std::io::stderr(), choice),
        }
    }

    /// Writes a result. A reader who has seen enough and closed the pipe is no error.
    pub(crate) fn result(&mut self, text: &str) {
        let _ = self.results.write_all(text.as_bytes());
        let _ = self.results.flush();
    }

    /// Writes a message about the work.
    pub(crate) fn message(&mut self, text: &str) {
        let _ = self.messages.write_all(text.as_bytes());
    }
}
