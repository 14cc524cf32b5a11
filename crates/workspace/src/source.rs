//! Programs in C, Rust and LLVM IR: compiled by the user's own compiler, read and lowered.

mod any_number;
mod complaints;
mod stdin;
mod tests;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use compiler::{Cache, Compiled, Input, Request, Target};
use events::{Graph, Instances};
use lowering::{Bounds, Entry, EntryArgument, Environment, Lowered, Summary, Texts};
use patch::Language;
use program::{Diagnostic, Diagnostics, Program, Sources, Span};

use crate::host::Host;
use crate::inputs::{Assumption, Inputs, Premises, SourceOptions};
use crate::misplaced;
use crate::notes::{Note, NoteCode};
use any_number::{TRANSLATED, with_any_number};
use complaints::of_failure;
pub(crate) use stdin::NAME as STDIN;
use stdin::StandardInput;
use tests::Asked;
use text::{Known, SourceFiles};

/// How a compiled program was made, to make it again with other texts.
#[derive(Debug)]
pub struct Compilation {
    request: Request,
    /// One test of a package, or all of them; nothing if it is no test that is asked about.
    tests: Option<Asked>,
    entries: Vec<Entry>,
    /// The numbers of those of which there is any number of copies.
    any_number: Vec<usize>,
    environment: Environment,
    /// What to say of the choice of the program.
    notes: Vec<String>,
    /// What was found out about the texts when it was made first.
    known: Known,
    /// The functions whose calls facts told apart then.
    small: Option<facts::Small>,
    /// Where standard input lies.
    stdin: StandardInput,
}

/// Programs, each with what to add to the name of their files.
type Programs = Vec<(String, Result<Compilation, Diagnostics>)>;

/// Why there is no program.
#[derive(Debug)]
pub(crate) enum Unmade {
    /// A compiler does not take a text.
    Refused(Diagnostics),
    /// Anything else.
    Otherwise(Diagnostics),
}

impl From<Diagnostics> for Unmade {
    fn from(errors: Diagnostics) -> Self {
        Self::Otherwise(errors)
    }
}

impl From<Unmade> for Diagnostics {
    fn from(why: Unmade) -> Self {
        match why {
            Unmade::Refused(errors) | Unmade::Otherwise(errors) => errors,
        }
    }
}

/// A compiled program.
pub(crate) struct FromSource {
    pub(crate) program: Program,
    pub(crate) premises: Premises,
    pub(crate) shows_locals: bool,
    pub(crate) foreign: BTreeMap<(usize, usize), String>,
    pub(crate) notes: Vec<Note>,
}

impl FromSource {
    /// A model, of which everything is in its text.
    pub(crate) fn of_model(program: Program) -> Self {
        let (premises, notes, foreign) = (Premises::default(), Vec::new(), BTreeMap::new());
        Self { program, premises, shows_locals: true, foreign, notes }
    }
}

/// What compilers made of some files.
pub struct Modules<'h> {
    /// The modules.
    pub modules: Vec<llvm::Module>,
    /// What is to be said of how they were made.
    pub notes: Vec<String>,
    texts: SourceFiles<'h>,
}

impl<'h> Modules<'h> {
    pub(crate) fn of(
        host: &'h dyn Host,
        files: &[String],
        asked: &Inputs,
    ) -> Result<Self, Diagnostics> {
        let compilation = Compilation::new(host, files, asked)?;
        let (compiled, modules) = compilation.compile(host, Vec::new(), &mut Sources::new())?;
        let known = Known::of(host, &compiled, &compilation.stdin);
        let texts = SourceFiles { host, others: &[], known };
        Ok(Self { modules, notes: compiled.notes, texts })
    }

    /// The author's texts, by the paths in debug information: each with the name to show and its language.
    pub fn texts(&mut self) -> &mut dyn Texts {
        &mut self.texts
    }
}

/// Whether a file is for a compiler, by its name; a folder is.
pub(crate) fn is_for_compiler(host: &dyn Host, file: &str) -> bool {
    let path = Path::new(file);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    let known =
        ["c", "i", "h", "rs", "ll", "bc", "cc", "cpp", "cxx", "c++", "C", "hpp", "hh", "hxx"];
    known.contains(&extension)
        || matches!(name, "Cargo.toml" | "compile_commands.json")
        || host.is_folder(path)
}

/// Whether a file is a program by itself, and not one of the files of a program.
pub(crate) fn is_whole_program(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|extension| extension == "rs")
}

