//! Standard input in a language that is for compilers: it becomes a file, since that is what they read.

use std::io::Read;
use std::path::Path;

use compiler::Temporary;

use crate::arguments::Inputs;

/// Puts standard input into a file if it is C, Rust or LLVM IR, which is there as long as the folder is kept.
pub(crate) fn keep(inputs: &mut Inputs) -> Result<Option<Temporary>, String> {
    let Some(language) = inputs.lang else { return Ok(None) };
    let Some(extension) = language.extension() else { return Ok(None) };
    let has_it = |file: &String| Path::new(file).extension().is_some_and(|own| own == extension);
    if let Some(other) = inputs.files.iter().find(|file| *file != "-" && !has_it(file)) {
        let name = language.name();
        return Err(format!(
            "`--lang {name}` is for standard input; {other} is no file in that language by its name \
             (`.{extension}`)"
        ));
    }
    if !inputs.files.iter().any(|file| file == "-") {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot read <stdin>: {error}"))?;
    let folder = Temporary::new().map_err(|failure| failure.to_string())?;
    let path = folder.path().join(format!("stdin.{extension}"));
    std::fs::write(&path, bytes).map_err(|error| format!("cannot keep <stdin>: {error}"))?;
    for file in inputs.files.iter_mut().filter(|file| *file == "-") {
        *file = path.to_string_lossy().into_owned();
    }
    inputs.standard_input = Some(path);
    Ok(Some(folder))
}
