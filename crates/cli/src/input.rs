//! The inputs of a command, one after the other: each is read, something is done with it, and what is wrong
//! with it is told.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use program::{Diagnostic, Sources};
use workspace::inputs::shown_name;
use workspace::{Limit, Loaded, ProgramId, Refused, Workspace};

use crate::arguments::{Format, Inputs};
use crate::output::{Output, Said};
use crate::progress::Line;
use crate::status::Status;
use crate::supervision::Unanswered;

/// One input of a command, in the workspace that it was read into.
pub(crate) struct Given<'a> {
    workspace: &'a mut Workspace<'static>,
    line: &'a Line,
    pub(crate) id: ProgramId,
    /// Whether others came before it.
    pub(crate) is_first: bool,
}

impl Given<'_> {
    /// What was read.
    pub(crate) fn loaded(&self) -> &Loaded {
        self.workspace.program(self.id)
    }

    /// Asks the workspace; while it searches, the line on the terminal shows how far it is.
    pub(crate) fn ask<A>(&mut self, question: impl FnOnce(&mut Workspace<'static>) -> A) -> A {
        let answer = question(self.workspace);
        self.line.clear();
        answer
    }
}

/// Does something with each input that can be read, and reports the others.
pub(crate) fn for_each(
    inputs: &Inputs,
    format: Format,
    output: &mut Output,
    act: impl FnMut(&mut Given<'_>, &mut Output) -> Result<Status, Refused>,
) -> Status {
    let nothing: Arc<Unanswered> = Arc::new(|_, _| Said::Message(String::new()));
    for_each_within(inputs, None, format, output, &nothing, act)
}

/// The same up to a moment, for all inputs together; `unanswered` tells what is said of one that a limit
/// keeps from being answered, while it is read or asked about.
pub(crate) fn for_each_within(
    given: &Inputs,
    deadline: Option<Instant>,
    format: Format,
    output: &mut Output,
    unanswered: &Arc<Unanswered>,
    mut act: impl FnMut(&mut Given<'_>, &mut Output) -> Result<Status, Refused>,
) -> Status {
    let line = Line::new(output);
    let workspace = Workspace::default().watched_by(line.watcher());
    let mut round = Round {
        inputs: given.plain(),
        deadline,
        format,
        unanswered,
        workspace,
        line,
        is_first: true,
    };
    let programs = round.workspace.programs(&round.inputs);
    let names: Vec<String> = programs.iter().map(|files| shown_names(files)).collect();
    output.desk().begin(names, Arc::clone(unanswered));
    let mut status = Status::Fine;
    for (number, files) in programs.iter().enumerate() {
        let one = if number > 0 && round.is_late() {
            round.late(&shown_names(files), output)
        } else {
            round.program(files, output, &mut act)
        };
        output.desk().answered(one);
        status = status.max(one);
    }
    status
}

fn shown_names(files: &[String]) -> String {
    files.iter().map(|file| shown_name(file)).collect::<Vec<_>>().join(" ")
}

/// All inputs of a command, and how they are worked through.
struct Round<'a> {
    inputs: workspace::Inputs,
    deadline: Option<Instant>,
    format: Format,
    unanswered: &'a Arc<Unanswered>,
    workspace: Workspace<'static>,
    line: Line,
    is_first: bool,
}

impl Round<'_> {
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// There is no time left for an input.
    fn late(&self, file: &str, output: &mut Output) -> Status {
        output.say(&(self.unanswered)(file, Limit::Time));
        Status::Undecided
    }

    /// The files of one program, or of several.
    fn program(
        &mut self,
        files: &[String],
        output: &mut Output,
        act: &mut impl FnMut(&mut Given<'_>, &mut Output) -> Result<Status, Refused>,
    ) -> Status {
        let file = shown_names(files);
        let is_compiled = files.iter().any(|file| self.workspace.is_compiled(file, &self.inputs));
        if is_compiled {
            self.line.say(&compiling(files));
        }
        let parts = self.workspace.parts(files, &self.inputs);
        self.line.clear();
        let parts = match parts {
            Ok(parts) => parts,
            Err(errors) => {
                let refused = Refused { errors, sources: Sources::new() };
                return self.refuse(&file, &refused, output);
            }
        };
        let mut status = Status::Fine;
        for (number, part) in parts.into_iter().enumerate() {
            let file = format!("{file}{}", part.which);
            let one = if number > 0 && self.is_late() {
                self.late(&file, output)
            } else {
                if is_compiled {
                    self.line.say(&compiling(files));
                }
                let loaded = self.workspace.load(&file, part, &self.inputs);
                self.line.clear();
                let done = loaded.and_then(|id| self.one(id, output, act));
                done.unwrap_or_else(|refused| self.refuse(&file, &refused, output))
            };
            status = status.max(one);
        }
        status
    }

    /// One program.
    fn one(
        &mut self,
        id: ProgramId,
        output: &mut Output,
        act: &mut impl FnMut(&mut Given<'_>, &mut Output) -> Result<Status, Refused>,
    ) -> Result<Status, Refused> {
        let is_first = std::mem::replace(&mut self.is_first, false);
        let (workspace, line) = (&mut self.workspace, &self.line);
        let done = act(&mut Given { workspace, line, id, is_first }, output);
        self.workspace.forget(id);
        done
    }

    /// Tells what is wrong; that a compiler failed which a limit has ended is not the input's fault.
    fn refuse(&self, file: &str, refused: &Refused, output: &mut Output) -> Status {
        if let Some(limit) = output.desk().ended_compilers() {
            output.say(&(self.unanswered)(file, limit));
            return Status::Undecided;
        }
        report(file, &refused.errors, &refused.sources, self.format, output);
        Status::BadInput
    }
}

/// That compilers are at work, which may take long.
fn compiling(files: &[String]) -> String {
    let file = files.first().map_or("", String::as_str);
    let is_package = file.ends_with("Cargo.toml") || Path::new(file).join("Cargo.toml").is_file();
    let by = if is_package { " with cargo" } else { "" };
    format!("compiling {file}{by}")
}

/// Reports what is wrong with an input.
pub(crate) fn report(
    file: &str,
    errors: &[Diagnostic],
    sources: &Sources,
    format: Format,
    output: &mut Output,
) {
    match format {
        Format::Text => output.message(&report::diagnostics::render(errors, sources, true)),
        Format::Json => output.data(&report::json::errors(file, errors, sources)),
    }
}