impl Compilation {
    /// What is to be compiled.
    pub(crate) fn new(
        host: &dyn Host,
        files: &[String],
        asked: &Inputs,
    ) -> Result<Self, Diagnostics> {
        let options = &asked.source;
        let failed = |failure: compiler::Failure| problem(failure.to_string());
        let mut inputs = Vec::new();
        for file in files {
            let mut input = host.compiler_input(Path::new(file)).map_err(failed)?;
            match &mut input {
                Input::Package(package) => {
                    package.package.clone_from(&options.package);
                    package.features.clone_from(&options.features);
                    package.unit_tests = options.unit_tests.is_some();
                    package.default_features = !options.no_default_features;
                    package.target = target(options);
                }
                Input::Recording(recording) => recording.program.clone_from(&options.program),
                Input::C(_) | Input::Rust(_) | Input::Llvm(_) | Input::Database(_) => {}
            }
            inputs.push(input);
        }
        misplaced::for_source(asked, &inputs)?;
        let mut tools = host.tools();
        tools.clang = options.clang.clone().or(tools.clang);
        tools.rustc = options.rustc.clone().or(tools.rustc);
        let request = Request {
            flags: options.flags.clone(),
            tools,
            release: options.release,
            cache: if options.no_cache { Cache::Off } else { host.cache() },
            ..Request::new(inputs, PathBuf::from("."))
        };
        let usual = Bounds::default();
        let bounds = Bounds {
            recursion: options.max_recursion.unwrap_or(usual.recursion),
            allocations: options.max_allocations.unwrap_or(usual.allocations),
            threads: options.max_threads.unwrap_or(usual.threads),
            amounts: options.max_amounts.unwrap_or(usual.amounts),
        };
        let environment = Environment {
            bounds,
            lifetimes: options.lifetimes,
            relocking: options.relocking,
            // Of any number of threads nobody knows who waits.
            spinning_is_waiting: options.any_number.is_empty(),
            arguments: options.args.as_ref().map(|given| {
                let name = files.first().map_or("program", String::as_str);
                let own = Path::new(name).with_extension("").display().to_string();
                std::iter::once(own).chain(given.iter().cloned()).collect()
            }),
            summaries: summaries(host, options).map_err(problem)?,
            operations: options.operations.clone(),
        };
        let first = options.init.clone().map(|init| Entry { is_first: true, copies: 1, ..init });
        let before = usize::from(first.is_some());
        let mut entries: Vec<Entry> = first.into_iter().chain(options.entries.clone()).collect();
        let any_number: Vec<usize> = options.any_number.iter().map(|at| at + before).collect();
        for at in &any_number {
            if let Some(entry) = entries.get_mut(*at) {
                entry.copies = TRANSLATED;
            }
        }
        let tests = Asked::of(options).filter(|_| options.entries.is_empty());
        Ok(Self {
            request,
            tests,
            entries,
            any_number,
            environment,
            notes: Vec::new(),
            known: Known::default(),
            small: None,
            stdin: StandardInput(asked.standard_input.clone()),
        })
    }

    /// The programs that it is, each with what to add to its name: one, or each test.
    pub(crate) fn programs(self, host: &dyn Host) -> Result<Programs, Diagnostics> {
        let Some(asked) = &self.tests else { return Ok(vec![(String::new(), Ok(self))]) };
        let (compiled, modules) = self.compile(host, Vec::new(), &mut Sources::new())?;
        let Some(found) = lowering::tests(&modules).or_else(|| asked.is_named().then(Vec::new))
        else {
            // A test without a harness is its own `main`.
            return Ok(vec![(String::new(), Ok(Self { tests: None, ..self }))]);
        };
        let known = Known::of(host, &compiled, &self.stdin);
        let chosen = asked.choose(host, found, &known)?;
        let programs = chosen.tests.iter().map(|test| {
            let shown = format!(" {}", asked.option(test.name()));
            let one = tests::entry(test).map(|entry| {
                let (request, notes) = (self.request.clone(), chosen.notes.clone());
                let (entries, known) = (vec![entry], Known::default());
                let (environment, stdin) = (self.environment.clone(), self.stdin.clone());
                let any_number = Vec::new();
                Self {
                    request,
                    tests: None,
                    entries,
                    any_number,
                    environment,
                    notes,
                    known,
                    small: None,
                    stdin,
                }
            });
            (shown, one)
        });
        Ok(programs.collect())
    }

