//! Reading programs: files and standard input, their language, and what is wrong with them.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use analysis::Limit;
use frontend::litmus::Arch;
use frontend::{Language, Settings};
use program::index::Idx;
use program::{Diagnostic, Diagnostics, Program, SourceId, Sources, Span};

use crate::arguments::{Format, Inputs};
use crate::misplaced;
use crate::output::{Output, Said};
use crate::source::{Compilation, FromSource, is_for_compiler, is_whole_program};
use crate::status::Status;
use crate::supervision::Unanswered;

/// A program that was read.
pub(crate) struct Loaded {
    /// The name to show.
    pub(crate) file: String,
    pub(crate) origin: Origin,
    pub(crate) sources: Sources,
    pub(crate) program: Program,
    /// What else a reader of an answer should know.
    pub(crate) notes: Vec<String>,
}

/// What a program was made of.
pub(crate) enum Origin {
    /// One text.
    Text(Language),
    /// What compilers made of texts.
    Compiled(Box<Compilation>),
}

impl Loaded {
    /// The language in which people write about the program.
    pub(crate) const fn language(&self) -> Language {
        match &self.origin {
            Origin::Text(language) => *language,
            Origin::Compiled(_) => Language::Fw,
        }
    }

    /// The architecture that a litmus test is written for.
    pub(crate) fn architecture(&self) -> Option<Arch> {
        match self.language() {
            Language::Litmus => frontend::litmus::architecture(self.sources.text(Idx::new(0))),
            Language::Fw | Language::Trencher | Language::Esop13 | Language::Esop15 => None,
        }
    }

    /// The program that other texts make.
    pub(crate) fn again(
        &self,
        inputs: &Inputs,
        texts: &[(SourceId, String)],
    ) -> Result<Program, Diagnostics> {
        let mut sources = Sources::new();
        match &self.origin {
            Origin::Text(language) => {
                let text = texts.first().map_or_else(String::new, |(_, text)| text.clone());
                let source = sources.add("the repaired program", text);
                frontend::load(&sources, source, *language, &settings(inputs))
            }
            Origin::Compiled(compilation) => {
                let others: Vec<(PathBuf, String)> = texts
                    .iter()
                    .map(|(source, text)| (PathBuf::from(self.sources.name(*source)), text.clone()))
                    .collect();
                compilation.again(self.program.name(), &others, &mut sources)
            }
        }
    }
}

fn settings(inputs: &Inputs) -> Settings {
    Settings { constants: inputs.constants.clone(), counts: inputs.counts.clone() }
}

/// Does something with each input that can be read, and reports the others.
pub(crate) fn for_each(
    inputs: &Inputs,
    format: Format,
    output: &mut Output,
    mut act: impl FnMut(&Loaded, &mut Output) -> Status,
) -> Status {
    let nothing: Arc<Unanswered> = Arc::new(|_, _| Said::Message(String::new()));
    for_each_within(inputs, None, format, output, &nothing, |loaded, output| {
        Ok(act(loaded, output))
    })
}

/// The same up to a moment, for all inputs together; `unanswered` tells what is said of one that a limit
/// keeps from being answered, while it is read or asked about.
pub(crate) fn for_each_within(
    inputs: &Inputs,
    deadline: Option<Instant>,
    format: Format,
    output: &mut Output,
    unanswered: &Arc<Unanswered>,
    mut act: impl FnMut(&Loaded, &mut Output) -> Result<Status, Refused>,
) -> Status {
    let programs = programs(inputs);
    let name = |files: &Vec<String>| {
        files.iter().map(|file| shown_name(file)).collect::<Vec<_>>().join(" ")
    };
    output.desk().begin(programs.iter().map(name).collect(), Arc::clone(unanswered));
    let mut status = Status::Fine;
    for (number, files) in programs.iter().enumerate() {
        let file = name(files);
        let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let one = if number > 0 && is_late() {
            output.say(&unanswered(&file, Limit::Time));
            Status::Undecided
        } else {
            show_work(output, files, inputs);
            let parts = parts(files, inputs);
            end_work(output);
            let parts = parts.unwrap_or_else(|errors| vec![(String::new(), Err(errors))]);
            let mut of_all = Status::Fine;
            for (number, (which, part)) in parts.into_iter().enumerate() {
                let file = format!("{file}{which}");
                if number > 0 && is_late() {
                    output.say(&unanswered(&file, Limit::Time));
                    of_all = of_all.max(Status::Undecided);
                    continue;
                }
                show_work(output, files, inputs);
                let loaded = part
                    .map_err(|errors| Refused { errors, sources: Sources::new() })
                    .and_then(|part| load_part(&file, part, inputs));
                end_work(output);
                let done = loaded.and_then(|loaded| act(&loaded, output));
                let one = match (done, output.desk().ended_compilers()) {
                    (Ok(status), _) => status,
                    // That a compiler failed then is not the input's fault.
                    (Err(_), Some(limit)) => {
                        output.say(&unanswered(&file, limit));
                        Status::Undecided
                    }
                    (Err(Refused { errors, sources }), None) => {
                        report(&file, &errors, &sources, format, output);
                        Status::BadInput
                    }
                };
                of_all = of_all.max(one);
            }
            of_all
        };
        output.desk().answered(one);
        status = status.max(one);
    }
    status
}

