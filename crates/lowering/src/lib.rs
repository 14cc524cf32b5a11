//! From LLVM modules of C and Rust to one [`program::Program`].
//!
//! Modules are linked by symbol ([`link`]); every thread is walked from its entry with all calls in it
//! ([`thread`], [`step`], [`call`]) and what runs before it ([`startup`]); locals whose address does not
//! get about become registers ([`private`]); everything else lives in flat memory by bytes ([`object`]),
//! in which pointers are followed ([`flow`]) to find out which bytes form cells ([`cells`]). What library
//! functions do is written down in [`library`]. Accesses and fences keep the orders that the source gives them.
//!
//! This crate explores nothing, starts no compiler and reads no files: it is given modules, and asks
//! for source texts to say where things stand.

mod asm;
mod call;
mod cells;
mod copy;
mod float;
mod flow;
mod function;
mod harness;
mod image;
mod initial;
mod library;
mod link;
mod object;
mod path;
mod position;
mod private;
mod program_of;
mod startup;
mod step;
mod targets;
mod thread;
mod uses;
mod value;
mod world;

use llvm::Module;
use program::{Diagnostic, Diagnostics, Program, Sources, Span};

use crate::cells::Cells;
use crate::flow::Flows;
use crate::link::{Item, Linked};
use crate::position::Positions;
use crate::startup::Startup;
use crate::thread::Walked;
use crate::world::{Argument, FIRST_THREAD, ThreadSpec, World};

pub use crate::harness::{Test, tests};
pub use crate::position::Texts;

/// How far the translation goes where a program has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How often a function may be under way more than once in one chain of calls.
    pub recursion: u32,
    /// How often one call of an allocator may be made by one thread.
    pub allocations: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { recursion: 4, allocations: 4 }
    }
}

/// A thread that a user asks for: a function, what it is given, how many copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The function.
    pub function: String,
    /// Its arguments: integers and names of variables.
    pub arguments: Vec<EntryArgument>,
    /// How many threads run it.
    pub copies: u32,
    /// Whether the other threads begin only when it has ended: at most one does.
    pub is_first: bool,
}

/// What a user gives a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryArgument {
    /// An integer.
    Number(program::Value),
    /// The address of a global variable.
    AddressOf(String),
}

/// What is known of a program after it was translated.
#[derive(Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// Functions without a body that are not known either, and what was assumed of each.
    pub assumptions: Vec<(String, String)>,
}

/// More rounds than any program should need to be understood.
const MOST_ROUNDS: usize = 100;

/// The program that modules describe: from `main`, or from `entries` if there are any.
pub fn lower(
    name: &str,
    modules: &[Module],
    entries: &[Entry],
    bounds: Bounds,
    texts: &mut dyn Texts,
    sources: &mut Sources,
) -> Result<Lowered, Diagnostics> {
    let linked = Linked::new(modules)?;
    let mut world = World::new(&linked, Positions::new(texts, sources), bounds);
    let mut roots = roots(&mut world, entries)?;
    world.startup = Startup::new(&linked)?;
    world.startup.attach(&mut roots, entries.is_empty());
    world.roots.clone_from(&roots);
    world.runs_main = entries.is_empty();
    for _ in 0..MOST_ROUNDS {
        world.facts.is_new = false;
        world.errors.clear();
        world.assumptions.clear();
        world.threads.clone_from(&roots);
        let mut walked: Vec<Walked> = Vec::new();
        let mut next = 0;
        while let Some(spec) = world.threads.get(next).cloned() {
            next += 1;
            match thread::walk(&mut world, spec) {
                Some(thread) => walked.push(thread),
                None => break,
            }
        }
        if walked.len() < world.threads.len() {
            if world.errors.is_empty() && world.facts.is_new {
                continue;
            }
            return Err(std::mem::take(&mut world.errors));
        }
        let too_large: Diagnostics = world
            .objects
            .iter()
            .filter(|(_, object)| object.is_too_large())
            .map(|(_, object)| {
                Diagnostic::new(
                    object.span,
                    format!("`{}` is too large for any memory", object.name),
                )
                .help("make it smaller for the check")
            })
            .collect();
        if !too_large.is_empty() {
            return Err(too_large);
        }
        let templates: Vec<&program::Template> = walked.iter().map(|one| &one.template).collect();
        let indexed = walked.iter().map(|one| &one.indexed).collect();
        let flows = Flows::new(&world.objects, &templates, indexed);
        let mut learnt = Vec::new();
        for (thread, one) in walked.iter().enumerate() {
            for (key, pointer) in &one.pointers {
                learnt.push((*key, flows.of(thread, pointer).places));
            }
        }
        let touches = flows.touches(&walked);
        let cells = Cells::new(&world.objects, &templates, &touches, &world.facts.guards);
        for (key, places) in learnt {
            let known = world.facts.targets.entry(key).or_default();
            world.facts.is_new |= known.extend(&places);
        }
        for (point, ranges) in cells.guards {
            let known = world.facts.guards.entry(point).or_default();
            for range in ranges {
                if !known.contains(&range) {
                    known.push(range);
                    world.facts.is_new = true;
                }
            }
        }
        let known = world.facts.cells.len();
        world.facts.cells.retain(|object, _| cells.found.contains_key(object));
        world.facts.is_new |= world.facts.cells.len() < known;
        for (object, found) in &cells.found {
            // Cells that only copies made give way to those that the program accesses.
            let known = world.facts.cells.entry(*object).or_default();
            if known != found {
                known.clone_from(found);
                world.facts.is_new = true;
            }
        }
        if world.facts.is_new {
            continue;
        }
        for error in cells.errors {
            world.error(error);
        }
        if !world.errors.is_empty() {
            return Err(std::mem::take(&mut world.errors));
        }
        let assumptions = std::mem::take(&mut world.assumptions).into_iter().collect();
        let program = program_of::assemble(name, &world, walked, &cells.found)?;
        return Ok(Lowered { program, assumptions });
    }
    Err(vec![Diagnostic::new(Span::NONE, "the program's use of pointers is not understood")])
}

