//! Commands from a pipe, answers as plain text. The terminal's command line gives the same answers.

use std::fmt::Write as _;
use std::io::{BufRead, Write};

use program::{ThreadId, Value};
use semantics::{Choice, Move, Offer};

use crate::command::{Command, HELP};
use crate::session::{Entry, Session};
use crate::{Finder, Found};

/// Who does what commands say.
pub struct Interpreter<'a, F> {
    /// The run.
    pub session: Session<'a>,
    finder: F,
}

/// What is said to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It was done.
    Done(String),
    /// It could not be done, and why.
    Refused(String),
    /// That was all.
    Quit,
}

impl<'a, F: Finder> Interpreter<'a, F> {
    /// Somebody for this run.
    pub const fn new(session: Session<'a>, finder: F) -> Self {
        Self { session, finder }
    }

    /// Does what a line says.
    pub fn line(&mut self, line: &str) -> Reply {
        match Command::parse(line) {
            Ok(Some(command)) => self.obey(&command),
            Ok(None) => Reply::Done(String::new()),
            Err(problem) => Reply::Refused(problem),
        }
    }

    /// Does what a command says.
    pub fn obey(&mut self, command: &Command) -> Reply {
        let done = match command {
            Command::Take(number, value) => self.take(*number, *value),
            Command::Thread(name, value) => self.thread(name, *value),
            Command::Flush(name) => self.flush(name),
            Command::Undo(times) => self.repeat(*times, "undo", Session::undo),
            Command::Redo(times) => self.repeat(*times, "do again", Session::redo),
            Command::Random(times) => match self.session.random(*times) {
                0 => Err("no step is possible any more".to_owned()),
                _ => Ok(self.moved()),
            },
            Command::Seed(seed) => {
                self.session.seed(*seed);
                Ok(String::new())
            }
            Command::Reset => {
                self.session.reset();
                Ok(self.moved())
            }
            Command::Witness => {
                let found = self.finder.witness();
                self.load(found)
            }
            Command::Error => {
                let found = self.finder.error();
                self.load(found)
            }
            Command::Load(file) => {
                let found = self.finder.load(file);
                self.load(found)
            }
            Command::State => Ok(state(&self.session)),
            Command::Moves => Ok(menu(&self.session)),
            Command::Run => Ok(run(&self.session)),
            Command::Help => Ok(HELP.to_owned()),
            Command::Quit => return Reply::Quit,
        };
        match done {
            Ok(text) => Reply::Done(text),
            Err(problem) => Reply::Refused(problem),
        }
    }

    /// Does something of the list.
    fn take(&mut self, number: usize, value: Option<Value>) -> Result<String, String> {
        let menu = self.session.menu();
        let entry =
            number.checked_sub(1).and_then(|at| menu.get(at)).ok_or_else(|| match menu.len() {
                0 => "no step is possible any more".to_owned(),
                1 => "the list has one entry".to_owned(),
                most => format!("the list has entries 1 to {most}"),
            })?;
        self.follow(entry, value)
    }

    fn follow(&mut self, entry: &Entry, value: Option<Value>) -> Result<String, String> {
        let taken = match (entry.offer, value) {
            (Offer::One(taken), None) => taken,
            (Offer::One(_), Some(_)) => return Err("there is no value to choose there".to_owned()),
            (Offer::AnyValue { low, high, .. }, None) => {
                return Err(format!("choose a value from {low} to {high}, such as `1 = {low}`"));
            }
            (Offer::AnyValue { thread, edge, .. }, Some(value)) => {
                Move::Execute { thread, edge, choice: Choice::Value(value) }
            }
        };
        self.session.take(taken)?;
        Ok(self.moved())
    }

    /// Lets a thread execute.
    fn thread(&mut self, name: &str, value: Option<Value>) -> Result<String, String> {
        let thread = self.named(name)?;
        let is_commit = |entry: &Entry| matches!(entry.offer, Offer::One(Move::Commit { .. }));
        let menu = self.session.menu();
        let own: Vec<&Entry> =
            menu.iter().filter(|entry| entry.thread == thread && !is_commit(entry)).collect();
        match own[..] {
            [one] => self.follow(one, value),
            [] => Err(self.why_not(thread)),
            [..] => Err(format!("{name} has a choice; say which by its number")),
        }
    }

    fn flush(&mut self, name: &str) -> Result<String, String> {
        let thread = self.named(name)?;
        if self.session.state().thread(thread).buffer().is_empty() {
            return Err(format!("the store buffer of {name} is empty"));
        }
        self.session.take(Move::Commit { thread })?;
        Ok(self.moved())
    }

    fn named(&self, name: &str) -> Result<ThreadId, String> {
        let threads = self.session.machine().threads();
        let found = threads.enumerate().find(|(_, thread)| thread.name == name);
        found.map(|(thread, _)| thread).ok_or_else(|| {
            let names: Vec<&str> = threads.iter().map(|thread| thread.name.as_str()).collect();
            format!(
                "`{name}` is neither a command nor a thread; the threads are {}; `help` lists the \
                 commands",
                names.join(", ")
            )
        })
    }

