//! Programs that rely on the order of x86, ported to other machines.

mod fences;
mod manifest;
mod models;
mod orders;
mod plain;
mod waits;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What is said of a file, as a document.
fn asked(arguments: &[&str], file: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(arguments)
        .args(["--format", "json"])
        .arg(file)
        .output()
        .expect("fencewright can be started");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}
