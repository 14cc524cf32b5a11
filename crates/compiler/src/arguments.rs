//! What a command line of a C compiler means: what it compiles and links, and which of its flags
//! matter for the IR.
//!
//! Words are read as GCC and clang read them: a flag may have an operand, attached or as the next
//! word; `-x` says what the sources after it are; `@file` stands for the words in a file.

mod flags;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::input::is_cpp;
use crate::place::read_text;
use flags::Fate;

/// A command line, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) stage: Stage,
    pub(crate) output: Option<PathBuf>,
    pub(crate) sources: Vec<Source>,
    /// What is linked besides the sources, in the order of the command line.
    pub(crate) linked: Vec<Linked>,
    /// Folders in which libraries are looked for.
    pub(crate) library_folders: Vec<PathBuf>,
    /// The flags that matter for the IR.
    pub(crate) kept: Vec<String>,
}

/// How far a compiler goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// It answers a question, preprocesses, or checks, and writes no code.
    NoCode,
    /// It writes assembly (`-S`).
    Assembly,
    /// It writes objects (`-c`).
    Objects,
    /// It links.
    Link,
}

/// A source on a command line. `-` is the standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) language: SourceLanguage,
}

/// What a source is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceLanguage {
    /// C by its name.
    C,
    /// C because the command line says so, whatever the name.
    SaidToBeC,
    /// C++.
    Cpp,
    /// Something that we cannot compile, such as assembly.
    Other,
}

/// Something that is linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Linked {
    /// An object, archive or shared library.
    File(PathBuf),
    /// A library by its short name (`-l`).
    Library(String),
}

/// How often response files may name others.
const NESTED_RESPONSES: usize = 16;

impl Arguments {
    /// Reads a command, from the name of the compiler on; `folder` is where it runs.
    pub(crate) fn of_command(words: &[OsString], folder: &Path) -> Result<Self, Failure> {
        Self::read(words.get(words_of_compiler(words)..).unwrap_or_default(), folder)
    }

    /// Reads the words after the name of the compiler.
    fn read(words: &[OsString], folder: &Path) -> Result<Self, Failure> {
        let mut all = Vec::new();
        for word in words {
            expand(word, folder, NESTED_RESPONSES, &mut all)?;
        }
        let mut arguments = Self {
            stage: Stage::Link,
            output: None,
            sources: Vec::new(),
            linked: Vec::new(),
            library_folders: Vec::new(),
            kept: Vec::new(),
        };
        let mut language = None;
        let mut words = all.into_iter();
        while let Some(word) = words.next() {
            match word.strip_prefix('-') {
                Some(flag) if !flag.is_empty() => {
                    arguments.flag(&word, &mut words, &mut language);
                }
                Some(_) | None => arguments.file(word, language),
            }
        }
        if arguments.sources.is_empty() && arguments.linked.is_empty() {
            arguments.stage = Stage::NoCode;
        }
        Ok(arguments)
    }

    fn flag(
        &mut self,
        word: &str,
        rest: &mut impl Iterator<Item = String>,
        language: &mut Option<SourceLanguage>,
    ) {
        if let Some(operand) = operand_of("-x", word, rest) {
            *language = match operand.as_str() {
                "none" => None,
                "c" | "cpp-output" | "c-header" => Some(SourceLanguage::SaidToBeC),
                "c++" | "c++-cpp-output" | "c++-header" => Some(SourceLanguage::Cpp),
                _ => Some(SourceLanguage::Other),
            };
        } else if let Some(operand) = operand_of("-o", word, rest) {
            self.output = Some(operand.into());
        } else if let Some(operand) = operand_of("-L", word, rest) {
            self.library_folders.push(operand.into());
        } else if let Some(operand) = operand_of("-l", word, rest) {
            self.linked.push(Linked::Library(operand));
        } else if let Some(stage) = stage_of(word) {
            self.stage = self.stage.min(stage);
        } else if let Some(pieces) = word.strip_prefix("-Wp,") {
            let macros = pieces.split(',').filter(|p| p.starts_with("-D") || p.starts_with("-U"));
            self.kept.extend(macros.map(str::to_owned));
        } else {
            match flags::fate(word) {
                Fate::Kept => self.kept.push(word.to_owned()),
                Fate::KeptWithNext => {
                    self.kept.push(word.to_owned());
                    self.kept.extend(rest.next());
                }
                Fate::Dropped => {}
                Fate::DroppedWithNext => {
                    rest.next();
                }
            }
        }
    }

    fn file(&mut self, word: String, said: Option<SourceLanguage>) {
        let path = PathBuf::from(word);
        let by_name = match path.extension().and_then(OsStr::to_str) {
            Some("c" | "i") => Some(SourceLanguage::C),
            Some("s" | "S" | "sx" | "m" | "mm" | "f" | "f90") => Some(SourceLanguage::Other),
            Some(_) if is_cpp(&path) => Some(SourceLanguage::Cpp),
            Some(_) | None => None,
        };
        match said.or(by_name) {
            Some(language) => self.sources.push(Source { path, language }),
            None => self.linked.push(Linked::File(path)),
        }
    }
}

impl Source {
    /// Whether it comes by the standard input.
    pub(crate) fn is_standard_input(&self) -> bool {
        self.path == Path::new("-")
    }

    /// Whether we can compile it.
    pub(crate) fn is_c(&self) -> bool {
        match self.language {
            SourceLanguage::C | SourceLanguage::SaidToBeC => true,
            SourceLanguage::Cpp | SourceLanguage::Other => false,
        }
    }
}

