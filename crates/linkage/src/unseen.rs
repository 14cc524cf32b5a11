//! What would take part in a program although no function says so, and is refused for that reason.
//!
//! Linkers collect constructors and destructors from `llvm.global_ctors` and `llvm.global_dtors`
//! ([`crate::Linked::collected`]), but whatever is put into the sections behind these lists runs as well. And
//! assembly outside of functions may do anything with what it names: put it into such a section, define it
//! again, read and change it. What it does not name it cannot reach.

use std::collections::HashSet;

use llvm::{Module, SymbolKind};
use program::{Diagnostic, Diagnostics, Span};

/// Sections of functions that run before `main` or after it; priorities may follow.
const RUN: [&str; 7] =
    [".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors", ".init", ".fini"];
/// Directives of assemblers that say nothing of what a symbol is.
const HARMLESS: [&str; 11] = [
    ".symver",
    ".globl",
    ".global",
    ".weak",
    ".hidden",
    ".protected",
    ".internal",
    ".local",
    ".type",
    ".size",
    ".ident",
];

/// An error for everything in the modules that runs or changes something unseen.
pub(crate) fn refused(modules: &[Module]) -> Diagnostics {
    let mut errors = Vec::new();
    for module in modules {
        for symbol in &module.symbols {
            let SymbolKind::Global(global) = &symbol.kind else { continue };
            if let Some(section) = global.section.as_deref().filter(|one| runs(one)) {
                let message = format!(
                    "`{}` of {} stands in the section `{section}`: what it points to runs before or after `main`",
                    crate::readable(&symbol.name),
                    module.source_filename
                );
                errors.push(Diagnostic::new(Span::NONE, message).help(
                    "mark the function itself with `__attribute__((constructor))` or `destructor`",
                ));
            }
        }
    }
    if modules.iter().all(|module| module.assembly.is_empty()) {
        return errors;
    }
    let defined: HashSet<&str> = modules
        .iter()
        .flat_map(|module| &module.symbols)
        .filter(|symbol| match &symbol.kind {
            SymbolKind::Global(global) => global.initialiser.is_some(),
            SymbolKind::Function(function) => !function.blocks.is_empty(),
            SymbolKind::Alias(_) | SymbolKind::IFunc(_) => true,
            SymbolKind::Unknown => false,
        })
        .map(|symbol| symbol.name.as_str())
        .collect();
    for module in modules {
        let mut lines = module.assembly.iter().flat_map(|text| text.split(['\n', ';']));
        if let Some((line, name)) = lines.find_map(|line| Some((line, named(line, &defined)?))) {
            let message = format!(
                "assembly outside of functions names `{name}` ({}): `{}`",
                module.source_filename,
                line.trim()
            );
            errors.push(
                Diagnostic::new(Span::NONE, message)
                    .help("what it does is not known; write it in C or Rust for the check"),
            );
        }
    }
    errors
}

fn runs(section: &str) -> bool {
    RUN.iter().any(|one| {
        section.strip_prefix(one).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// What a line of assembly names of the program, unless it says nothing of it.
fn named<'l>(line: &'l str, defined: &HashSet<&str>) -> Option<&'l str> {
    let first = line.split_whitespace().next()?;
    if HARMLESS.contains(&first) || line.trim_start().starts_with('#') {
        return None;
    }
    let is_part = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '.' | '$');
    line.split(move |one: char| !is_part(one)).find(|word| defined.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "@x = global i32 0\ndefine void @hook() {\n  ret void\n}\n";

    fn errors(more: &str) -> Vec<String> {
        let module = llvm::parse(&format!("source_filename = \"a.c\"\n{more}{PROGRAM}"));
        let modules = [module.expect("LLVM IR")];
        refused(&modules).into_iter().map(|error| error.message).collect()
    }

    #[test]
    fn what_runs_or_changes_something_unseen_is_refused() {
        let table = [
            ("", ""),
            ("@p = internal global ptr @hook, section \".init_array\", align 8\n", ".init_array"),
            ("@p = internal global ptr @hook, section \".fini_array.00100\"\n", ".fini_array"),
            ("@p = internal global ptr @hook, section \".ctors\"\n", ".ctors"),
            ("@p = internal global ptr @hook, section \".initial\"\n", ""),
            ("@p = internal global ptr @hook, section \"hooks\"\n", ""),
            ("module asm \".section .init_array\"\nmodule asm \".quad hook\"\n", "names `hook`"),
            ("module asm \"other: movl $1, x(%rip); ret\"\n", "names `x`"),
            ("module asm \"other = hook\"\n", "names `hook`"),
            ("module asm \".symver hook, hook@V1\"\nmodule asm \".globl x\"\n", ""),
            ("module asm \"other: movl $1, xx(%rip)\"\nmodule asm \"# x\"\n", ""),
        ];
        for (text, expected) in table {
            let errors = errors(text);
            assert_eq!(errors.is_empty(), expected.is_empty(), "{text}: {errors:?}");
            assert!(errors.iter().all(|error| error.contains(expected)), "{text}: {errors:?}");
        }
    }
}