fn roots(world: &mut World<'_, '_>, entries: &[Entry]) -> Result<Vec<ThreadSpec>, Diagnostics> {
    if entries.is_empty() {
        let Some(entry) = main_function(world.linked) else {
            return Err(vec![Diagnostic::new(Span::NONE, "there is no function `main`").help(
                "say which functions threads run: `--thread 'producer*2' --thread consumer`",
            )]);
        };
        return Ok(vec![ThreadSpec {
            number: FIRST_THREAD,
            name: "main".to_owned(),
            entry,
            arguments: vec![Argument::Constant(1), Argument::Constant(0)],
            copies: 1,
            is_created: false,
            result: None,
        }]);
    }
    let mut specs = Vec::new();
    let has_first = entries.iter().any(|entry| entry.is_first);
    for (entry, number) in entries.iter().zip(FIRST_THREAD..) {
        let missing = |name: &str, what: &str| {
            vec![Diagnostic::new(Span::NONE, format!("there is no {what} `{name}`"))]
        };
        let item = find_function(world.linked, &entry.function)
            .ok_or_else(|| missing(&entry.function, "function"))?;
        let mut arguments = Vec::new();
        for argument in &entry.arguments {
            arguments.push(Argument::Constant(match argument {
                EntryArgument::Number(value) => *value,
                EntryArgument::AddressOf(name) => {
                    let item = world
                        .linked
                        .all_items()
                        .find(|item| {
                            world.linked.name(*item) == name && world.linked.global(*item).is_some()
                        })
                        .ok_or_else(|| missing(name, "variable"))?;
                    let item = world.linked.resolve(item.module, item.symbol);
                    let object = world.symbol_object(item);
                    world.objects.get(object).base
                }
            }));
        }
        // Of a whole path the crate goes without saying.
        let symbol = world.linked.name(item);
        let is_whole = llvm::demangled(symbol).as_ref() == Some(&entry.function);
        let shown = if is_whole { library::shown(symbol) } else { entry.function.clone() };
        let is_taken = specs.iter().any(|spec: &ThreadSpec| spec.name == shown);
        let name = if is_taken { format!("{shown}#{number}") } else { shown };
        specs.push(ThreadSpec {
            number,
            name,
            entry: item,
            arguments,
            copies: entry.copies,
            is_created: has_first && !entry.is_first,
            result: None,
        });
    }
    Ok(specs)
}

/// `main` of C, or what Rust's start-up code calls.
fn main_function(linked: &Linked<'_>) -> Option<Item> {
    let rust = linked.all_items().find(|item| {
        linked.function(*item).is_some_and(|function| !function.blocks.is_empty())
            && llvm::demangled(linked.name(*item)).is_some_and(|name| {
                let mut parts = name.split("::");
                parts.clone().count() == 2 && parts.nth(1) == Some("main")
            })
    });
    rust.or_else(|| linked.defined_function("main"))
}

fn find_function(linked: &Linked<'_>, name: &str) -> Option<Item> {
    let only = |fits: &dyn Fn(&str) -> bool| {
        let mut found = linked.all_items().filter(|item| {
            linked.function(*item).is_some_and(|function| !function.blocks.is_empty())
                && llvm::demangled(linked.name(*item)).is_some_and(|full| fits(&full))
        });
        let first = found.next()?;
        found.next().is_none().then_some(first)
    };
    let suffix = format!("::{name}");
    linked
        .defined_function(name)
        .or_else(|| only(&|full| full == name))
        .or_else(|| only(&|full| full.ends_with(&suffix)))
}
