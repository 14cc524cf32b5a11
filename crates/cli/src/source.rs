//! Programs in C, Rust and LLVM IR: compiled by the user's own compiler, read and lowered.

use std::path::{Path, PathBuf};

use compiler::{Cache, Input, Request, Target, Tools};
use lowering::{Bounds, Entry, Environment, Lowered, Texts};
use patch::{Edition, Language};
use program::{Diagnostic, Diagnostics, Program, Sources, Span};

use crate::arguments::Inputs;
use crate::arguments::source::SourceOptions;
use crate::misplaced;

/// How a compiled program was made, to make it again with other texts.
#[derive(Debug)]
pub(crate) struct Compilation {
    request: Request,
    edition: Edition,
    entries: Vec<Entry>,
    environment: Environment,
}

/// A compiled program.
pub(crate) struct FromSource {
    pub(crate) program: Program,
    pub(crate) notes: Vec<String>,
}

/// Whether a file is for a compiler, by its name; a folder is.
pub(crate) fn is_for_compiler(file: &str) -> bool {
    let path = Path::new(file);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    let known =
        ["c", "i", "h", "rs", "ll", "bc", "cc", "cpp", "cxx", "c++", "C", "hpp", "hh", "hxx"];
    known.contains(&extension)
        || matches!(name, "Cargo.toml" | "compile_commands.json")
        || path.is_dir()
}

/// Whether a file is a program by itself, and not one of the files of a program.
pub(crate) fn is_whole_program(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|extension| extension == "rs")
}

impl Compilation {
    /// What is to be compiled.
    pub(crate) fn new(files: &[String], asked: &Inputs) -> Result<Self, Diagnostics> {
        let options = &asked.source;
        let failed = |failure: compiler::Failure| problem(failure.to_string());
        let mut inputs = Vec::new();
        for file in files {
            let mut input = Input::of(Path::new(file)).map_err(failed)?;
            match &mut input {
                Input::Package(package) => {
                    package.package.clone_from(&options.package);
                    package.features.clone_from(&options.features);
                    package.target = target(options);
                }
                Input::Recording(recording) => recording.program.clone_from(&options.program),
                Input::C(_) | Input::Rust(_) | Input::Llvm(_) | Input::Database(_) => {}
            }
            inputs.push(input);
        }
        misplaced::for_source(asked, &inputs)?;
        let edition = edition(&inputs, &options.flags);
        let mut tools = Tools::from_environment();
        tools.clang = options.clang.clone().or(tools.clang);
        tools.rustc = options.rustc.clone().or(tools.rustc);
        let request = Request {
            flags: options.flags.clone(),
            tools,
            cache: if options.no_cache { Cache::Off } else { Cache::usual() },
            ..Request::new(inputs, PathBuf::from("."))
        };
        let usual = Bounds::default();
        let bounds = Bounds {
            recursion: options.max_recursion.unwrap_or(usual.recursion),
            allocations: options.max_allocations.unwrap_or(usual.allocations),
            threads: options.max_threads.unwrap_or(usual.threads),
        };
        let environment = Environment {
            bounds,
            arguments: options.args.as_ref().map(|given| {
                let name = files.first().map_or("program", String::as_str);
                let own = Path::new(name).with_extension("").display().to_string();
                std::iter::once(own).chain(given.0.iter().cloned()).collect()
            }),
            summaries: options.summaries().map_err(problem)?,
        };
        let first = options.init.clone().map(|init| Entry { is_first: true, copies: 1, ..init });
        let entries = first.into_iter().chain(options.entries.clone()).collect();
        Ok(Self { request, edition, entries, environment })
    }

