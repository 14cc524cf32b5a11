//! What histories of operations are compared with.

use std::path::Path;

use frontend::{Language, Settings};
use program::{Diagnostic, Program, Span};

use crate::host::Host;
use crate::inputs::{Loaded, Origin, Refused, read_text};

/// The program whose operations run alone: one in a file, in the words of `.fw`, or else the program itself.
pub(crate) fn specification(
    host: &dyn Host,
    loaded: &Loaded,
    file: Option<&Path>,
) -> Result<Program, Refused> {
    let program = match file {
        None => loaded.program.clone(),
        Some(path) => from_file(host, loaded, path)?,
    };
    if let Some(problem) = analysis::histories::unanswerable(&loaded.program, &program) {
        let help = match loaded.origin {
            Origin::Text(..) => {
                "mark operations by `call name(arguments)` and `return results` (`fencewright explain docs/histories.md`)"
            }
            Origin::Compiled(_) => {
                "name the functions that are operations: `--operation push --operation pop` (`fencewright explain docs/histories.md`)"
            }
        };
        return Err(loaded.refuse(vec![Diagnostic::new(Span::NONE, problem).help(help)]));
    }
    Ok(program)
}

fn from_file(host: &dyn Host, loaded: &Loaded, path: &Path) -> Result<Program, Refused> {
    let name = path.display().to_string();
    let text = read_text(host, path).map_err(|error| {
        let message = format!("cannot read the sequential program from {name}: {error}");
        let help = "`--sequential` takes a model in `.fw`";
        loaded.refuse(vec![Diagnostic::new(Span::NONE, message).help(help)])
    })?;
    let settings = match &loaded.origin {
        Origin::Text(_, settings) => settings.clone(),
        Origin::Compiled(_) => Settings::default(),
    };
    let mut sources = loaded.sources.clone();
    let source = sources.add(name, text);
    frontend::load(&sources, source, Language::Fw, &settings)
        .map_err(|errors| Refused { errors, sources })
}
