//! Repaired texts in the place of the old ones, where git can bring those back.

use std::path::Path;
use std::process::{Command, Stdio};

use program::{SourceId, Sources};

use crate::files;

/// Writes the changed texts over the files that they are from, and says which; none if one of them must not be.
pub(crate) fn write(
    sources: &Sources,
    texts: &[(SourceId, String)],
    force: bool,
) -> Result<Vec<String>, String> {
    let named: Vec<(&Path, &SourceId, &str)> = texts
        .iter()
        .map(|(source, text)| (Path::new(sources.name(*source)), source, text.as_str()))
        .collect();
    for (path, source, _) in &named {
        let shown = path.display();
        let now = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot change {shown} in place: {error}"))?;
        if now != sources.text(**source) {
            return Err(format!("{shown} was changed while the repair was searched for"));
        }
        if !force {
            is_kept(path).map_err(|why| {
                format!(
                    "{shown} {why}\n  commit it first, or add `--force`; `--diff` shows the change"
                )
            })?;
        }
    }
    for (path, _, text) in &named {
        files::write(path, text)?;
    }
    Ok(named.iter().map(|(path, ..)| path.display().to_string()).collect())
}

/// An error unless git has the file as it is.
fn is_kept(path: &Path) -> Result<(), String> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        Some(_) | None => Path::new("."),
    };
    let name = path.file_name().unwrap_or_default();
    let git = |arguments: &[&str]| {
        Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(arguments)
            .arg("--")
            .arg(name)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("may not be changed: git cannot be run ({error})"))
    };
    if !git(&["ls-files", "--error-unmatch"])?.status.success() {
        return Err("is not under version control".to_owned());
    }
    let status = git(&["status", "--porcelain"])?;
    if !status.status.success() || !status.stdout.is_empty() {
        return Err("has changes that are not committed".to_owned());
    }
    Ok(())
}