/// Reads one program of an input.
fn load_part(file: &str, part: Part, inputs: &Inputs) -> Result<Loaded, Refused> {
    let mut sources = Sources::new();
    match load(part, inputs, &mut sources) {
        Ok((origin, program, notes)) => {
            Ok(Loaded { file: file.to_owned(), origin, sources, program, notes })
        }
        Err(errors) => Err(Refused { errors, sources }),
    }
}

/// Says on a terminal that compilers are at work, which may take long; nothing for other programs.
fn show_work(output: &mut Output, files: &[String], inputs: &Inputs) {
    if Output::shows_progress() && files.iter().any(|file| is_compiled(file, inputs)) {
        let file = files.first().map_or("", String::as_str);
        let is_package =
            file.ends_with("Cargo.toml") || Path::new(file).join("Cargo.toml").is_file();
        let by = if is_package { " with cargo" } else { "" };
        output.progress(&format!("compiling {file}{by}"));
    }
}

/// Takes the line away again.
fn end_work(output: &mut Output) {
    if Output::shows_progress() {
        output.progress("");
    }
}

/// Errors, and the texts they are about.
pub(crate) struct Refused {
    pub(crate) errors: Diagnostics,
    pub(crate) sources: Sources,
}

/// Reports what is wrong with an input.
pub(crate) fn report(
    file: &str,
    errors: &[Diagnostic],
    sources: &Sources,
    format: Format,
    output: &mut Output,
) {
    match format {
        Format::Text => output.message(&report::diagnostics::render(errors, sources, true)),
        Format::Json => output.data(&report::json::errors(file, errors, sources)),
    }
}

fn shown_name(file: &str) -> String {
    if file == "-" { "<stdin>".to_owned() } else { file.to_owned() }
}

/// The files of each program: one each, but for those that a compiler puts together.
fn programs(inputs: &Inputs) -> Vec<Vec<String>> {
    let mut programs: Vec<Vec<String>> = Vec::new();
    let mut together: Option<usize> = None;
    for file in &inputs.files {
        if !is_compiled(file, inputs) || is_whole_program(file) {
            programs.push(vec![file.clone()]);
        } else if let Some(at) = together {
            programs[at].push(file.clone());
        } else {
            together = Some(programs.len());
            programs.push(vec![file.clone()]);
        }
    }
    programs
}

fn is_compiled(file: &str, inputs: &Inputs) -> bool {
    inputs.lang.is_none() && is_for_compiler(file)
}

/// A program to be read.
enum Part {
    Text(String),
    Compiled(Box<Compilation>, String),
}

/// Programs, each with what to add to the name of their files.
type Parts = Vec<(String, Result<Part, Diagnostics>)>;

/// The programs in files that belong together.
fn parts(files: &[String], inputs: &Inputs) -> Result<Parts, Diagnostics> {
    match files {
        [file] if !is_compiled(file, inputs) => {
            Ok(vec![(String::new(), Ok(Part::Text(file.clone())))])
        }
        _ => {
            let stem = files.first().map_or("program", |file| {
                let name = file.trim_end_matches('/').rsplit('/').next().unwrap_or(file);
                name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("program")
            });
            let programs = Compilation::new(files, inputs)?.programs()?.into_iter();
            let part = |compilation| Part::Compiled(Box::new(compilation), stem.to_owned());
            Ok(programs.map(|(which, one)| (which, one.map(part))).collect())
        }
    }
}

fn load(
    part: Part,
    inputs: &Inputs,
    sources: &mut Sources,
) -> Result<(Origin, Program, Vec<String>), Diagnostics> {
    let file = match part {
        Part::Text(file) => file,
        Part::Compiled(mut compilation, stem) => {
            let FromSource { program, notes } = compilation.load(&stem, sources)?;
            return Ok((Origin::Compiled(compilation), program, notes));
        }
    };
    let file = file.as_str();
    let source = read(file, sources)?;
    let detected = || Language::detect(file, sources.text(source));
    let Some(language) = inputs.lang.or_else(detected) else {
        let names = Language::ALL.map(Language::name).join(", ");
        let message = format!("cannot tell the language of {}", shown_name(file));
        let help = format!(
            "name it with `--lang`: {names}; C, Rust and LLVM IR are read from files that end in .c, \
             .rs or .ll"
        );
        return Err(vec![Diagnostic::new(Span::NONE, message).help(help)]);
    };
    misplaced::for_model(inputs)?;
    let program = frontend::load(sources, source, language, &settings(inputs))?;
    if program.templates().is_empty() {
        // Nothing can go wrong in it, but somebody means something else: the text may be cut off.
        let end = sources.text(source).len();
        let message = "the program has no threads";
        return Err(vec![Diagnostic::new(Span::new(source, end..end), message)]);
    }
    Ok((Origin::Text(language), program, Vec::new()))
}

fn read(file: &str, sources: &mut Sources) -> Result<SourceId, Diagnostics> {
    let name = shown_name(file);
    let problem = |message: String| vec![Diagnostic::new(Span::NONE, message)];
    let bytes = if file == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    let bytes = bytes.map_err(|error| problem(format!("cannot read {name}: {error}")))?;
    if bytes.len() > Sources::MAX_BYTES {
        return Err(problem(format!("{name} is larger than {} bytes", Sources::MAX_BYTES)));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(sources.add(name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let source = sources.add(name, text);
            let span = Span::new(source, at..at + '\u{fffd}'.len_utf8());
            Err(vec![
                Diagnostic::new(span, "this is not UTF-8 text")
                    .label("the first byte that is not")
                    .help("save the program as UTF-8"),
            ])
        }
    }
}
