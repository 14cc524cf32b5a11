//! Standard output and standard error.
//!
//! *Text* is for people: control characters in it are made visible, and it has colours where they can
//! be seen ([`report::terminal`]). *Data* is for programs, JSON and diffs and translations: a file or a
//! pipe gets it byte for byte, without colours whatever `--color` says; only a terminal, which would obey
//! them, gets control characters made visible there too.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use anstream::{AutoStream, ColorChoice};
use report::html::Page;

use crate::arguments::Color;
use crate::form::Form;
use crate::status::Status;
use crate::supervision::Desk;
use crate::usage::Asked;

/// Something to be written, by whom it is for.
pub(crate) enum Said {
    /// A result for people.
    Text(String),
    /// A result for programs.
    Data(String),
    /// What there is to show about a program; all of a command become one file.
    Page(Page),
    /// Findings, as a document of their own; all of a command become one.
    Findings(String),
    /// A message about the work.
    Message(String),
}

/// Where results and messages go.
pub(crate) struct Output {
    results: AutoStream<std::io::Stdout>,
    messages: AutoStream<std::io::Stderr>,
    failed: bool,
    /// How many columns the line of progress has that is shown now.
    progress: usize,
    choice: ColorChoice,
    /// Whether of texts only the verdicts are written.
    quiet: bool,
    /// How errors of usage are told, and the arguments, which every document for programs has.
    asked: Arc<Asked>,
    /// Whether people see ASCII only.
    is_ascii: bool,
    desk: Desk,
}

impl Output {
    pub(crate) fn new(color: Color, quiet: bool, asked: Asked) -> Self {
        let choice = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self::at(Desk::default(), choice, quiet, Arc::new(asked))
    }

    fn at(desk: Desk, choice: ColorChoice, quiet: bool, asked: Arc<Asked>) -> Self {
        Self {
            results: AutoStream::new(std::io::stdout(), choice),
            messages: AutoStream::new(std::io::stderr(), choice),
            failed: false,
            progress: 0,
            choice,
            quiet,
            asked,
            is_ascii: is_ascii(),
            desk,
        }
    }

    /// The same, for another thread.
    pub(crate) fn another(&self) -> Self {
        Self::at(self.desk.clone(), self.choice, self.quiet, Arc::clone(&self.asked))
    }

    /// Who may write, and what there is to write about.
    pub(crate) fn desk(&self) -> Desk {
        self.desk.clone()
    }

    /// Writes something; a result is the answer about the input at work.
    pub(crate) fn say(&mut self, said: Said) {
        match said {
            Said::Text(text) => self.text(&text),
            Said::Data(data) => self.data(&data),
            Said::Page(page) => self.desk.keep_page(page),
            Said::Findings(document) => self.desk.keep(&document),
            Said::Message(text) => self.message(&text),
        }
    }

    /// Writes what there is to show of all inputs, as one file.
    pub(crate) fn pages(&mut self) {
        let pages = self.desk.take_pages();
        if !pages.is_empty() {
            self.data(&report::html::file(&pages));
        }
    }

    /// How wide the terminal is that results go to, if they go to one.
    pub(crate) fn columns() -> Option<usize> {
        let (terminal_size::Width(columns), _) =
            terminal_size::terminal_size_of(std::io::stdout())?;
        Some(columns.into())
    }

    /// Writes a result for people.
    pub(crate) fn text(&mut self, text: &str) {
        let desk = self.desk();
        let mut held = desk.hold();
        if self.quiet {
            self.write_text(&verdicts(text));
        } else {
            self.write_text(text);
        }
        held.is_answer();
    }

    /// Writes a result for programs.
    pub(crate) fn data(&mut self, data: &str) {
        let desk = self.desk();
        let mut held = desk.hold();
        self.write_data(data);
        held.is_answer();
    }

    /// Writes documents that say themselves what was asked, or that somebody else has written.
    pub(crate) fn documents(&mut self, documents: &str) {
        let desk = self.desk();
        let mut held = desk.hold();
        self.write_bytes(documents);
        held.is_answer();
    }

    /// The arguments of this command.
    pub(crate) fn asked(&self) -> &Asked {
        &self.asked
    }

    /// Writes an empty line between two results.
    pub(crate) fn separate(&mut self) {
        let desk = self.desk();
        let _held = desk.hold();
        if !self.quiet {
            self.write_text("\n");
        }
    }

    /// Writes something while nobody else can.
    pub(crate) fn last_words(&mut self, said: &Said) {
        match said {
            Said::Text(text) => self.write_text(text),
            Said::Data(data) | Said::Findings(data) => self.write_data(data),
            Said::Page(page) => self.write_data(&report::html::file(std::slice::from_ref(page))),
            Said::Message(text) => self.message(text),
        }
    }

