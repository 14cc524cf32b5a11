//! Which flags a user may give, and what to say of the others.
//!
//! The program is compiled as it is written, without optimisation and with debug information, for
//! x86, and nothing is linked (see `clang` and `rustc`). A flag that says something else about one of
//! these would be overridden, and so it is refused: who gives a flag expects it to matter. Every
//! other flag is passed on after ours; a compiler that does not know it refuses it.
//!
//! This is about flags after `--`. The flags of a build, in lists of compilations, recordings and
//! Cargo profiles, were given for another purpose; which of them are kept is said in
//! `arguments::flags`.

use std::path::Path;

use crate::Failure;
use crate::place::read_text;

/// Whose flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compiler {
    Clang,
    Rustc,
}

/// How a flag is recognised; words are separated by blanks.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// It is one of these words.
    Is(&'static str),
    /// It begins with one of these.
    Begins(&'static str),
    /// It is a codegen option of rustc with one of these names: `-Cname`, `-C name`, `-Cname=value`.
    Codegen(&'static str),
}

/// Flags that are refused for the same reason.
struct Class {
    forms: &'static [Form],
    /// Those among them that change nothing, and so are accepted.
    but: &'static str,
    /// Why, and what to do instead.
    reason: &'static str,
}

const OUTPUT: &str = "cannot be given: what is written, and where, is not for it to say";
const QUESTION: &str = "cannot be given: it asks the compiler a question instead of compiling";
const OPTIMISATION: &str = "cannot be given: answers are about the accesses as written, so the program is compiled \
                            without optimisation; leave it out (`-D__OPTIMIZE__` selects what a header has for \
                            optimised code)";
const OPTIMISATION_OF_RUST: &str = "cannot be given: answers are about the accesses as written, so the program is \
                                    compiled without optimisation; leave it out (`--release` turns debug assertions \
                                    and overflow checks off)";
const PARALLEL: &str = "cannot be given: what these pragmas make parallel is not understood; create the threads with \
                        pthreads or C11 threads";
const INSTRUMENTATION: &str =
    "cannot be given: it adds accesses and calls that are not in the program; leave it out";
const DEBUG: &str = "cannot be given: lines and names are always asked for; leave it out";
const WARNINGS: &str =
    "cannot be given: warnings are not shown; leave it out, and look at them in your own build";
const INSIDE: &str = "cannot be given: it reaches inside the compiler, past what is checked here";
const LINKING: &str =
    "cannot be given: nothing is linked; name the sources of a library beside yours";
const CONFIGURATION: &str = "cannot be given: write the flags of the file behind `--`, or `@FILE`";
const TARGET: &str = "cannot be given: answers are about x86; leave it out (`outcomes --model` asks about other machines)";
const PANIC: &str =
    "cannot be given: a panic is the end of the program, and `-C panic=abort` is always said";
const LANGUAGE: &str = "cannot be given: only C is read";
const TESTS: &str = "cannot be given: tests are checked in a package: `--test NAME`";
const FILE: &str = "is a file: name files before `--`";

const CLANG: &[Class] = &[
    Class {
        forms: &[
            Form::Is("-c -S -E -M -MM -MD -MMD -MP -MG -MV -C -CC -P -dM"),
            Form::Begins(
                "-o -MF -MT -MQ -MJ -emit- --emit- -fsyntax-only -save-temps --save-temps",
            ),
        ],
        but: "",
        reason: OUTPUT,
    },
    Class {
        forms: &[
            Form::Is("-v -### --version --help -help"),
            Form::Begins("-dump -print- --print-"),
        ],
        but: "",
        reason: QUESTION,
    },
    Class {
        forms: &[Form::Begins(
            "-O --optimize -flto -funroll -fvectorize -ftree- -finline -fmerge-all",
        )],
        but: "-O0 -fno-lto",
        reason: OPTIMISATION,
    },
    Class {
        forms: &[Form::Begins("-fopenmp -qopenmp -openmp -fiopenmp -fopenacc -fcilkplus")],
        but: "",
        reason: PARALLEL,
    },
    Class {
        forms: &[Form::Begins(
            "-fsanitize -fprofile -fcoverage --coverage -coverage -pg -finstrument -fxray \
             -fcs-profile -ftest-coverage -fmemory-profile",
        )],
        but: "",
        reason: INSTRUMENTATION,
    },
    Class { forms: &[Form::Begins("-g --debug")], but: "-g -g3 -ggdb -ggdb3", reason: DEBUG },
    Class {
        forms: &[Form::Begins(
            "-Xclang -Xarch -mllvm -fplugin -fpass-plugin -load -cc1 -wrapper -B",
        )],
        but: "",
        reason: INSIDE,
    },
    Class {
        forms: &[
            Form::Is("-shared -static -rdynamic -pie -no-pie -r -s -nostdlib -nodefaultlibs"),
            Form::Begins("-l -L -Wl, -Xlinker -fuse-ld --ld-path"),
        ],
        // All that these libraries have is known or refused by name.
        but: "-lpthread -lm -lrt -lc -latomic",
        reason: LINKING,
    },
    Class {
        forms: &[Form::Begins("-W -pedantic --pedantic -fdiagnostics -Rpass")],
        but: "-Wno- -Wp,",
        reason: WARNINGS,
    },
    Class { forms: &[Form::Begins("--config -config")], but: "", reason: CONFIGURATION },
    Class { forms: &[Form::Begins("-x -ObjC -std=c++ -std=gnu++")], but: "-xc", reason: LANGUAGE },
];

const RUSTC: &[Class] = &[
    Class {
        forms: &[Form::Begins("-o --emit --out-dir"), Form::Codegen("save-temps incremental")],
        but: "",
        reason: OUTPUT,
    },
    Class {
        forms: &[
            Form::Is("-v -V -vV -h --verbose --version --help"),
            Form::Begins("--print --explain"),
        ],
        but: "",
        reason: QUESTION,
    },
    Class {
        forms: &[
            Form::Begins("-O -Zmir-opt-level -Zinline-mir"),
            Form::Codegen(
                "opt-level lto linker-plugin-lto embed-bitcode codegen-units inline-threshold \
                 passes llvm-args",
            ),
        ],
        but: "opt-level=0",
        reason: OPTIMISATION_OF_RUST,
    },
    Class {
        forms: &[
            Form::Begins("-Zsanitizer -Zinstrument -Zprofile"),
            Form::Codegen("instrument-coverage profile-generate profile-use"),
        ],
        but: "",
        reason: INSTRUMENTATION,
    },
    Class {
        forms: &[
            Form::Is("-g"),
            Form::Codegen("debuginfo symbol-mangling-version split-debuginfo strip"),
        ],
        but: "-g debuginfo=2 debuginfo=full symbol-mangling-version=v0",
        reason: DEBUG,
    },
    Class {
        forms: &[Form::Begins(
            "-W -D -F --warn --deny --forbid --force-warn --cap-lints --error-format --json \
             --color --diagnostic-width",
        )],
        but: "--cap-lints=allow",
        reason: WARNINGS,
    },
    Class { forms: &[Form::Codegen("panic")], but: "panic=abort", reason: PANIC },
    Class { forms: &[Form::Is("--test")], but: "", reason: TESTS },
];

/// Flags of both compilers whose operand may be the next word.
const WITH_OPERAND: &str = "-A -C -D -F -I -L -U -W -Z -idirafter -imacros -include -iprefix -iquote \
             -isysroot -isystem -iwithprefix -iwithprefixbefore -l -target -x --allow --cfg \
             --codegen -arch --check-cfg --crate-name --crate-type --edition --extern \
             --param --remap-path-prefix --sysroot --target";

/// The flags of a user, one word after the other and those in response files too; an error if one
/// cannot be passed on.
pub(crate) fn accepted(
    flags: &[String],
    compiler: Compiler,
    folder: &Path,
) -> Result<Vec<String>, Failure> {
    let mut words = Vec::new();
    for flag in flags {
        expand(flag, compiler, folder, NESTED, &mut words)?;
    }
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let operand =
            if WITH_OPERAND.split(' ').any(|one| one == word) { rest.next() } else { None };
        if let Some(reason) = refusal(word, operand, compiler) {
            let flag = operand.map_or_else(|| word.clone(), |operand| format!("{word} {operand}"));
            return Err(Failure::Flag { flag, reason });
        }
    }
    Ok(words)
}

/// Why a flag for all crates of a package, which is kept as it is, makes it another program.
pub(crate) fn instrumenting(flag: &str) -> Option<&'static str> {
    refusal(flag, None, Compiler::Rustc).filter(|reason| *reason == INSTRUMENTATION)
}

