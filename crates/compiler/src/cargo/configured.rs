//! The flags that the user has set for all crates: by the environment, or else by Cargo's
//! configuration. Ours are given by the environment, which counts more than the configuration; so the
//! flags of both are put together here as Cargo does it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::place::read_text;
use crate::process::{Program, run};
use crate::{Failure, flags};

/// Settings of Cargo by which no package of a workspace has a level of optimisation of its own. It
/// would decide what rustc takes for granted about checks (see the module around).
pub(super) fn levels_of_packages(root: &Path) -> Vec<String> {
    let manifest = read_text(&root.join("Cargo.toml")).unwrap_or_default();
    let tables = manifest.lines().filter_map(|line| {
        let table = line.trim().strip_prefix("[profile.")?.strip_suffix(']')?;
        table.contains(".package.").then(|| format!("profile.{table}.opt-level=0"))
    });
    tables.collect()
}

/// What separates the flags in `CARGO_ENCODED_RUSTFLAGS`.
pub(super) const SEPARATOR: char = '\u{1f}';

/// The user's flags for all crates that are compiled for a triple, in a workspace.
pub(super) fn flags_of_all(
    cargo: &Program,
    root: &Path,
    triple: &str,
) -> Result<Vec<String>, Failure> {
    let flags = match of_environment() {
        Some(flags) => flags,
        None => of_configuration(cargo, root, triple)?,
    };
    match flags.iter().find_map(|flag| flags::instrumenting(flag)) {
        Some(reason) => Err(Failure::Flag { flag: flags.join(" "), reason }),
        None => Ok(flags),
    }
}

/// If one of these variables is set, Cargo looks at nothing else.
fn of_environment() -> Option<Vec<String>> {
    if let Ok(encoded) = std::env::var("CARGO_ENCODED_RUSTFLAGS") {
        let flags = encoded.split(SEPARATOR).filter(|flag| !flag.is_empty());
        return Some(flags.map(str::to_owned).collect());
    }
    std::env::var("RUSTFLAGS").ok().map(|plain| words(&plain))
}

/// Those for the target if there are any, or else those for all builds.
fn of_configuration(cargo: &Program, root: &Path, triple: &str) -> Result<Vec<String>, Failure> {
    let configured = ask(cargo, root)?;
    let target = &configured["target"];
    for (condition, table) in target.as_object().into_iter().flatten() {
        let flags = listed(&table["rustflags"]);
        if condition.starts_with("cfg(") && !flags.iter().all(|flag| is_about_machine(flag)) {
            return Err(Failure::Malformed {
                path: root.to_owned(),
                reason: format!(
                    "whether the rustflags of Cargo's configuration for `{condition}` apply is not \
                     decided here; set those that do by the variable RUSTFLAGS"
                ),
            });
        }
    }
    let of_target = format!("CARGO_TARGET_{}_RUSTFLAGS", triple.to_uppercase().replace('-', "_"));
    let mut flags = listed(&target[triple]["rustflags"]);
    flags.extend(words(&std::env::var(of_target).unwrap_or_default()));
    if flags.is_empty() {
        flags = listed(&configured["build"]["rustflags"]);
        flags.extend(words(&std::env::var("CARGO_BUILD_RUSTFLAGS").unwrap_or_default()));
    }
    Ok(flags)
}

/// Cargo's configuration, as far as it may have flags.
fn ask(cargo: &Program, root: &Path) -> Result<Value, Failure> {
    let speaks = |file: &PathBuf| read_text(file).is_ok_and(|text| text.contains("rustflags"));
    let Some(path) = files(root).find(speaks) else { return Ok(Value::Null) };
    let mut command = cargo.command(root);
    // The command is not stable yet.
    command.args(["-Zunstable-options", "config", "get", "--format", "json"]);
    let answer = run(command.env("RUSTC_BOOTSTRAP", "1")).ok();
    let value = answer.and_then(|answer| serde_json::from_slice(&answer).ok());
    value.ok_or_else(|| Failure::Malformed {
        path,
        reason: "its rustflags cannot be asked for with this cargo; set those that matter by the \
                 variable RUSTFLAGS"
            .to_owned(),
    })
}

/// The files in which Cargo looks for its configuration.
fn files(root: &Path) -> impl Iterator<Item = PathBuf> {
    let named = |variable| std::env::var_os(variable).map(PathBuf::from);
    let home = named("CARGO_HOME").or_else(|| named("HOME").map(|home| home.join(".cargo")));
    let folders = root.ancestors().map(|folder| folder.join(".cargo")).chain(home);
    folders.flat_map(|folder| ["config.toml", "config"].map(|name| folder.join(name)))
}

/// A list of flags, or a text of them.
fn listed(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => words(text),
        Value::Array(flags) => flags.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Whether a flag says how to link or for which processor to compile, which changes no access.
fn is_about_machine(flag: &str) -> bool {
    let option = flag.strip_prefix("-C").unwrap_or(flag);
    option.is_empty() || option.starts_with("link") || option.starts_with("target-")
}