    /// Writes the findings of all inputs, as one document. Of those in a baseline it is said that they are known;
    /// what the others come to, if there is a baseline.
    pub(crate) fn findings(&mut self, baseline: Option<&Path>) -> Result<Option<Status>, String> {
        let documents = self.desk.take_findings();
        if documents.is_empty() {
            return Ok(None);
        }
        let merged = report::sarif::merged(&documents);
        let Some(path) = baseline else {
            self.data(&merged);
            return Ok(None);
        };
        let known = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let compared = report::sarif::compared(&merged, &known)
            .map_err(|problem| format!("{}: {problem}", path.display()))?;
        self.data(&compared.document);
        let (known, new) = (compared.known, compared.new_errors + compared.new_warnings);
        let findings = if new == 1 { "finding" } else { "findings" };
        self.message(&format!("{new} new {findings}, {known} known\n"));
        Ok(Some(match compared {
            report::sarif::Compared { new_errors: 1.., .. } => Status::Violated,
            report::sarif::Compared { new_warnings: 1.., .. } => Status::Undecided,
            report::sarif::Compared { .. } => Status::Fine,
        }))
    }

    fn write_text(&mut self, text: &str) {
        let text = Self::columns()
            .map_or_else(|| text.to_owned(), |columns| report::fitted::fitted(text, columns));
        let text = if self.is_ascii { report::ascii::ascii(&text) } else { text };
        let shown = report::terminal::text(&text, has_colours(self.results.current_choice()));
        let written = self.results.write_all(shown.as_bytes()).and_then(|()| self.results.flush());
        self.arrives(written);
    }

    fn write_data(&mut self, data: &str) {
        match self.asked.form {
            Form::Text | Form::Html | Form::Svg | Form::Dot | Form::Sarif | Form::Github => {
                self.write_bytes(data);
            }
            Form::Json => {
                let documents = report::json::asked_by(data, &self.asked.arguments);
                self.write_bytes(&documents);
            }
        }
    }

    fn write_bytes(&mut self, data: &str) {
        let mut stream = std::io::stdout();
        let written = if stream.is_terminal() {
            stream.write_all(report::terminal::data(data).as_bytes())
        } else {
            stream.write_all(data.as_bytes())
        };
        let written = written.and_then(|()| stream.flush());
        self.arrives(written);
    }

    /// A reader who has seen enough and closed the pipe is no error; anything else that keeps a result
    /// from arriving is.
    fn arrives(&mut self, written: std::io::Result<()>) {
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
        let line = report::terminal::line(line);
        let end = if line.is_empty() { "\r" } else { "" };
        let _ = write!(self.messages, "\r{line}{:padding$}{end}", "");
        let _ = self.messages.flush();
    }

    /// Tells why the command cannot do what its arguments ask for; an indented line says what to do.
    pub(crate) fn refuse(&mut self, problem: &str) -> Status {
        let (problem, help) = match problem.split_once("\n  ") {
            Some((problem, help)) => (problem, Some(help)),
            None => (problem, None),
        };
        match self.asked.form {
            Form::Text | Form::Html | Form::Svg | Form::Dot | Form::Sarif | Form::Github => {
                use report::terminal::line;
                let help = help.map_or_else(String::new, |help| format!("  {}\n", line(help)));
                self.message(&format!("error: {}\n{help}", line(problem)));
            }
            Form::Json => self.data(&report::json::misuse(problem, help)),
        }
        Status::BadInput
    }

    /// Writes a message about the work.
    pub(crate) fn message(&mut self, text: &str) {
        let columns = terminal_size::terminal_size_of(std::io::stderr());
        let text = columns.map_or_else(
            || text.to_owned(),
            |(columns, _)| report::fitted::fitted(text, columns.0.into()),
        );
        let text = if self.is_ascii { report::ascii::ascii(&text) } else { text };
        let shown = report::terminal::text(&text, has_colours(self.messages.current_choice()));
        let _ = self.messages.write_all(shown.as_bytes());
    }
}

/// The verdicts that an answer begins with: its first lines, up to an empty or an indented one.
fn verdicts(text: &str) -> String {
    let first = text.lines().take_while(|line| !line.is_empty() && !line.starts_with(' '));
    first.flat_map(|line| [line, "\n"]).collect()
}

/// Whether the locale has another encoding than UTF-8. Where none is set, as in many containers, nobody has said so.
fn is_ascii() -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let set = names.iter().filter_map(std::env::var_os).find(|value| !value.is_empty());
    set.is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_lowercase();
        !(locale.contains("utf-8") || locale.contains("utf8"))
    })
}

const fn has_colours(choice: ColorChoice) -> bool {
    match choice {
        ColorChoice::Always | ColorChoice::AlwaysAnsi | ColorChoice::Auto => true,
        ColorChoice::Never => false,
    }
}