    /// The program.
    pub(crate) fn load(
        &mut self,
        host: &dyn Host,
        name: &str,
        sources: &mut Sources,
    ) -> Result<FromSource, Diagnostics> {
        let (lowered, compiled, known) = self.make(host, name, &[], sources)?;
        self.known = known;
        let noted = |code| move |text: String| Note::general(code, text);
        let mut notes: Vec<Note> = compiled.notes.into_iter().map(noted(NoteCode::Build)).collect();
        notes.extend(self.notes.iter().cloned().map(noted(NoteCode::Test)));
        let Lowered { program, unknown, fallible, assumed, shows_locals, foreign } = lowered;
        notes.extend(assumed.iter().map(|summary| {
            Note::general(NoteCode::Assumed, format!("assumed, as stated: {summary}"))
        }));
        notes.extend(fallible.into_iter().map(|(function, span)| {
            let text = format!(
                "`{function}` may fail, and what the program does then counts; \
                 `--assume '{function} succeeds'` states that it does not"
            );
            Note { code: NoteCode::MayFail, span, text }
        }));
        notes.extend(unknown.iter().map(|function| {
            let text = format!(
                "`{function}` has no body here: it may return any value, and do anything it could; \
                 give the file that defines it, or say what it does: \
                 `--assume '{function} returns 0..=1'`, `--assume '{function} does nothing'`"
            );
            Note::general(NoteCode::NoBody, text)
        }));
        let premises = Premises {
            bounds: Some(self.environment.bounds),
            assumed: assumed.iter().map(ToString::to_string).collect(),
            unknown: unknown.into_iter().collect(),
        };
        Ok(FromSource { program, premises, shows_locals, foreign, notes })
    }

    /// The program, with other texts for some files.
    pub(crate) fn again(
        &self,
        host: &dyn Host,
        name: &str,
        others: &[(PathBuf, String)],
        sources: &mut Sources,
    ) -> Result<Program, Unmade> {
        self.make(host, name, others, sources).map(|(lowered, ..)| lowered.program)
    }

    fn make(
        &self,
        host: &dyn Host,
        name: &str,
        others: &[(PathBuf, String)],
        sources: &mut Sources,
    ) -> Result<(Lowered, Compiled, Known), Unmade> {
        let others: Vec<(PathBuf, String)> =
            others.iter().map(|(path, text)| (self.stdin.file(path), text.clone())).collect();
        let (compiled, modules) = self.compile(host, self.overrides(&others)?, sources)?;
        let known = Known::of(host, &compiled, &self.stdin);
        let mut texts = SourceFiles { host, others: &others, known };
        let mut lowered = lowering::lower_until(
            name,
            &modules,
            &self.entries,
            &self.environment,
            (&mut texts, sources),
            &|| host.limit_reached().is_some(),
        )?;
        lowered.program = with_any_number(lowered.program, &self.entries, &self.any_number)?;
        Ok((lowered, compiled, texts.known))
    }

    /// The event graph of all that was compiled, which need not be a closed program, with other texts for
    /// some files; and what is to be said of it.
    pub(crate) fn events(
        &mut self,
        host: &dyn Host,
        others: &[(PathBuf, String)],
        sources: &mut Sources,
    ) -> Result<(Graph, Vec<String>), Unmade> {
        let others: Vec<(PathBuf, String)> =
            others.iter().map(|(path, text)| (self.stdin.file(path), text.clone())).collect();
        let (compiled, modules) = self.compile(host, self.overrides(&others)?, sources)?;
        let known = Known::of(host, &compiled, &self.stdin);
        let mut texts = SourceFiles { host, others: &others, known };
        let given = |argument: &EntryArgument| match argument {
            EntryArgument::Number(_) | EntryArgument::Identity => facts::ThreadArgument::Number,
            EntryArgument::AddressOf(name) => facts::ThreadArgument::AddressOf(name.clone()),
        };
        let options = facts::Options {
            assumed: self.environment.summaries.clone(),
            threads: self
                .entries
                .iter()
                .enumerate()
                .map(|(number, entry)| facts::ThreadEntry {
                    function: entry.function.clone(),
                    arguments: entry.arguments.iter().map(given).collect(),
                    instances: if self.any_number.contains(&number) {
                        Instances::Many
                    } else {
                        Instances::Exactly(entry.copies)
                    },
                })
                .collect(),
            // A condition with a fence is longer; with other texts it is still the same program.
            small: self.small.clone().filter(|_| !others.is_empty()),
        };
        let (graph, small) =
            facts::events_and_small(&modules, &options, (&mut texts, sources), &|| {
                host.limit_reached().is_some()
            })?;
        if others.is_empty() {
            self.small = Some(small);
            self.known = texts.known;
        }
        Ok((graph, compiled.notes))
    }

    /// Where compilers find errors if files have other texts: for each of these, in its order. Nothing if they are taken.
    pub(crate) fn errors_in(
        &self,
        host: &dyn Host,
        others: &[(&str, &str)],
    ) -> Option<Vec<Vec<usize>>> {
        let file = |name: &str| self.stdin.file(Path::new(name));
        let texts: Vec<(PathBuf, String)> =
            others.iter().map(|(name, text)| (file(name), (*text).to_owned())).collect();
        let nowhere = || Some(vec![Vec::new(); others.len()]);
        let Ok(overrides) = self.overrides(&texts) else { return nowhere() };
        let request = Request { overrides, ..self.request.clone() };
        let message = match host.compile(&request) {
            Ok(_) => return None,
            Err(compiler::Failure::Compiler { message, .. }) => message,
            Err(_) => return nowhere(),
        };
        let all = compiler::complaints(&message);
        let in_text = |(path, text): &(PathBuf, String)| {
            let here = all.iter().filter(|it| it.path.file_name() == path.file_name());
            here.map(|it| offset(text, it.line, it.column)).collect()
        };
        Some(texts.iter().map(in_text).collect())
    }

