//! Compilers, and programs made of what they print.
#![allow(dead_code, reason = "each test uses some of it")]

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use llvm::Module;
use lowering::{Entry, EntryArgument, Environment, Lowered, Summary, Texts};
use program::{Diagnostics, Sources};

/// A directory that goes when the test is over.
pub(crate) struct Workshop(PathBuf);

impl Workshop {
    pub(crate) fn new(name: &str) -> Self {
        let directory =
            std::env::temp_dir().join(format!("lowering-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory for temporary files");
        Self(directory)
    }

    /// What clang makes of a C text.
    pub(crate) fn module(&self, name: &str, text: &str) -> Module {
        let output = self.0.join(name).with_extension("ll");
        let mut clang = Command::new("clang");
        clang.args(["-S", "-emit-llvm", "-O0", "-Xclang", "-disable-O0-optnone", "-g", "-w"]);
        clang.args(["-fno-discard-value-names", "-o"]).arg(&output).arg(self.source(name, text));
        succeeds(&mut clang, text);
        let ir = fs::read_to_string(output).expect("the compiler wrote it");
        llvm::parse(&ir).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// What a program prints that a compiler makes of a C text.
    pub(crate) fn prints(&self, compiler: &str, name: &str, text: &str) -> String {
        let program = self.0.join(name).with_extension(compiler);
        let mut command = Command::new(compiler);
        command.args(["-O1", "-w", "-pthread", "-fno-strict-aliasing", "-o"]);
        succeeds(command.arg(&program).arg(self.source(name, text)), text);
        let output = Command::new(program).output().expect("a program just compiled");
        assert!(output.status.success(), "{name} ends with {}", output.status);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn source(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a temporary file");
        path
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // What is left in the directory for temporary files harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn succeeds(command: &mut Command, text: &str) {
    let Output { status, stderr, .. } = command
        .output()
        .unwrap_or_else(|error| panic!("install {}: {error}", command.get_program().display()));
    assert!(status.success(), "{}\n{text}", String::from_utf8_lossy(&stderr));
}

/// Texts by the names of their files.
pub(crate) struct Named<'t>(pub(crate) &'t [(&'t str, &'t str)]);

impl Texts for Named<'_> {
    fn text(&mut self, file: &str) -> Option<(String, String, patch::Language)> {
        let (name, text) = self.0.iter().find(|(name, _)| file.rsplit('/').next() == Some(name))?;
        Some(((*name).to_owned(), (*text).to_owned(), patch::Language::C))
    }
}

/// The program of modules whose texts are these, and the sources it speaks of.
pub(crate) fn lower(
    modules: &[Module],
    texts: &[(&str, &str)],
    entries: &[Entry],
) -> (Result<Lowered, Diagnostics>, Sources) {
    lower_in(modules, texts, entries, &Environment::default())
}

/// The same in a certain environment.
pub(crate) fn lower_in(
    modules: &[Module],
    texts: &[(&str, &str)],
    entries: &[Entry],
    environment: &Environment,
) -> (Result<Lowered, Diagnostics>, Sources) {
    let mut sources = Sources::new();
    let texts = &mut Named(texts);
    let lowered = lowering::lower("program", modules, entries, environment, texts, &mut sources);
    (lowered, sources)
}

/// The same where nothing fails that a system may refuse: there is always memory.
pub(crate) fn lower_with_memory(
    modules: &[Module],
    texts: &[(&str, &str)],
    entries: &[Entry],
    environment: &Environment,
) -> (Result<Lowered, Diagnostics>, Sources) {
    let (lowered, sources) = lower_in(modules, texts, entries, environment);
    let fallible = lowered.as_ref().map_or_else(|_| Vec::new(), |it| it.fallible.keys().collect());
    if fallible.is_empty() {
        return (lowered, sources);
    }
    let succeeds = |name: &&String| Summary::parse(&format!("{name} succeeds")).expect("a summary");
    let summaries = fallible.iter().map(succeeds).collect();
    lower_in(modules, texts, entries, &Environment { summaries, ..environment.clone() })
}

/// Diagnostics as lines: where, and what.
pub(crate) fn shown(errors: &Diagnostics, sources: &Sources) -> String {
    let mut lines = String::new();
    for error in errors {
        let at = error.span.source.map_or_else(String::new, |source| {
            let (line, _) = sources.line_column(source, error.span.start);
            format!("{}:{line}: ", sources.name(source))
        });
        writeln!(lines, "{at}{}", error.message).expect("a string takes it");
    }
    lines
}

/// A thread that runs a function without arguments.
pub(crate) fn entry(function: &str) -> Entry {
    Entry { function: function.to_owned(), arguments: Vec::new(), copies: 1, is_first: false }
}

/// The threads that a text describes: `f`, `f*2`, `f(&x, 3)*2`.
pub(crate) fn thread(text: &str) -> Entry {
    let (call, copies) = text.split_once('*').unwrap_or((text, "1"));
    let (function, arguments) = call.split_once('(').unwrap_or((call, ")"));
    let arguments = arguments.trim_end_matches(')').split(',').map(str::trim);
    Entry {
        function: function.to_owned(),
        arguments: arguments
            .filter(|argument| !argument.is_empty())
            .map(|argument| match argument.strip_prefix('&') {
                Some(name) => EntryArgument::AddressOf(name.to_owned()),
                None if argument == "self" => EntryArgument::Identity,
                None => EntryArgument::Number(argument.parse().expect("a number")),
            })
            .collect(),
        copies: copies.parse().expect("a number of copies"),
        is_first: false,
    }
}

/// The threads that the first lines of a program name.
pub(crate) fn entries(text: &str) -> Vec<Entry> {
    text.lines().filter_map(|line| line.strip_prefix("//! entry ")).map(thread).collect()
}

/// The programs in `tests/c`, with their names.
pub(crate) fn programs() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    let read = |file: PathBuf| {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        (name, fs::read_to_string(&file).expect("a text"))
    };
    files.into_iter().map(read).collect()
}