/// The operand of a flag, attached or the next word, if the word is that flag.
fn operand_of(flag: &str, word: &str, rest: &mut impl Iterator<Item = String>) -> Option<String> {
    match word.strip_prefix(flag)? {
        "" => rest.next(),
        // `-openmp-…` and `-objc…` are other flags than `-o`.
        attached if flag == "-o" && (attached.starts_with("pen") || attached.starts_with("bj")) => {
            None
        }
        attached => Some(attached.to_owned()),
    }
}

fn stage_of(word: &str) -> Option<Stage> {
    match word {
        "-c" => Some(Stage::Objects),
        "-S" => Some(Stage::Assembly),
        "-E" | "-M" | "-MM" | "-fsyntax-only" | "--version" | "--help" | "-###"
        | "-dumpversion" | "-dumpmachine" | "-dumpfullversion" | "-dumpspecs" => {
            Some(Stage::NoCode)
        }
        _ if word.starts_with("-print-") || word.starts_with("--print-") => Some(Stage::NoCode),
        _ => None,
    }
}

/// The words that a word stands for: those in a file, if it is `@` and the name of one.
fn expand(
    word: &OsStr,
    folder: &Path,
    depth: usize,
    words: &mut Vec<String>,
) -> Result<(), Failure> {
    let text = word.to_string_lossy().into_owned();
    let response = text.strip_prefix('@').map(|name| folder.join(name));
    let Some(file) = response.filter(|file| depth > 0 && file.is_file()) else {
        words.push(text);
        return Ok(());
    };
    let inner = shlex::split(&read_text(&file)?).ok_or_else(|| Failure::Malformed {
        path: file,
        reason: "a quotation is not closed".to_owned(),
    })?;
    inner.iter().try_for_each(|word| expand(OsStr::new(word), folder, depth - 1, words))
}

/// The number of words before the arguments: the compiler, and a launcher such as ccache before it.
fn words_of_compiler(words: &[OsString]) -> usize {
    let launchers = ["ccache", "sccache", "distcc", "icecc"];
    let first = words.first().and_then(|word| Path::new(word).file_name());
    let launched = first.is_some_and(|name| launchers.iter().any(|launcher| name == *launcher));
    if launched { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Arguments {
        let words: Vec<_> = line.split_whitespace().map(OsString::from).collect();
        Arguments::read(&words, Path::new("/")).expect("no response files")
    }

    #[test]
    fn kept_flags() {
        for (line, kept) in [
            ("-c a.c -o a.o -O2 -g -Wall -Werror -flto -MD -MF a.d -MP -MT a.o", ""),
            ("-Iinc -I inc2 -DA=1 -D B -UC -std=gnu11", "-Iinc -I inc2 -DA=1 -D B -UC -std=gnu11"),
            (
                "-include x.h -isystem s -isystemt -iquoteq",
                "-include x.h -isystem s -isystemt -iquoteq",
            ),
            (
                "-fsigned-char -fno-common -fwrapv -fno-strict-aliasing",
                "-fsigned-char -fno-common -fwrapv",
            ),
            (
                "-fpack-struct=1 -fno-builtin-memcpy -fconserve-stack",
                "-fpack-struct=1 -fno-builtin-memcpy",
            ),
            (
                "-m32 -msse4.2 -mno-avx -march=native -mtune=generic -mindirect-branch=x",
                "-m32 -msse4.2 -mno-avx -march=native",
            ),
            (
                "-Wp,-D_X=1,-MD,a.d -Wl,-z,now -Xclang -foo -fsanitize=thread -pthread",
                "-D_X=1 -pthread",
            ),
            (
                "--sysroot=/s -isysroot /t -target x -nostdinc -fstack-protector-strong",
                "--sysroot=/s -isysroot /t -target x -nostdinc",
            ),
        ] {
            assert_eq!(read(line).kept.join(" "), kept, "{line}");
        }
    }

    #[test]
    fn stages() {
        for (line, stage) in [
            ("-c a.c", Stage::Objects),
            ("-S a.c", Stage::Assembly),
            ("-E a.c", Stage::NoCode),
            ("-M a.c -c", Stage::NoCode),
            ("-MMD -c a.c", Stage::Objects),
            ("a.c -o a", Stage::Link),
            ("a.o -o a -lm", Stage::Link),
            ("--version", Stage::NoCode),
            ("-v", Stage::NoCode),
            ("-v a.c", Stage::Link),
            ("-print-prog-name=ld", Stage::NoCode),
            ("", Stage::NoCode),
        ] {
            assert_eq!(read(line).stage, stage, "{line}");
        }
    }

    #[test]
    fn files() {
        let read = read("-x c in.txt -x none a.c b.cc c.S d.o libe.a -lf -Lg -o h -");
        let source = |path: &str, language| Source { path: path.into(), language };
        let expected = [
            source("in.txt", SourceLanguage::SaidToBeC),
            source("a.c", SourceLanguage::C),
            source("b.cc", SourceLanguage::Cpp),
            source("c.S", SourceLanguage::Other),
        ];
        assert_eq!(read.sources, expected);
        let file = |path: &str| Linked::File(path.into());
        let linked = [file("d.o"), file("libe.a"), Linked::Library("f".to_owned()), file("-")];
        assert_eq!(read.linked, linked);
        assert_eq!(read.library_folders, [PathBuf::from("g")]);
        assert_eq!(read.output, Some("h".into()));
    }
}