    /// The bytes of files with other texts.
    fn overrides(
        &self,
        others: &[(PathBuf, String)],
    ) -> Result<Vec<(PathBuf, Vec<u8>)>, Diagnostics> {
        let one = |(path, text): &(PathBuf, String)| {
            let bytes = self.bytes(&path.to_string_lossy(), text).ok_or_else(|| {
                problem(format!("{}: a byte that is not UTF-8 cannot be kept", path.display()))
            })?;
            Ok((path.clone(), bytes))
        };
        others.iter().map(one).collect()
    }

    /// Compiles and reads. What cannot be read is not kept; if it was, it is made again.
    fn compile(
        &self,
        host: &dyn Host,
        overrides: Vec<(PathBuf, Vec<u8>)>,
        sources: &mut Sources,
    ) -> Result<(Compiled, Vec<llvm::Module>), Unmade> {
        let request = Request { overrides, ..self.request.clone() };
        let mut compile = || {
            host.compile(&request).map_err(|failure| {
                let errors = of_failure(&failure, host, sources, &self.stdin);
                if let compiler::Failure::Compiler { .. } = failure {
                    Unmade::Refused(errors)
                } else {
                    Unmade::Otherwise(errors)
                }
            })
        };
        let mut compiled = compile()?;
        let mut modules = parse(host, &compiled, &self.stdin);
        if modules.is_err() && host.limit_reached().is_none() && compiled.forget() {
            compiled = compile()?;
            modules = parse(host, &compiled, &self.stdin);
        }
        let modules = modules?;
        compiled.keep();
        Ok((compiled, modules))
    }

    /// The language of a source text.
    pub(crate) fn language(&self, name: &str) -> Language {
        self.known.language(name).unwrap_or(Language::C)
    }

    /// The bytes of a file with another text: those that are not UTF-8 are as they were.
    fn bytes(&self, name: &str, text: &str) -> Option<Vec<u8>> {
        let substituted = self.known.substituted.get(name);
        text::encode(text, substituted.map_or(&[], Vec::as_slice))
    }

    /// Where a file that was read is not UTF-8 for the first time, if anywhere.
    pub(crate) fn not_utf8(&self, name: &str, text: &str) -> Option<usize> {
        self.known.substituted.get(name).and_then(|_| text.find(text::SUBSTITUTE))
    }
}

/// The byte at a line and a column, which are counted from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}

fn parse(
    host: &dyn Host,
    compiled: &Compiled,
    stdin: &StandardInput,
) -> Result<Vec<llvm::Module>, Diagnostics> {
    let one = |module: &compiler::Module| {
        if let Some(limit) = host.limit_reached() {
            return Err(problem(format!("{limit} while the program was read")));
        }
        llvm::parse_until(&module.text, &|| host.limit_reached().is_some()).map_err(|error| {
            if let Some(limit) = host.limit_reached() {
                return problem(format!("{limit} while the program was read"));
            }
            let name = stdin.renamed(&module.name);
            problem(format!("{name}: this is not LLVM IR of a version that is read: {error}"))
        })
    };
    compiled.modules.iter().map(one).collect()
}

fn problem(message: String) -> Diagnostics {
    vec![Diagnostic::new(Span::NONE, message)]
}

/// All that is said of functions without a body.
fn summaries(host: &dyn Host, options: &SourceOptions) -> Result<Vec<Summary>, String> {
    let mut all = Vec::new();
    for assumption in &options.assumptions {
        match assumption {
            Assumption::Stated(summary) => all.push(summary.clone()),
            Assumption::InFile(file) => {
                let shown = file.display();
                let text = crate::inputs::read_text(host, file)
                    .map_err(|error| format!("{shown} cannot be read: {error}"))?;
                let lines = Summary::parse_all(&text);
                all.extend(lines.map_err(|error| format!("{shown}: {error}"))?);
            }
        }
    }
    Ok(all)
}

fn target(options: &SourceOptions) -> Option<Target> {
    if options.lib {
        return Some(Target::Lib);
    }
    let bin = options.bin.clone().map(Target::Bin);
    let example = options.example.clone().map(Target::Example);
    bin.or(example).or_else(|| tests::target(options).map(Target::Test))
}
