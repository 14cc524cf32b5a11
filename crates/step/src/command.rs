//! What people type.

use program::Value;

/// Something that a session can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Do what stands at this place of the list, with this value where any is possible.
    Take(usize, Option<Value>),
    /// Let a thread execute its next instruction.
    Thread(String, Option<Value>),
    /// Let the oldest store of a thread reach memory.
    Flush(String),
    /// Take steps back.
    Undo(usize),
    /// Do again what was undone, or what was loaded.
    Redo(usize),
    /// Make random steps.
    Random(usize),
    /// Make them repeatable.
    Seed(u64),
    /// Go to the beginning.
    Reset,
    /// Load a run that TSO has and SC does not.
    Witness,
    /// Load a run into an error.
    Error,
    /// Load the run in a file.
    Load(String),
    /// Show the state.
    State,
    /// Show what can be done.
    Moves,
    /// Show the run so far.
    Run,
    /// Explain the commands.
    Help,
    /// End.
    Quit,
}

/// The commands as they are explained.
pub(crate) const HELP: &str = "\
  N               do what stands at number N of the list
  N = VALUE       the same, where any value is possible
  THREAD          let THREAD execute its next instruction
  flush THREAD    let the oldest store in THREAD's buffer reach memory
  undo [N]        take back the last step, or the last N
  redo [N]        do it again; of a loaded run, go on
  reset           back to the beginning
  random [N]      make one random step, or N
  seed S          make random steps repeatable from here on
  witness         load a run that TSO has and SC does not have
  error           load a run into a failed assertion or another error
  load FILE       load the run in FILE, written with `--format json`
  state           show each thread, its store buffer, and memory
  moves           list what can be done next
  run             show the steps so far
  help            this list
  quit            end
";

impl Command {
    /// Reads a command; none of an empty line or a comment.
    pub fn parse(line: &str) -> Result<Option<Self>, String> {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            return Ok(None);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let alone = |command: Self| {
            if rest.is_empty() {
                Ok(Some(command))
            } else {
                Err(format!("`{word}` stands alone; `help` lists the commands"))
            }
        };
        let times = |command: fn(usize) -> Self| match rest {
            "" => Ok(Some(command(1))),
            rest => match rest.parse() {
                Ok(times) if times > 0 => Ok(Some(command(times))),
                Ok(_) | Err(_) => Err(format!("`{word}` takes a number of steps, not `{rest}`")),
            },
        };
        let named = |command: fn(String) -> Self, what: &str| {
            if rest.is_empty() {
                Err(format!("`{word}` needs {what}"))
            } else {
                Ok(Some(command(rest.to_owned())))
            }
        };
        // No short forms: threads are called p, q and r.
        match word {
            "undo" => times(Self::Undo),
            "redo" | "next" => times(Self::Redo),
            "random" => times(Self::Random),
            "seed" => match rest.parse() {
                Ok(seed) => Ok(Some(Self::Seed(seed))),
                Err(_) => Err("`seed` needs a number, such as `seed 7`".to_owned()),
            },
            "flush" => named(Self::Flush, "a thread, such as `flush p`"),
            "load" => named(Self::Load, "a file"),
            "reset" => alone(Self::Reset),
            "witness" => alone(Self::Witness),
            "error" => alone(Self::Error),
            "state" => alone(Self::State),
            "moves" => alone(Self::Moves),
            "run" => alone(Self::Run),
            "help" | "?" => alone(Self::Help),
            "quit" | "exit" => alone(Self::Quit),
            _ => Self::choice(line),
        }
    }

    /// `3`, `3 = 5`, `p`, `p = 5`.
    fn choice(line: &str) -> Result<Option<Self>, String> {
        let (what, value) = match line.split_once('=') {
            None => (line, None),
            Some((what, value)) => {
                let value = value.trim();
                let number: Value =
                    value.parse().map_err(|_| format!("`{value}` is not a number"))?;
                (what.trim(), Some(number))
            }
        };
        Ok(Some(match what.parse() {
            Ok(number) => Self::Take(number, value),
            Err(_) => Self::Thread(what.to_owned(), value),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        let read = |line| Command::parse(line).unwrap();
        assert_eq!(read("  # a comment"), None);
        assert_eq!(read("3"), Some(Command::Take(3, None)));
        assert_eq!(read("3 = -5 # any"), Some(Command::Take(3, Some(-5))));
        assert_eq!(read("p[0]"), Some(Command::Thread("p[0]".to_owned(), None)));
        assert_eq!(read("flush p"), Some(Command::Flush("p".to_owned())));
        assert_eq!(read("undo"), Some(Command::Undo(1)));
        assert_eq!(read("redo 12"), Some(Command::Redo(12)));
        assert_eq!(read("seed 7"), Some(Command::Seed(7)));
    }

    #[test]
    fn what_is_wrong_with_a_command_is_said() {
        let wrong = |line| Command::parse(line).unwrap_err();
        assert_eq!(wrong("undo many"), "`undo` takes a number of steps, not `many`");
        assert_eq!(wrong("undo 0"), "`undo` takes a number of steps, not `0`");
        assert_eq!(wrong("flush"), "`flush` needs a thread, such as `flush p`");
        assert_eq!(wrong("quit now"), "`quit` stands alone; `help` lists the commands");
        assert_eq!(wrong("3 = x"), "`x` is not a number");
    }
}
