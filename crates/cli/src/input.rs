//! The inputs of a command, one after the other: each is read, something is done with it, and what is wrong
//! with it is told.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use program::Sources;
use report::shards::Part;
use workspace::{Limit, Limits, Loaded, ProgramId, Refused, System, Within, Workspace};

use crate::arguments::Inputs;
use crate::form::Form;
use crate::output::{Output, Said};
use crate::progress::{Line, Ticker};
use crate::status::{Status, Tally};
use crate::supervision::{Desk, Unanswered};

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
    form: Form,
    output: &mut Output,
    act: impl FnMut(&mut Given<'_>, &mut Output) -> Result<Status, Refused>,
) -> Status {
    let nothing: Arc<Unanswered> = Arc::new(|_, _| Said::Message(String::new()));
    for_each_within(inputs, &Limits::default(), form, output, &nothing, act)
}

/// The same within limits, for all inputs together; `unanswered` tells what is said of one that a limit
/// keeps from being answered, while it is read or asked about.
pub(crate) fn for_each_within(
    given: &Inputs,
    limits: &Limits,
    form: Form,
    output: &mut Output,
    unanswered: &Arc<Unanswered>,
    mut act: impl FnMut(&mut Given<'_>, &mut Output) -> Result<Status, Refused>,
) -> Status {
    let mut is_first = true;
    for_each_program(given, limits, form, output, unanswered, |program, output| {
        let Named { workspace, line, inputs, file, files, shown, .. } = program;
        let desk = output.desk();
        let ended = || over(&desk, limits);
        let is_compiled = workspace.is_compiled(&files[0], inputs);
        let parts = compiling(output, files, is_compiled, || workspace.parts(files, inputs));
        line.clear();
        let parts = parts.map_err(|errors| Refused { errors, sources: Sources::new() })?;
        let mut of_all = Status::Fine;
        for (number, part) in parts.into_iter().enumerate() {
            let file = format!("{file}{}", part.which);
            if number > 0
                && let Some(limit) = ended()
            {
                output.say(unanswered(&file, limit));
                of_all = of_all.max(Status::Undecided);
                continue;
            }
            show_work(line, files, is_compiled);
            let load = || workspace.load(&file, part, inputs);
            let loaded = compiling(output, files, is_compiled, load);
            line.clear();
            let done = loaded.and_then(|id| {
                let done = act(&mut Given { workspace, line, id, is_first }, output);
                is_first = false;
                workspace.forget(id);
                done
            });
            let stopped = workspace.host().limit_reached();
            let one = done.unwrap_or_else(|refused| {
                refuse((&file, shown), stopped, &refused, form, output, unanswered)
            });
            of_all = of_all.max(one);
        }
        Ok(of_all)
    })
}

/// A program that is named and not read yet.
pub(crate) struct Named<'a> {
    pub(crate) workspace: &'a mut Workspace<'static>,
    line: &'a Line,
    pub(crate) inputs: &'a workspace::Inputs,
    /// What it is called.
    pub(crate) file: &'a str,
    pub(crate) files: &'a [String],
    /// The files, as people know them.
    shown: &'a [String],
    /// Whether others came before it.
    pub(crate) is_first: bool,
}

impl Named<'_> {
    /// Asks the workspace; meanwhile the line on the terminal shows how far it is.
    pub(crate) fn ask<A>(&mut self, question: impl FnOnce(&mut Workspace<'static>) -> A) -> A {
        let answer = question(self.workspace);
        self.line.clear();
        answer
    }
}

/// Does something with each program before it is read, and reports what is wrong with it.
pub(crate) fn for_each_program(
    given: &Inputs,
    limits: &Limits,
    form: Form,
    output: &mut Output,
    unanswered: &Arc<Unanswered>,
    mut act: impl FnMut(&mut Named<'_>, &mut Output) -> Result<Status, Refused>,
) -> Status {
    let inputs = given.plain();
    let line = Line::new(output);
    let mut workspace = Workspace::new(Within::new(&System, limits)).watched_by(line.watcher());
    let mut programs = workspace.programs(&inputs);
    let all = programs.len();
    if let Some(shard) = given.shard {
        let numbered = programs.into_iter().enumerate();
        programs =
            numbered.filter(|(number, _)| shard.has(*number)).map(|(_, files)| files).collect();
    }
    let shown = |files: &Vec<String>| -> Vec<String> {
        files.iter().map(|file| inputs.shown_name(file)).collect()
    };
    let names = programs.iter().map(|files| shown(files).join(" "));
    output.desk().begin(names.collect(), Arc::clone(unanswered));
    let desk = output.desk();
    let mut status = Status::Fine;
    let mut tally = Tally::default();
    for (number, files) in programs.iter().enumerate() {
        let shown = shown(files);
        let file = shown.join(" ");
        let one = if number > 0
            && let Some(limit) = over(&desk, limits)
        {
            output.say(unanswered(&file, limit));
            Status::Undecided
        } else {
            let is_compiled = files.iter().any(|file| workspace.is_compiled(file, &inputs));
            show_work(&line, files, is_compiled);
            let mut named = Named {
                workspace: &mut workspace,
                line: &line,
                inputs: &inputs,
                file: &file,
                files,
                shown: &shown,
                is_first: number == 0,
            };
            let done = act(&mut named, output);
            let stopped = workspace.host().limit_reached();
            done.unwrap_or_else(|refused| {
                refuse((&file, &shown), stopped, &refused, form, output, unanswered)
            })
        };
        output.desk().answered(one);
        tally.add(one);
        status = status.max(one);
    }
    if let Some(shard) = given.shard
        && form == Form::Json
        && !desk.is_interrupted()
    {
        let part = (shard.part + 1, shard.of);
        let asked = output.asked().in_a_line();
        output.documents(&Part::new(part, asked, all, tally.counts()).json());
    }
    status
}

/// The limit for which no further program is begun.
fn over(desk: &Desk, limits: &Limits) -> Option<Limit> {
    if desk.is_interrupted() {
        return Some(Limit::Cancelled);
    }
    limits.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Limit::Time)
}

/// Tells what is wrong; that a compiler failed which a limit has ended is not the input's fault, nor is what could
/// not be read within limits.
fn refuse(
    (file, files): (&str, &[String]),
    stopped: Option<Limit>,
    refused: &Refused,
    form: Form,
    output: &mut Output,
    unanswered: &Arc<Unanswered>,
) -> Status {
    let interrupted = output.desk().is_interrupted().then_some(Limit::Cancelled);
    let ended = || output.desk().ended_compilers();
    if let Some(limit) = interrupted.or_else(ended).or(stopped) {
        output.say(unanswered(file, limit));
        return Status::Undecided;
    }
    form.errors((file, files), &refused.errors, &refused.sources, output);
    Status::BadInput
}

/// Says on a terminal that compilers are at work, which may take long; nothing for other programs.
fn show_work(line: &Line, files: &[String], is_compiled: bool) {
    if is_compiled {
        line.say(&work(files));
    }
}

/// What compilers do.
fn work(files: &[String]) -> String {
    let file = files.first().map_or("", String::as_str);
    let is_package = file.ends_with("Cargo.toml") || Path::new(file).join("Cargo.toml").is_file();
    let by = if is_package { " with cargo" } else { "" };
    format!("compiling {file}{by}")
}

/// Does something for which compilers may be at work; the line on the terminal says for how long.
fn compiling<A>(
    output: &Output,
    files: &[String],
    is_compiled: bool,
    act: impl FnOnce() -> A,
) -> A {
    let work = work(files);
    let _ticker = is_compiled.then(|| Ticker::new(output, move || work.clone()));
    act()
}
