//! Prints what modules of textual LLVM IR are as a program.

use std::error::Error;
use std::io::Write;

struct Files;

impl lowering::Texts for Files {
    fn text(&mut self, file: &str) -> Option<(String, String, patch::Language)> {
        let language = match file.rsplit_once('.')?.1 {
            "c" | "h" => patch::Language::C,
            "rs" if !file.contains("/rustc/") => patch::Language::Rust(patch::Edition::UpTo2021),
            _ => return None,
        };
        Some((file.to_owned(), std::fs::read_to_string(file).ok()?, language))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut modules = Vec::new();
    for file in std::env::args().skip(1) {
        modules
            .push(llvm::parse(&std::fs::read_to_string(file)?).map_err(|error| error.to_string())?);
    }
    let mut sources = program::Sources::new();
    let environment = lowering::Environment::default();
    let mut out = std::io::stdout().lock();
    match lowering::lower("program", &modules, &[], &environment, &mut Files, &mut sources) {
        Ok(lowered) => {
            for function in &lowered.unknown {
                writeln!(out, "# {function} has no body")?;
            }
            writeln!(
                out,
                "{}",
                frontend::print(&lowered.program, frontend::Language::Fw).map_err(|_| "no text")?
            )?;
        }
        Err(errors) => {
            for error in errors {
                let place =
                    error.span.source.map(|source| sources.line_column(source, error.span.start));
                writeln!(out, "error at {place:?}: {} ({:?})", error.message, error.help)?;
            }
        }
    }
    Ok(())
}
