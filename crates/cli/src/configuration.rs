//! `fencewright.toml`: options that need not be typed each time.
//!
//! Every key is the name of a long option; keys in a table named after a command are for that command alone. What
//! is typed counts, what is in the file is used where nothing was typed. The file becomes arguments before they
//! are parsed, so that an option means the same in both places, and is checked in the same way.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use toml::{Table, Value};

use crate::arguments::Arguments;

/// The name of the file, in the current folder or in one above it.
const NAME: &str = "fencewright.toml";

/// The arguments, and the file that some of them come from.
pub(crate) struct Configured {
    pub(crate) arguments: Vec<OsString>,
    pub(crate) file: Option<PathBuf>,
}

/// Adds what a file says to what was typed.
pub(crate) fn configured(typed: &[OsString]) -> Result<Configured, String> {
    let unchanged = || Configured { arguments: typed.to_vec(), file: None };
    let commands = commands();
    let is_command = |argument: &OsString| {
        let name = argument.to_string_lossy();
        commands.get_subcommands().any(|command| command.get_name() == name)
    };
    let Some(at) = typed.iter().position(is_command) else { return Ok(unchanged()) };
    let end = typed.iter().position(|argument| argument == "--").unwrap_or(typed.len());
    let options: Vec<String> =
        typed[..end].iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let command = options[at].clone();
    // A compiler gets all its arguments as they are; the others read no programs.
    let is_without = ["cc", "cache", "lsp", "completions", "explain", "man", "cover"];
    let is_off = options.iter().any(|option| option == "--no-config" || option == "--help");
    if is_without.contains(&command.as_str()) || is_off {
        return Ok(unchanged());
    }
    let Some(file) = named(&options).or_else(found) else { return Ok(unchanged()) };
    let text = std::fs::read_to_string(&file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let table: Table = text.parse().map_err(|error| format!("{}: {error}", file.display()))?;
    let added = arguments(&commands, &command, &options, &table)
        .map_err(|problem| format!("{}: {problem}", file.display()))?;
    let mut arguments = typed.to_vec();
    let behind = at + 1;
    arguments.splice(behind..behind, added.into_iter().map(OsString::from));
    Ok(Configured { arguments, file: Some(file) })
}

/// All commands, each with the options that all share.
fn commands() -> clap::Command {
    let mut commands = Arguments::command();
    commands.build();
    commands
}

/// The file that `--config` names.
fn named(options: &[String]) -> Option<PathBuf> {
    let inline = options.iter().find_map(|option| option.strip_prefix("--config="));
    let apart = || {
        let at = options.iter().position(|option| option == "--config")?;
        options.get(at + 1).map(String::as_str)
    };
    inline.or_else(apart).map(PathBuf::from)
}

/// The nearest file, from the current folder upwards.
fn found() -> Option<PathBuf> {
    let current = std::env::current_dir().ok()?;
    current.ancestors().map(|folder| folder.join(NAME)).find(|file| Path::is_file(file))
}

/// What a file says for a command, as arguments.
fn arguments(
    commands: &clap::Command,
    command: &str,
    typed: &[String],
    table: &Table,
) -> Result<Vec<String>, String> {
    let knows = |command: &clap::Command, key: &str| {
        command.get_arguments().any(|argument| argument.get_long() == Some(key))
    };
    let asked = commands.find_subcommand(command).ok_or("there is no such command")?;
    let is_typed = |key: &str| {
        let (whole, inline) = (format!("--{key}"), format!("--{key}="));
        typed.iter().any(|option| *option == whole || option.starts_with(&inline))
    };
    let mut added = Vec::new();
    let own = table.get(command).and_then(Value::as_table);
    for (key, value) in table {
        if value.is_table() {
            if commands.find_subcommand(key).is_none() {
                return Err(format!("there is no command `{key}`"));
            }
            continue;
        }
        if !commands.get_subcommands().any(|command| knows(command, key)) {
            return Err(format!("there is no option `--{key}`"));
        }
        let is_overruled = own.is_some_and(|own| own.contains_key(key));
        if knows(asked, key) && !is_typed(key) && !is_overruled {
            added.extend(values(key, value)?);
        }
    }
    for (key, value) in own.into_iter().flatten() {
        if !knows(asked, key) {
            return Err(format!("`fencewright {command}` has no option `--{key}`"));
        }
        if !is_typed(key) {
            added.extend(values(key, value)?);
        }
    }
    Ok(added)
}

/// An option with its values.
fn values(key: &str, value: &Value) -> Result<Vec<String>, String> {
    Ok(match value {
        Value::String(text) => vec![format!("--{key}={text}")],
        Value::Integer(number) => vec![format!("--{key}={number}")],
        Value::Float(number) => vec![format!("--{key}={number}")],
        Value::Boolean(true) => vec![format!("--{key}")],
        Value::Boolean(false) => Vec::new(),
        Value::Array(all) => {
            let mut arguments = Vec::new();
            for one in all {
                if one.is_array() {
                    return Err(format!("`{key}` must not be a list of lists"));
                }
                arguments.extend(values(key, one)?);
            }
            arguments
        }
        Value::Datetime(_) | Value::Table(_) => {
            return Err(format!(
                "`{key}` must be a string, a number, true, false, or a list of these"
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str, typed: &[&str], file: &str) -> Result<Vec<String>, String> {
        let typed: Vec<String> = typed.iter().map(|&option| option.to_owned()).collect();
        arguments(&commands(), command, &typed, &file.parse().unwrap())
    }

    #[test]
    fn keys_are_options_of_the_command() {
        let file = "timeout = 60\nthread = [\"a\", \"b*2\"]\nmodel = \"tso\"\n\
                    [check]\ncriterion = [\"trf\"]\ntimeout = 5\n[fence]\nall = true\n";
        let check = read("check", &[], file).unwrap();
        // `check` has no model; its own time counts.
        assert_eq!(check, ["--thread=a", "--thread=b*2", "--criterion=trf", "--timeout=5"]);
        let fence = read("fence", &["--timeout", "9"], file).unwrap();
        assert_eq!(fence, ["--thread=a", "--thread=b*2", "--all"]);
    }

    #[test]
    fn what_is_wrong_in_the_file_is_said() {
        let wrong = |file| read("check", &[], file).unwrap_err();
        assert_eq!(wrong("timeuot = 1"), "there is no option `--timeuot`");
        assert_eq!(wrong("[chek]\nall = true"), "there is no command `chek`");
        assert_eq!(
            wrong("[check]\nmodel = \"tso\""),
            "`fencewright check` has no option `--model`"
        );
        assert_eq!(wrong("thread = [[\"a\"]]"), "`thread` must not be a list of lists");
    }
}
