//! What clang and rustc write is understood to the last instruction, and nothing of it is lost: our
//! printing says the same, line by line, as the compiler's own text.

mod normal;
mod support;

use std::collections::BTreeMap;

use llvm::{Module, Operation, SymbolKind, Value};
use support::{C_FLAGS, RUST_FLAGS, clangs, compile_c, compile_rust, files};

#[test]
fn what_clang_writes() {
    for (_, clang) in clangs() {
        for file in files("c", "c") {
            for flags in C_FLAGS {
                let text = compile_c(&clang, &file, flags);
                let lines = check(&format!("{} with {clang} {flags:?}", file.display()), &text);
                assert!(lines > 20, "{}", file.display());
            }
        }
    }
}

#[test]
fn what_rustc_writes() {
    for file in files("rust", "rs") {
        for flags in RUST_FLAGS {
            let text = compile_rust(&file, flags);
            let lines = check(&format!("{} with {flags:?}", file.display()), &text);
            assert!(lines > 500, "{}", file.display());
        }
    }
}

#[test]
#[ignore = "needs modules of real packages in the folder LLVM_IR"]
fn what_is_in_a_folder() {
    // Some modules are empty, but not all.
    let modules = support::real_modules();
    assert!(modules.iter().map(|(place, text)| check(place, text)).sum::<usize>() > 50);
}

/// Checks a module; how many lines of it were compared.
fn check(place: &str, text: &str) -> usize {
    let module = llvm::parse(text).unwrap_or_else(|error| panic!("{place}: {error}"));
    assert!(module.other.is_empty(), "{place}: {:?}", module.other);
    assert_eq!(counted_in(&module), counted_by_line(text), "{place}");
    types_agree(place, &module);
    let printed = llvm::print(&module);
    let (theirs, ours) = (normal::code(text), normal::code(&printed));
    for (theirs, ours) in theirs.iter().zip(&ours) {
        assert_eq!(theirs, ours, "{place}");
    }
    assert_eq!(theirs.len(), ours.len(), "{place}");
    let again = llvm::parse(&printed).unwrap_or_else(|error| panic!("{place}: {error}"));
    assert_eq!(printed, llvm::print(&again), "{place}");
    theirs.len()
}

/// Every use of a value has the type that its definition was found to have: the text says it only at
/// uses.
fn types_agree(place: &str, module: &Module) {
    for symbol in &module.symbols {
        let Some(function) = symbol.function() else { continue };
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            instruction.operation.for_each_value(&mut |ty, value| {
                let Value::Local(local) = value else { return };
                let local = &function.locals[local.index()];
                let (used, defined) = (module.types.get(ty), module.types.get(local.ty));
                assert_eq!(used, defined, "{place}: %{} in @{}", local.name, symbol.name);
            });
        }
    }
}

/// How many instructions of each kind there are, and how many variables are declared.
fn counted_in(module: &Module) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::from([("declared".to_owned(), 0)]);
    for symbol in &module.symbols {
        let SymbolKind::Function(function) = &symbol.kind else { continue };
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            *counts.entry(opcode(&instruction.operation).to_owned()).or_default() += 1;
        }
        *counts.entry("declared".to_owned()).or_default() += function.declared.len();
    }
    counts
}

fn counted_by_line(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::from([("declared".to_owned(), 0)]);
    let mut in_function = false;
    for line in text.lines() {
        let is_declaration = line.contains("call void @llvm.dbg.declare(metadata ")
            || line.trim_start().starts_with("#dbg_declare(");
        // Other addresses are constants.
        let address = line.replace(", metadata !", ", !");
        let address = address.split(", !").next().and_then(|before| before.rsplit(' ').next());
        if is_declaration && address.is_some_and(|address| address.starts_with('%')) {
            *counts.entry("declared".to_owned()).or_default() += 1;
        }
        if line.starts_with("define ") {
            in_function = true;
        } else if line == "}" {
            in_function = false;
        }
        // Instructions are indented by two spaces, what belongs to one by more.
        let Some(rest) = line.strip_prefix("  ").filter(|_| in_function) else { continue };
        if rest.starts_with([' ', ']', ';', '#']) || rest.contains("@llvm.dbg.") {
            continue;
        }
        let operation = match rest.split_once(" = ") {
            Some((result, operation)) if rest.starts_with('%') && !result.contains(' ') => {
                operation
            }
            _ => rest,
        };
        let mut words = operation.split([' ', ',']);
        let mut word = words.next().unwrap_or("");
        if ["tail", "musttail", "notail"].contains(&word) {
            word = words.next().unwrap_or("");
        }
        *counts.entry(word.to_owned()).or_default() += 1;
    }
    counts
}

fn opcode(operation: &Operation) -> &str {
    match operation {
        Operation::Alloca { .. } => "alloca",
        Operation::Load { .. } => "load",
        Operation::Store { .. } => "store",
        Operation::CompareExchange { .. } => "cmpxchg",
        Operation::AtomicRmw { .. } => "atomicrmw",
        Operation::Fence { .. } => "fence",
        Operation::GetElementPtr { .. } => "getelementptr",
        Operation::Binary { op, .. } => op.word(),
        Operation::FNeg(_) => "fneg",
        Operation::Compare { .. } => "icmp",
        Operation::FloatCompare { .. } => "fcmp",
        Operation::Cast { op, .. } => op.word(),
        Operation::Select { .. } => "select",
        Operation::Phi { .. } => "phi",
        Operation::Freeze(_) => "freeze",
        Operation::ExtractValue { .. } => "extractvalue",
        Operation::InsertValue { .. } => "insertvalue",
        Operation::ExtractElement { .. } => "extractelement",
        Operation::InsertElement { .. } => "insertelement",
        Operation::ShuffleVector { .. } => "shufflevector",
        Operation::VaArg { .. } => "va_arg",
        Operation::Call(_) => "call",
        Operation::Invoke { .. } => "invoke",
        Operation::CallBranch { .. } => "callbr",
        Operation::LandingPad { .. } => "landingpad",
        Operation::Branch(_) | Operation::ConditionalBranch { .. } => "br",
        Operation::Switch { .. } => "switch",
        Operation::IndirectBranch { .. } => "indirectbr",
        Operation::Return(_) => "ret",
        Operation::Resume(_) => "resume",
        Operation::Unreachable => "unreachable",
        Operation::Other(_) => "not understood",
    }
}
