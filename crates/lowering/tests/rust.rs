//! Rust programs end as Rust says they do.
//!
//! Each program in `tests/rust` begins with what is expected of it: the static variables that are looked
//! at, their final values under SC and under TSO, under which of the two something can fail, and for a
//! library which functions threads run; or else how the error begins, or what the bound of the translation
//! is that can be reached. The real rustc compiles it, and the oracle enumerates what the translated program can do.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use compiler::{Input, Request};
use lowering::{Entry, Lowered};
use oracle::{Limits, MemoryModel};
use program::index::{EdgeId, Idx};
use program::{Program, Sources, Value};

/// What a program says about itself.
struct Expected {
    variables: Vec<String>,
    finals: [(MemoryModel, BTreeSet<Vec<Value>>); 2],
    failing: Vec<MemoryModel>,
}

/// The rest of a line of the form `// key: …`, if there is one.
fn find_line<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let start = format!("// {key}: ");
    text.lines().find_map(|line| line.strip_prefix(&start))
}

fn line<'t>(text: &'t str, key: &str) -> &'t str {
    find_line(text, key).unwrap_or_else(|| panic!("the program says nothing about `{key}`"))
}

/// The functions of a library that threads run, each once.
fn entries(text: &str) -> Vec<Entry> {
    let functions = find_line(text, "threads").into_iter().flat_map(|line| line.split(' '));
    let entry = |function: &str| Entry {
        function: function.to_owned(),
        arguments: Vec::new(),
        copies: 1,
        is_first: false,
    };
    functions.map(entry).collect()
}

fn expected(text: &str) -> Expected {
    let states = |key| -> BTreeSet<Vec<Value>> {
        let number = |text: &str| text.parse().expect("values are numbers");
        line(text, key).split(' ').map(|state| state.split(',').map(number).collect()).collect()
    };
    Expected {
        variables: line(text, "sees").split(' ').map(str::to_owned).collect(),
        finals: [(MemoryModel::Sc, states("sc")), (MemoryModel::Tso, states("tso"))],
        failing: match line(text, "fails") {
            "never" => Vec::new(),
            "tso" => vec![MemoryModel::Tso],
            "always" => vec![MemoryModel::Sc, MemoryModel::Tso],
            other => panic!("`{other}` is not when something fails"),
        },
    }
}

/// Source texts are not needed to run a program.
struct NoTexts;

impl lowering::Texts for NoTexts {
    fn text(&mut self, _file: &str) -> Option<(String, String, patch::Language)> {
        None
    }
}

fn lower(file: &Path, entries: &[Entry]) -> Result<Lowered, String> {
    let folder = file.parent().expect("a file in a folder").to_owned();
    let mut request = Request::new(vec![Input::Rust(file.to_owned())], folder);
    request.cache = compiler::Cache::Off;
    let compiled = compiler::compile(&request).map_err(|failure| failure.to_string())?;
    let parse = |module: &compiler::Module| llvm::parse(&module.text);
    let modules: Result<Vec<_>, _> = compiled.modules.iter().map(parse).collect();
    let modules = modules.map_err(|error| error.to_string())?;
    let environment = lowering::Environment::default();
    let mut sources = Sources::new();
    lowering::lower("program", &modules, entries, &environment, &mut NoTexts, &mut sources)
        .map_err(|errors| errors.into_iter().map(|error| error.message + "\n").collect())
}

/// The final values of variables.
fn finals(
    program: &Program,
    variables: &[String],
    model: MemoryModel,
) -> Result<BTreeSet<Vec<Value>>, String> {
    let states = oracle::final_states(program, model, &Limits::default())
        .map_err(|exceeded| format!("{exceeded:?}"))?;
    let address = |name: &String| {
        let location = program.memory().locations().iter().find(|one| one.name == *name);
        location.map(|one| one.base).ok_or_else(|| format!("there is no variable `{name}`"))
    };
    let addresses: Result<Vec<Value>, String> = variables.iter().map(address).collect();
    let addresses = addresses?;
    let see = |state: &oracle::Configuration| {
        let cell = |at: &Value| state.see(program, program::Observable::Cell(*at));
        addresses.iter().map(cell).collect()
    };
    Ok(states.iter().map(see).collect())
}

/// What is wrong with the translation of a program; nothing if it is as expected.
fn wrong(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("a program");
    let lowered = match (lower(file, &entries(&text)), find_line(&text, "error")) {
        (Ok(lowered), None) => lowered,
        (Err(message), Some(expected)) if message.starts_with(expected) => return Vec::new(),
        (Err(message), _) => return vec![message],
        (Ok(_), Some(expected)) => return vec![format!("no error: {expected}")],
    };
    if let Some(bound) = find_line(&text, "undecided") {
        let found = oracle::final_states(&lowered.program, MemoryModel::Sc, &Limits::default());
        let templates = lowered.program.templates().iter();
        let mut bounds = templates
            .flat_map(|one| (0..one.edges().len()).filter_map(|at| one.bound(EdgeId::new(at))));
        let is_reached = found.is_err_and(|exceeded| exceeded == oracle::Exceeded::Overflow);
        let is_there = bounds.any(|one| one == bound);
        return if is_reached && is_there {
            Vec::new()
        } else {
            vec![format!("no bound: {bound}")]
        };
    }
    let expected = expected(&text);
    let mut wrong: Vec<String> =
        lowered.unknown.iter().map(|function| format!("calls {function}")).collect();
    for (model, states) in expected.finals {
        match finals(&lowered.program, &expected.variables, model) {
            Ok(found) if found == states => {}
            found => wrong.push(format!("{model:?}: {found:?} and not {states:?}")),
        }
        let faults = oracle::reachable_faults(&lowered.program, model, &Limits::default());
        let fails = faults.map(|faults| !faults.is_empty());
        if fails != Ok(expected.failing.contains(&model)) {
            wrong.push(format!("{model:?}: fails {fails:?}"));
        }
    }
    wrong
}

#[test]
fn programs_end_as_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rust");
    let entries = std::fs::read_dir(&folder).expect("the folder of programs");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let mut all = Vec::new();
    for file in files {
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        all.extend(wrong(&file).into_iter().map(|wrong| format!("{name}: {wrong}")));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