    /// The program, with other texts for some files.
    pub(crate) fn load(
        &self,
        name: &str,
        others: &[(PathBuf, String)],
        sources: &mut Sources,
    ) -> Result<FromSource, Diagnostics> {
        let request = Request { overrides: others.to_vec(), ..self.request.clone() };
        let compiled =
            compiler::compile(&request).map_err(|failure| problem(failure.to_string()))?;
        let mut modules = Vec::new();
        for module in &compiled.modules {
            modules.push(llvm::parse(&module.text).map_err(|error| {
                problem(format!("{}: this is not the LLVM IR that we know: {error}", module.name))
            })?);
        }
        let mut texts = SourceFiles { others, edition: self.edition };
        let environment = &self.environment;
        let Lowered { program, unknown, assumed } =
            lowering::lower(name, &modules, &self.entries, environment, &mut texts, sources)?;
        let mut notes = compiled.notes;
        notes.extend(assumed.iter().map(|summary| format!("assumed, as stated: {summary}")));
        notes.extend(unknown.iter().map(|function| {
            format!(
                "`{function}` has no body here: it may return any value, and do anything it could; \
                 give the file that defines it, or say what it does: \
                 `--assume '{function} returns 0..=1'`, `--assume '{function} does nothing'`"
            )
        }));
        Ok(FromSource { program, notes })
    }

    /// The language of a source text.
    pub(crate) fn language(&self, name: &str) -> Language {
        language(name, self.edition).unwrap_or(Language::C)
    }
}

fn problem(message: String) -> Diagnostics {
    vec![Diagnostic::new(Span::NONE, message)]
}

fn target(options: &SourceOptions) -> Option<Target> {
    if options.lib {
        return Some(Target::Lib);
    }
    let bin = options.bin.clone().map(Target::Bin);
    let example = options.example.clone().map(Target::Example);
    bin.or(example).or_else(|| options.test.clone().map(Target::Test))
}

/// The Rust edition decides when temporaries are dropped, and so where a fence can stand.
fn edition(inputs: &[Input], flags: &[String]) -> Edition {
    let is_new = |text: &str| text.contains("2024");
    let in_manifest = |input: &Input| match input {
        Input::Package(package) => std::fs::read_to_string(&package.manifest).is_ok_and(|text| {
            text.lines().any(|line| line.trim_start().starts_with("edition") && is_new(line))
        }),
        Input::C(_)
        | Input::Rust(_)
        | Input::Llvm(_)
        | Input::Database(_)
        | Input::Recording(_) => false,
    };
    if flags.iter().any(|flag| is_new(flag)) || inputs.iter().any(in_manifest) {
        Edition::From2024
    } else {
        Edition::UpTo2021
    }
}

fn language(name: &str, edition: Edition) -> Option<Language> {
    match Path::new(name).extension()?.to_str()? {
        "c" | "h" | "i" | "inc" => Some(Language::C),
        "rs" => Some(Language::Rust(edition)),
        _ => None,
    }
}

/// The source files of a program's author; not those of libraries.
struct SourceFiles<'o> {
    others: &'o [(PathBuf, String)],
    edition: Edition,
}

impl Texts for SourceFiles<'_> {
    fn text(&mut self, file: &str) -> Option<(String, String, Language)> {
        let foreign = ["/usr/", "/rustc/", "/.rustup/", "/.cargo/registry/", "/lib/clang/"];
        if foreign.iter().any(|part| file.contains(part)) {
            return None;
        }
        let language = language(file, self.edition)?;
        let path = Path::new(file);
        let shown = shown(path);
        let is_same =
            |other: &Path| std::path::absolute(other).ok() == std::path::absolute(path).ok();
        let other = self.others.iter().find(|(other, _)| is_same(other));
        let text = match other {
            Some((_, text)) => text.clone(),
            None => std::fs::read_to_string(path).ok()?,
        };
        Some((shown, text, language))
    }
}

/// A path as seen from here, if it is below.
fn shown(path: &Path) -> String {
    let clean: PathBuf = path
        .components()
        .filter(|component| !matches!(component, std::path::Component::CurDir))
        .collect();
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| clean.strip_prefix(here).ok().map(Path::to_path_buf));
    below.unwrap_or(clean).display().to_string()
}