    /// Why a thread cannot execute anything.
    fn why_not(&self, thread: ThreadId) -> String {
        let (machine, state) = (self.session.machine(), self.session.state());
        let name = self.session.name(thread);
        if machine.has_ended(state, thread) {
            return format!("{name} has ended");
        }
        let blocked = machine.blocked(state, thread);
        let why = blocked.iter().find_map(|(taken, why)| match taken {
            Move::Execute { edge, .. } => Some((*edge, *why)),
            Move::Commit { .. } => None,
        });
        match why {
            None => format!("{name} cannot continue"),
            Some((edge, semantics::NotEnabled::BufferNotEmpty)) => format!(
                "{name} waits at `{}` until its store buffer is empty; `flush {name}` empties it",
                self.session.view().instruction(thread, edge)
            ),
            Some((edge, semantics::NotEnabled::MemoryLocked { by })) => format!(
                "{name} waits at `{}`: {} holds the memory lock",
                self.session.view().instruction(thread, edge),
                self.session.name(by)
            ),
            Some((edge, why)) => format!(
                "{name} waits at `{}`: {why}",
                self.session.view().instruction(thread, edge)
            ),
        }
    }

    fn repeat(
        &mut self,
        times: usize,
        what: &str,
        once: impl Fn(&mut Session<'a>) -> bool,
    ) -> Result<String, String> {
        let made = (0..times).take_while(|_| once(&mut self.session)).count();
        if made == 0 {
            return Err(format!("there is nothing to {what}"));
        }
        Ok(self.moved())
    }

    fn load(&mut self, found: Result<Found, String>) -> Result<String, String> {
        let Found { steps, shows } = found?;
        self.session.load(&steps)?;
        let (all, _) = self.session.position();
        let steps = if all == 1 { "one step".to_owned() } else { format!("{all} steps") };
        Ok(format!("  {shows}\n  loaded, {steps}: `redo` goes through them\n"))
    }

    /// What is said after a step: the step, and what can be done next.
    fn moved(&self) -> String {
        let mut text = String::new();
        if let Some((thread, line, what)) = self.session.told().pop() {
            let _ = writeln!(text, "  {}", step(&self.session, thread, &line, &what));
        } else {
            text.push_str("  at the beginning\n");
        }
        text.push_str(&menu(&self.session));
        text
    }
}

/// A step in one line.
pub(crate) fn step(session: &Session<'_>, thread: ThreadId, line: &str, what: &str) -> String {
    let name = session.name(thread);
    let what = what.replacen("  ", " — ", 1);
    if line.is_empty() { format!("{name}: {what}") } else { format!("{name}, line {line}: {what}") }
}

/// What can be done next.
pub(crate) fn menu(session: &Session<'_>) -> String {
    if let Some(end) = session.end() {
        return format!("  {end}\n");
    }
    let mut text = String::new();
    for (number, entry) in session.menu().iter().enumerate() {
        let told = choice(session, entry);
        let _ = writeln!(text, "  {:>3}  {told}", number + 1);
    }
    text
}

/// An entry of the list in one line.
pub(crate) fn choice(session: &Session<'_>, entry: &Entry) -> String {
    let name = session.name(entry.thread);
    match entry.offer {
        Offer::One(Move::Commit { .. }) => format!("flush {name}: {}", entry.what),
        Offer::One(Move::Execute { .. }) | Offer::AnyValue { .. } => {
            step(session, entry.thread, &entry.line, &entry.what)
        }
    }
}

/// Each thread, its store buffer, and memory.
fn state(session: &Session<'_>) -> String {
    let mut text = String::new();
    let pairs = |all: &[(String, Value)]| {
        let all: Vec<String> =
            all.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        all.join(", ")
    };
    let threads = session.machine().threads();
    let widest = threads.iter().map(|thread| thread.name.chars().count()).max().unwrap_or(0).max(6);
    for (id, thread) in threads.enumerate() {
        let seen = session.view().thread(session.state(), id);
        let _ = writeln!(text, "  {:widest$}  {}", thread.name, seen.at);
        if !seen.registers.is_empty() {
            let _ = writeln!(text, "  {:widest$}  {}", "", pairs(&seen.registers));
        }
        if !seen.buffer.is_empty() {
            let _ = writeln!(text, "  {:widest$}  waiting: {}", "", seen.buffer.join(", "));
        }
    }
    let memory = session.view().memory(session.state(), &session.cells());
    if !memory.is_empty() {
        let _ = writeln!(text, "  {:widest$}  {}", "memory", pairs(&memory));
    }
    if let Some(holder) = session.state().lock_holder() {
        let _ = writeln!(text, "  {} holds the memory lock", session.name(holder));
    }
    text
}

/// The steps so far.
fn run(session: &Session<'_>) -> String {
    let told = session.told();
    if told.is_empty() {
        return "  no step was made\n".to_owned();
    }
    let mut text = String::new();
    for (number, (thread, line, what)) in told.iter().enumerate() {
        let _ = writeln!(text, "  {:>3}  {}", number + 1, step(session, *thread, line, what));
    }
    text
}

/// Obeys commands, one per line, until they end; whether all of them could be obeyed. Each is repeated before
/// its answer, so that what is written can be read by itself.
pub fn pipe<F: Finder>(
    interpreter: &mut Interpreter<'_, F>,
    commands: impl BufRead,
    mut answers: impl Write,
) -> std::io::Result<bool> {
    let mut all_obeyed = true;
    write!(answers, "{}", shown(&menu(&interpreter.session)))?;
    for line in commands.lines() {
        let line = line?;
        writeln!(answers, "> {}", report::terminal::line(line.trim()))?;
        match interpreter.line(&line) {
            Reply::Done(text) => write!(answers, "{}", shown(&text))?,
            Reply::Refused(problem) => {
                all_obeyed = false;
                writeln!(answers, "  error: {}", report::terminal::line(&problem))?;
            }
            Reply::Quit => break,
        }
        answers.flush()?;
    }
    answers.flush()?;
    Ok(all_obeyed)
}

/// Text in which nothing controls a terminal.
fn shown(text: &str) -> String {
    report::terminal::text(text, false)
}