/// Why a flag cannot be passed on.
fn refusal(word: &str, operand: Option<&String>, compiler: Compiler) -> Option<&'static str> {
    if !word.starts_with('-') {
        return Some(FILE);
    }
    if target_of(word, operand).is_some_and(|target| !is_x86(target)) {
        return Some(TARGET);
    }
    let codegen = match word.strip_prefix("-C").or_else(|| word.strip_prefix("--codegen")) {
        Some("") => operand.map_or("", String::as_str),
        Some(attached) => attached.trim_start_matches('='),
        None => "",
    };
    let whole = format!("{word}{}", operand.map_or("", String::as_str));
    let classes = match compiler {
        Compiler::Clang => CLANG,
        Compiler::Rustc => RUSTC,
    };
    let found = classes.iter().find(|class| {
        let fits = class.forms.iter().any(|form| match form {
            Form::Is(words) => words.split(' ').any(|one| one == word),
            Form::Begins(starts) => starts.split(' ').any(|start| whole.starts_with(start)),
            Form::Codegen(names) => {
                let name = codegen.split('=').next().unwrap_or(codegen);
                compiler == Compiler::Rustc && names.split(' ').any(|one| one == name)
            }
        });
        let allowed = class.but.split_whitespace().any(|but| {
            // A beginning ends in a hyphen or a comma, and stands for all flags that begin so.
            let is_beginning = but.ends_with(['-', ',']);
            whole == but || codegen == but || (is_beginning && whole.starts_with(but))
        });
        fits && !allowed
    });
    found.map(|class| class.reason)
}

