//! Compilers, and texts to compile.
#![allow(dead_code, reason = "each test uses some of it")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use patch::{Edition, FenceOrder, FenceText, Language};

/// Fences of the machine on which tests run.
pub(crate) const NATIVE: [&str; 3] = ["mfence", "sfence", "lfence"];

/// Fences of other machines, each with what clang calls the machine.
pub(crate) const FOREIGN: &[(&str, &[&str])] = &[
    ("aarch64", &["dmb ish", "dmb ishld", "dmb ishst", "isb"]),
    ("armv7", &["dmb ish", "dmb ishst", "isb"]),
    ("ppc64le", &["sync", "lwsync", "eieio", "isync"]),
    (
        "riscv64",
        &[
            "fence rw,rw",
            "fence.tso",
            "fence w,w",
            "fence r,r",
            "fence r,w",
            "fence w,r",
            "fence r,rw",
            "fence rw,w",
            "fence.i",
        ],
    ),
];

/// All fences.
pub(crate) fn fences() -> Vec<FenceText> {
    let foreign = FOREIGN.iter().flat_map(|(_, codes)| codes.iter().copied());
    let instructions = NATIVE.into_iter().chain(foreign).map(FenceText::Instruction);
    FenceOrder::ALL.map(FenceText::Language).into_iter().chain(instructions).collect()
}

/// A directory that goes when the test is over.
pub(crate) struct Workshop(PathBuf);

impl Workshop {
    pub(crate) fn new(name: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("patch-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory for temporary files");
        Self(directory)
    }

    /// Compiles a text, and runs it if asked to.
    pub(crate) fn llvm_ir(&self, text: &str, language: Language) -> String {
        let (source, output) = (self.source(text, language), self.0.join("out.ll"));
        let mut command = match language {
            Language::C => {
                let mut clang = Command::new("clang");
                clang.args(["-S", "-emit-llvm", "-O0", "-g", "-w"]);
                clang
            }
            Language::Rust(edition) => {
                let mut rustc = rustc(edition);
                rustc.args(["--emit=llvm-ir", "-C", "no-prepopulate-passes"]);
                rustc.args(["-C", "debug-assertions=off", "-g"]);
                rustc
            }
        };
        succeeds(command.arg("-o").arg(&output).arg(source), text);
        fs::read_to_string(output).expect("the compiler wrote it")
    }

    /// Whether gcc accepts a text; for Rust there is no second compiler.
    pub(crate) fn second_opinion(&self, text: &str, language: Language) {
        if language == Language::C {
            let mut gcc = Command::new("gcc");
            gcc.args(["-fsyntax-only", "-std=gnu11", "-w"]);
            succeeds(gcc.arg(self.source(text, language)), text);
        }
    }

    /// Whether the assembler of another machine accepts a text in C without headers, if clang was
    /// built for it.
    pub(crate) fn assemble(&self, text: &str, target: &str) {
        let output = Command::new("clang").arg("--print-targets").output();
        let targets = output.expect("clang, which others need too").stdout;
        let family = if target.starts_with("arm") { "arm" } else { target };
        let is_it = |line: &str| line.split_whitespace().next() == Some(family);
        if !String::from_utf8_lossy(&targets).lines().any(is_it) {
            return;
        }
        let mut clang = Command::new("clang");
        clang.args(["-c", "-w", "-ffreestanding", &format!("--target={target}-none-elf")]);
        let output = self.0.join("out.o");
        succeeds(clang.arg("-o").arg(output).arg(self.source(text, Language::C)), text);
    }

    /// What a program prints, and how it ends.
    pub(crate) fn run(&self, text: &str, language: Language) -> (String, Option<i32>) {
        let program = self.0.join("program");
        let mut command = match language {
            Language::C => {
                let mut clang = Command::new("clang");
                clang.args(["-O0", "-w", "-pthread"]);
                clang
            }
            Language::Rust(edition) => rustc(edition),
        };
        succeeds(command.arg("-o").arg(&program).arg(self.source(text, language)), text);
        let output = Command::new(program).output().expect("a program just compiled");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    }

    fn source(&self, text: &str, language: Language) -> PathBuf {
        let name = match language {
            Language::C => "text.c",
            Language::Rust(_) => "text.rs",
        };
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

fn rustc(edition: Edition) -> Command {
    let mut rustc = Command::new("rustc");
    rustc.args(["--cap-lints=allow", "-C", "codegen-units=1"]);
    rustc.args(match edition {
        Edition::UpTo2021 => ["--edition", "2021"],
        Edition::From2024 => ["--edition", "2024"],
    });
    rustc
}

fn succeeds(command: &mut Command, text: &str) {
    let Output { status, stderr, .. } = command
        .output()
        .unwrap_or_else(|error| panic!("install {}: {error}", command.get_program().display()));
    assert!(status.success(), "{}\n{text}", String::from_utf8_lossy(&stderr));
}

/// The texts of this folder, each in every language that it is written in.
pub(crate) const TEXTS: &[(&str, &str, Language)] = &[
    ("control.c", include_str!("../texts/control.c"), Language::C),
    ("queue.c", include_str!("../texts/queue.c"), Language::C),
    ("control.rs", include_str!("../texts/control.rs"), Language::Rust(Edition::UpTo2021)),
    ("control.rs", include_str!("../texts/control.rs"), Language::Rust(Edition::From2024)),
    ("deque.rs", include_str!("../texts/deque.rs"), Language::Rust(Edition::UpTo2021)),
];
