//! The tests of a Rust crate that was compiled with its test harness.
//!
//! There `main` gives a table of all tests to `test::test_main_static`, which has no body here. Each
//! entry of the table names a closure that calls the test and then judges what it returns. A test is a
//! program of its own: the harness runs it in a thread of its own, and `cargo test NAME` alone.

use llvm::Module;

use crate::library::{nearest, referred_to, shim_of};
use linkage::{Item, Linked};

/// A function marked `#[test]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The function, by its path with the crate.
    pub function: String,
    /// Where its debug information says that it is.
    pub file: String,
    /// The line there.
    pub line: u32,
    /// Whether it returns something by which the harness judges it.
    pub returns: bool,
}

impl Test {
    /// The name that the harness gives it: its path without the crate.
    pub fn name(&self) -> &str {
        self.function.split_once("::").map_or(self.function.as_str(), |(_, rest)| rest)
    }
}

/// The tests of modules, by their names; nothing if they were compiled without a test harness.
pub fn tests(modules: &[Module]) -> Option<Vec<Test>> {
    let linked = Linked::new(modules).ok()?;
    let is_harness = |item: &Item| {
        let name = llvm::demangled(linked.name(*item));
        name.is_some_and(|name| name.starts_with("test::test_main_static"))
    };
    // `main` refers to the harness and to its table.
    let main = linked.all_items().find(|item| {
        let symbols = referred_to(&linked, *item);
        symbols.iter().any(|symbol| is_harness(&linked.resolve(item.module, *symbol)))
    })?;
    let table = |item: Item| {
        let symbols = referred_to(&linked, item).into_iter();
        symbols.map(move |symbol| Item { module: item.module, symbol }).collect::<Vec<_>>()
    };
    let entries = table(main).into_iter().flat_map(table);
    let mut tests: Vec<Test> = entries
        .flat_map(|entry| table(entry).into_iter().filter_map(|item| test(&linked, item)))
        .collect();
    tests.sort_by(|one, other| one.function.cmp(&other.function));
    Some(tests)
}

/// The test that the shim of a closure of the harness calls.
fn test(linked: &Linked<'_>, shim: Item) -> Option<Test> {
    let name = llvm::demangled(linked.name(shim))?;
    let function = shim_of(&name)?.strip_suffix("::{closure#0}")?.to_owned();
    let called = |item: &Item| llvm::demangled(linked.name(*item));
    let item = nearest(linked, shim, |item| called(item).as_ref() == Some(&function))?;
    let judged = nearest(linked, shim, |item| {
        called(item).is_some_and(|name| name.starts_with("test::assert_test_result"))
    });
    let returns =
        judged.and_then(|item| called(&item)).is_none_or(|name| !name.ends_with("::<()>"));
    let debug = linked.function(item)?.debug?;
    let metadata = &linked.module(item.module).metadata;
    let line = metadata.node(debug)?.number("line").and_then(|line| u32::try_from(line).ok());
    Some(Test { function, file: metadata.file(debug)?, line: line.unwrap_or(0), returns })
}
