//! `cargo fencewright`: Cargo runs this for its subcommand of that name; it runs the `fencewright` beside it on the
//! package of the current folder.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The commands that take programs.
const ABOUT_PROGRAMS: [&str; 8] =
    ["check", "fence", "reach", "outcomes", "confirm", "simulate", "step", "show"];

fn main() -> ExitCode {
    // Cargo repeats the name of the subcommand.
    let given: Vec<OsString> = std::env::args_os().skip(1).collect();
    let given = match given.first() {
        Some(first) if first == "fencewright" => &given[1..],
        Some(_) | None => &given[..],
    };
    let beside = std::env::current_exe().map(|own| {
        own.with_file_name("fencewright").with_extension(std::env::consts::EXE_EXTENSION)
    });
    let program = match beside {
        Ok(beside) if beside.is_file() => beside,
        Ok(_) | Err(_) => "fencewright".into(),
    };
    let mut command = Command::new(&program);
    command.args(arguments(given));
    match command.status() {
        // Ended by a signal: what shells say of an interrupt.
        Ok(status) => {
            ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(130))
        }
        Err(error) => {
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "error: cannot run {}: {error}", program.display());
            ExitCode::from(2)
        }
    }
}

/// The arguments of `fencewright`: `check` if no command is given, and this package if nothing else is named.
fn arguments(given: &[OsString]) -> Vec<OsString> {
    let is_option = |argument: &OsString| argument.to_string_lossy().starts_with('-');
    let asks_for_help = |argument: &OsString| {
        ["-h", "--help", "-V", "--version"].iter().any(|help| argument == *help)
    };
    let mut all = Vec::new();
    let rest = match given.first() {
        Some(first) if !is_option(first) && !Path::new(first).exists() => {
            all.push(first.clone());
            &given[1..]
        }
        Some(first) if asks_for_help(first) => return given.to_vec(),
        Some(_) | None => {
            all.push("check".into());
            given
        }
    };
    let end = rest.iter().position(|argument| argument == "--").unwrap_or(rest.len());
    let about_programs = ABOUT_PROGRAMS.iter().any(|name| all[0] == *name);
    let is_named =
        rest[..end].iter().any(|argument| !is_option(argument) && Path::new(argument).exists());
    if about_programs && !is_named && !rest[..end].iter().any(asks_for_help) {
        all.push(".".into());
    }
    all.extend(rest.iter().cloned());
    all
}
