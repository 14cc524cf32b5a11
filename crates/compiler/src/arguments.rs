//! What a command line of a C compiler means: what it compiles and links, and which of its flags
//! matter for the IR.
//!
//! The command line was written for another compiler, often GCC, and for another purpose. Of its
//! flags those are kept that decide what the source says: where headers are, macros, the dialect,
//! the machine, and the few `-f` flags that change the meaning of the language. Everything else
//! (outputs, warnings, optimisation, debug information, sanitizers, linking) is ours to decide or
//! does not matter, and much of it clang would refuse. So flags are kept by name, and an unknown one
//! is dropped.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::input::is_cpp;
use crate::place::read_text;

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

/// Flags that are kept, with their operand, which may be attached or the next word.
const KEPT_WITH_OPERAND: [&str; 15] = [
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefixbefore",
    "-iwithprefix",
    "-isysroot",
    "--sysroot",
    "-target",
    "--target",
];

/// Flags that are kept as they are.
const KEPT: [&str; 10] = [
    "-ansi",
    "-nostdinc",
    "-pthread",
    "-undef",
    "-trigraphs",
    "-m32",
    "-m64",
    "-mx32",
    "-traditional",
    "-traditional-cpp",
];

/// Flags whose operand is the next word, and that are dropped with it.
const DROPPED_WITH_OPERAND: [&str; 22] = [
    "-include-pch",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-T",
    "-u",
    "-z",
    "-Xlinker",
    "-Xassembler",
    "-Xclang",
    "-Xpreprocessor",
    "-A",
    "-e",
    "-arch",
    "--param",
    "-B",
    "-aux-info",
    "-wrapper",
    "-dumpbase",
    "-dumpdir",
    "-specs",
];

/// What may follow `-f` or `-fno-` and changes what a source means.
const MEANINGFUL: [&str; 19] = [
    "signed-char",
    "unsigned-char",
    "short-enums",
    "short-wchar",
    "pack-struct",
    "common",
    "ms-extensions",
    "ms-compatibility",
    "plan9-extensions",
    "gnu89-inline",
    "freestanding",
    "hosted",
    "builtin",
    "wrapv",
    "blocks",
    "dollars-in-identifiers",
    "input-charset",
    "PIC",
    "pic",
];

/// What may follow `-m` or `-mno-`: features of x86 that clang knows under the same names, by their
/// beginnings. They decide which macros and built-in functions there are.
const FEATURES: [&str; 28] = [
    "sse",
    "avx",
    "mmx",
    "cx16",
    "popcnt",
    "bmi",
    "lzcnt",
    "aes",
    "pclmul",
    "fma",
    "f16c",
    "adx",
    "movbe",
    "rdrnd",
    "rdseed",
    "sha",
    "xsave",
    "rtm",
    "crc32",
    "clflushopt",
    "clwb",
    "prfchw",
    "fsgsbase",
    "waitpkg",
    "movdiri",
    "movdir64b",
    "gfni",
    "arch=",
];

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
        } else if DROPPED_WITH_OPERAND.contains(&word) {
            rest.next();
        } else if KEPT_WITH_OPERAND.contains(&word) {
            self.kept.push(word.to_owned());
            self.kept.extend(rest.next());
        } else if is_kept(word) {
            self.kept.push(word.to_owned());
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

fn is_kept(word: &str) -> bool {
    let named = |prefix: &str, no: &str, names: &[&str], whole: bool| {
        let Some(rest) = word.strip_prefix(no).or_else(|| word.strip_prefix(prefix)) else {
            return false;
        };
        let name = rest.split('=').next().unwrap_or(rest);
        names.iter().any(|known| if whole { name == *known } else { rest.starts_with(known) })
    };
    KEPT.contains(&word)
        || word.starts_with("-std=")
        || KEPT_WITH_OPERAND.iter().any(|flag| word.starts_with(flag))
        || named("-f", "-fno-", &MEANINGFUL, true)
        || word.starts_with("-fno-builtin-")
        || named("-m", "-mno-", &FEATURES, false)
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