/// The machine that a flag asks for.
pub(crate) fn target_of<'a>(word: &'a str, operand: Option<&'a String>) -> Option<&'a str> {
    match word {
        "-target" | "--target" | "-arch" => operand.map(String::as_str),
        _ => word.strip_prefix("--target="),
    }
}

/// Whether a machine is an x86, by its triple.
pub(crate) fn is_x86(target: &str) -> bool {
    let architecture = target.split('-').next().unwrap_or(target);
    matches!(
        architecture,
        "x86_64" | "amd64" | "x86_64h" | "i386" | "i486" | "i586" | "i686" | "x86"
    )
}

/// How often response files may name others.
const NESTED: usize = 16;

/// The words that a word stands for: those in a file, if it is `@` and the name of one. rustc takes
/// every line for a word, clang splits as a shell does.
fn expand(
    word: &str,
    compiler: Compiler,
    folder: &Path,
    depth: usize,
    words: &mut Vec<String>,
) -> Result<(), Failure> {
    let Some(name) = word.strip_prefix('@').filter(|_| depth > 0) else {
        words.push(word.to_owned());
        return Ok(());
    };
    let file = folder.join(name);
    let text = read_text(&file)?;
    let inner = match compiler {
        Compiler::Rustc => Some(text.lines().map(str::to_owned).collect()),
        Compiler::Clang => shlex::split(&text),
    };
    let reason = || "a quotation is not closed".to_owned();
    let inner: Vec<String> =
        inner.ok_or_else(|| Failure::Malformed { path: file, reason: reason() })?;
    inner.iter().try_for_each(|word| expand(word, compiler, folder, depth - 1, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(line: &str, compiler: Compiler) -> Option<&'static str> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        match accepted(&words, compiler, Path::new("/")) {
            Ok(same) => {
                assert_eq!(same, words);
                None
            }
            Err(Failure::Flag { reason, .. }) => Some(reason),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn flags_of_clang() {
        for line in [
            "-Iinc -I inc -DA=1 -D B -UC -std=gnu11 -include x.h -isystem s",
            "-O0 -g -pthread -lpthread -lm -fno-lto -Wno-error=implicit-int -Wp,-DX",
            "-m32 -march=native -msse4.2 -target x86_64-linux-gnu --target=i686-linux-gnu",
            "-fsigned-char -fwrapv -ftrapv -fno-common -fstack-protector-strong -xc -x c",
            "-nostdinc -ffreestanding --sysroot=/s -fPIC",
        ] {
            assert_eq!(reason(line, Compiler::Clang), None, "{line}");
        }
        for (flags, expected) in [
            ("-c -S -E -M -MD -oname -emit-llvm -fsyntax-only -save-temps=obj", OUTPUT),
            ("-v -### --version -print-search-dirs -dumpmachine", QUESTION),
            ("-O -O1 -O2 -O3 -Os -Og -Ofast -flto -flto=thin -funroll-loops", OPTIMISATION),
            ("-fopenmp -fopenmp=libomp -fopenmp-simd -fopenacc", PARALLEL),
            (
                "-fsanitize=thread -fprofile-generate --coverage -pg -finstrument-functions",
                INSTRUMENTATION,
            ),
            ("-g0 -g1 -gline-tables-only -gdwarf-4", DEBUG),
            ("-Wall -Wextra -Werror -Werror=vla -W -pedantic", WARNINGS),
            ("-Xclang -mllvm -fplugin=x.so -B/x", INSIDE),
            ("-lfoo -L/x -Wl,-z,now -shared -static -fuse-ld=lld", LINKING),
            ("--config=x.cfg", CONFIGURATION),
            ("--target=aarch64-linux-gnu", TARGET),
            ("-xc++ -std=c++17", LANGUAGE),
            ("other.c libx.a", FILE),
        ] {
            for flag in flags.split_whitespace() {
                assert_eq!(reason(flag, Compiler::Clang), Some(expected), "{flag}");
            }
        }
        for (line, expected) in
            [("-target riscv64", TARGET), ("-x c++", LANGUAGE), ("-I inc other.c", FILE)]
        {
            assert_eq!(reason(line, Compiler::Clang), Some(expected), "{line}");
        }
    }

    #[test]
    fn flags_of_rustc() {
        for line in [
            "--cfg extra --crate-type rlib --edition=2024 -A unused --allow=unused",
            "-C debug-assertions=off -Coverflow-checks=no -C panic=abort -Copt-level=0 -g",
            "-Ctarget-cpu=native --target x86_64-unknown-linux-musl --extern a=a.rlib -L dir",
        ] {
            assert_eq!(reason(line, Compiler::Rustc), None, "{line}");
        }
        for (lines, expected) in [
            (&["-o", "--emit=link", "--out-dir=x", "-C incremental=x", "-Csave-temps"][..], OUTPUT),
            (&["--print=cfg", "-vV"], QUESTION),
            (
                &[
                    "-O",
                    "-C opt-level=3",
                    "-Copt-level=s",
                    "-Clto",
                    "-C lto=fat",
                    "--codegen=opt-level=1",
                    "--codegen opt-level=3",
                ],
                OPTIMISATION_OF_RUST,
            ),
            (&["-C instrument-coverage", "-Zsanitizer=thread"], INSTRUMENTATION),
            (&["-Cdebuginfo=0", "-C strip=symbols"], DEBUG),
            (
                &[
                    "-Dwarnings",
                    "-D warnings",
                    "-W unused",
                    "--cap-lints=deny",
                    "--error-format=json",
                ],
                WARNINGS,
            ),
            (&["-Cpanic=unwind", "-C panic=unwind"], PANIC),
            (&["--target aarch64-apple-darwin"], TARGET),
            (&["--test"], TESTS),
            (&["other.rs"], FILE),
        ] {
            for line in lines {
                assert_eq!(reason(line, Compiler::Rustc), Some(expected), "{line}");
            }
        }
    }

    #[test]
    fn response_files_are_read_and_checked() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("a file");
        };
        write("outer.rsp", "-DA '-DB=x y'\n@inner.rsp");
        write("inner.rsp", "-I inc");
        let flags = vec!["@outer.rsp".to_owned()];
        let read = accepted(&flags, Compiler::Clang, folder.path()).expect("flags");
        assert_eq!(read, ["-DA", "-DB=x y", "-I", "inc"]);
        write("inner.rsp", "-O2");
        assert!(matches!(
            accepted(&flags, Compiler::Clang, folder.path()),
            Err(Failure::Flag { flag, reason: OPTIMISATION }) if flag == "-O2"
        ));
        write("args", "--cfg\nname with blanks\n");
        let flags = vec!["@args".to_owned()];
        let read = accepted(&flags, Compiler::Rustc, folder.path()).expect("flags");
        assert_eq!(read, ["--cfg", "name with blanks"]);
        let missing = vec!["@missing".to_owned()];
        let failure = accepted(&missing, Compiler::Clang, folder.path());
        assert!(matches!(failure, Err(Failure::Missing(_))));
    }
}
