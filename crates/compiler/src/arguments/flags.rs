//! Which flags of a build matter for the IR.
//!
//! The command line was written for another compiler, often GCC, and for another purpose. Of its
//! flags those are kept that decide what the source says: where headers are, macros, the dialect,
//! the machine, and the few `-f` flags that change the meaning of the language. Everything else
//! (outputs, warnings, optimisation, debug information, sanitizers, linking) is ours to decide or
//! does not matter, and much of it clang would refuse. So flags are kept by name, and an unknown one
//! is dropped.

/// What happens to a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    /// The next word is its operand.
    KeptWithNext,
    Dropped,
    /// The next word is its operand.
    DroppedWithNext,
}

/// What happens to a flag that does not say what is compiled or linked.
pub(super) fn fate(word: &str) -> Fate {
    if DROPPED_WITH_OPERAND.contains(&word) {
        Fate::DroppedWithNext
    } else if KEPT_WITH_OPERAND.contains(&word) {
        Fate::KeptWithNext
    } else if is_kept(word) {
        Fate::Kept
    } else {
        Fate::Dropped
    }
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
