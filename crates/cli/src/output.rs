//! Standard output and standard error, with colours where they can be seen.

use std::io::{ErrorKind, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};

use crate::arguments::Color;
use crate::supervision::Desk;

/// Where results and messages go.
pub(crate) struct Output {
    results: AutoStream<std::io::Stdout>,
    messages: AutoStream<std::io::Stderr>,
    failed: bool,
    /// How many columns the line of progress has that is shown now.
    progress: usize,
    choice: ColorChoice,
    desk: Desk,
}

impl Output {
    pub(crate) fn new(color: Color) -> Self {
        let choice = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self::at(Desk::default(), choice)
    }

    fn at(desk: Desk, choice: ColorChoice) -> Self {
        Self {
            results: AutoStream::new(std::io::stdout(), choice),
            messages: AutoStream::new(std::io::stderr(), choice),
            failed: false,
            progress: 0,
            choice,
            desk,
        }
    }

    /// The same, for another thread.
    pub(crate) fn another(&self) -> Self {
        Self::at(self.desk.clone(), self.choice)
    }

    /// Who may write, and what there is to write about.
    pub(crate) fn desk(&self) -> Desk {
        self.desk.clone()
    }

    /// Writes a result. A reader who has seen enough and closed the pipe is no error; anything else
    /// that keeps the result from arriving is.
    pub(crate) fn result(&mut self, text: &str) {
        let desk = self.desk();
        let mut held = desk.hold();
        self.last_words(text);
        held.is_answer();
    }

    /// Writes an empty line between two results.
    pub(crate) fn separate(&mut self) {
        let desk = self.desk();
        let _held = desk.hold();
        self.last_words("\n");
    }

    /// Writes a result while nobody else writes.
    pub(crate) fn last_words(&mut self, text: &str) {
        let written = self.results.write_all(text.as_bytes()).and_then(|()| self.results.flush());
        if let Err(error) = written
            && error.kind() != ErrorKind::BrokenPipe
            && !self.failed
        {
            self.failed = true;
            self.message(&format!("error: cannot write the result: {error}\n"));
        }
    }

    /// Whether a result did not arrive.
    pub(crate) const fn has_failed(&self) -> bool {
        self.failed
    }

    /// Whether somebody can see a line change.
    pub(crate) fn shows_progress() -> bool {
        std::io::stderr().is_terminal()
    }

    /// Shows a line in the place of the one shown before; an empty one clears it.
    pub(crate) fn progress(&mut self, line: &str) {
        let padding = self.progress.saturating_sub(line.chars().count());
        self.progress = line.chars().count();
        self.message(&format!(
            "\r{line}{:padding$}{}",
            "",
            if line.is_empty() { "\r" } else { "" }
        ));
        let _ = self.messages.flush();
    }

    /// Writes a message about the work.
    pub(crate) fn message(&mut self, text: &str) {
        let _ = self.messages.write_all(text.as_bytes());
    }
}
