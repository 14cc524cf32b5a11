//! Names that Promela and the C program that Spin makes of it both accept.

use std::collections::BTreeSet;

/// Words of Promela, words of C, and lower-case macros of Spin's verifier.
const RESERVED: &[&str] = &[
    "active",
    "assert",
    "atomic",
    "auto",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "case",
    "chan",
    "char",
    "const",
    "continue",
    "d_step",
    "d_proctype",
    "default",
    "do",
    "double",
    "else",
    "empty",
    "enabled",
    "enum",
    "errno",
    "eval",
    "extern",
    "false",
    "fi",
    "final",
    "float",
    "for",
    "full",
    "get_priority",
    "getframe",
    "goto",
    "hidden",
    "iam_alive",
    "if",
    "in",
    "init",
    "inline",
    "int",
    "len",
    "linux",
    "local",
    "long",
    "ltl",
    "max",
    "mix",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "q_sz",
    "rand",
    "register",
    "return",
    "rot",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "signed",
    "sizeof",
    "skip",
    "static",
    "struct",
    "switch",
    "timeout",
    "trace",
    "true",
    "typedef",
    "uchar",
    "ulong",
    "union",
    "unix",
    "unless",
    "unsigned",
    "ushort",
    "void",
    "volatile",
    "wasnew",
    "while",
    "xr",
    "xs",
];

/// A name as like `name` as possible that nothing else has. Names in capitals are left to the
/// verifier's macros, and names that begin with `_` to Promela.
pub(super) fn legal(name: &str, taken: &mut BTreeSet<String>) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut legal: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if !legal.starts_with(|c: char| c.is_ascii_alphabetic()) {
        legal.insert(0, 'v');
    }
    if RESERVED.contains(&legal.as_str()) || !legal.contains(|c: char| c.is_ascii_lowercase()) {
        legal.push_str("_v");
    }
    let base = legal.clone();
    let mut number = 1;
    while !taken.insert(legal.clone()) {
        number += 1;
        legal = format!("{base}_{number}");
    }
    legal
}
