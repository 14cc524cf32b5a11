//! From LLVM modules of C and Rust to one [`program::Program`].
//!
//! Modules are linked by symbol ([`linkage`]); every thread is walked from its entry with all calls in it
//! ([`thread`], [`step`], [`call`]) and what runs before it ([`startup`]); locals whose address does not
//! get about become registers ([`private`]); everything else lives in flat memory by bytes ([`object`]),
//! in which pointers are followed ([`flow`]) to find out which bytes form cells ([`cells`]). What library
//! functions do is written down in [`library`], some in C ([`bodies`]), and what a program finds outside of itself may be anything
//! ([`outside`], [`linkage::summary`]). Accesses and fences keep the orders that the source gives them.
//!
//! This crate explores nothing, starts no compiler and reads no files: it is given modules, and asks
//! for source texts to say where things stand.

mod agenda;
mod amounts;
mod asm;
mod assemble;
mod bodies;
mod call;
mod cells;
mod copy;
mod entry;
mod float;
mod flow;
mod function;
mod harness;
mod image;
mod initial;
mod library;
mod life;
mod object;
mod outside;
mod path;
mod private;
mod startup;
mod step;
mod targets;
mod thread;
mod uses;
mod value;
mod world;

use std::collections::BTreeMap;

use linkage::{Linked, Positions};
use llvm::Module;
use program::{Diagnostic, Diagnostics, Program, Sources, Span};

use crate::cells::Cells;
use crate::flow::Flows;
use crate::startup::Startup;
use crate::thread::Walked;
use crate::world::World;

pub use crate::harness::{Test, tests};
pub use crate::library::REFUSED;
pub use crate::life::{Life, life};
pub use linkage::{Effect, Returned, Summary, Texts};

/// How far the translation goes where a program has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How often a function may be under way more than once in one chain of calls.
    pub recursion: u32,
    /// How often one call of an allocator may be made by one thread.
    pub allocations: u32,
    /// How many threads one thread may create at one place.
    pub threads: u32,
    /// How many different amounts of memory, not known beforehand, one place may allocate, copy or fill.
    pub amounts: u32,
}

impl Bounds {
    /// How many threads may be created in all: a thread that creates others of its kind has no end.
    pub(crate) fn all_threads(self) -> u32 {
        self.threads.saturating_mul(4).min(192)
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self { recursion: 4, allocations: 4, threads: 16, amounts: 4 }
    }
}

/// What is made of memory that a program gives back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lifetimes {
    /// Nothing: it is not used again, and an access to it is not noticed.
    #[default]
    Ignored,
    /// To access it, or to give it back once more, is an error of the program.
    Checked,
    /// The same, but the allocator may give it out again.
    Reused,
}

/// What becomes of a thread that takes a lock which it holds already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relocking {
    /// It fails: an error of the program, whatever the other threads do.
    #[default]
    Fails,
    /// It waits forever: a deadlock as soon as nobody else can take a step. For questions about deadlocks alone,
    /// which an error would hide.
    Hangs,
}

/// What a program runs in, and how far it is followed.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// What is made of memory that is given back.
    pub lifetimes: Lifetimes,
    /// What becomes of a thread that takes a lock which it holds already.
    pub relocking: Relocking,
    /// Whether a thread that spins in a loop without effect waits, so that doing so for ever is a deadlock.
    pub spinning_is_waiting: bool,
    /// How far the translation goes.
    pub bounds: Bounds,
    /// The arguments that the program is started with, if not just any; its name is the first.
    pub arguments: Option<Vec<String>>,
    /// What functions do that have no body.
    pub summaries: Vec<Summary>,
    /// The functions whose calls and returns make histories.
    pub operations: Vec<String>,
}

impl Environment {
    /// Whether the question is about what a program does wrong: with memory that is gone, with locks and threads.
    pub(crate) fn finds_misuse(&self) -> bool {
        match self.lifetimes {
            Lifetimes::Ignored => false,
            Lifetimes::Checked | Lifetimes::Reused => true,
        }
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
    /// The identity of the copy: 1, 2 and so on.
    Identity,
}

/// What is known of a program after it was translated.
#[derive(Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// Functions that are called and have no body: they may do anything that they could.
    pub unknown: Vec<String>,
    /// Functions that may fail, and of which the program goes on then: where each is called first.
    pub fallible: BTreeMap<String, Span>,
    /// The summaries, as they were stated, on which everything rests.
    pub assumed: Vec<String>,
    /// Whether values of local variables leave the program: they are printed, or otherwise given to a function
    /// without a body, or returned by `main` or by a thread that a user asked for.
    pub shows_locals: bool,
    /// Accesses that are made in a function whose text is not the author's, by the numbers of their templates and
    /// edges, with its name.
    pub foreign: BTreeMap<(usize, usize), String>,
}

/// More rounds than any program should need to be understood.
const MOST_ROUNDS: usize = 100;

/// The program that modules describe: from `main`, or from `entries` if there are any.
pub fn lower(
    name: &str,
    modules: &[Module],
    entries: &[Entry],
    environment: &Environment,
    texts: &mut dyn Texts,
    sources: &mut Sources,
) -> Result<Lowered, Diagnostics> {
    lower_until(name, modules, entries, environment, (texts, sources), &|| false)
}

/// The same, unless a limit is reached meanwhile: `is_over` is asked before every small step, and after it has said
/// so the errors say nothing of the program.
pub fn lower_until(
    name: &str,
    modules: &[Module],
    entries: &[Entry],
    environment: &Environment,
    (texts, sources): (&mut dyn Texts, &mut Sources),
    is_over: &dyn Fn() -> bool,
) -> Result<Lowered, Diagnostics> {
    let is_stated = |name: &str| {
        environment
            .summaries
            .iter()
            .any(|summary| linkage::named::is_meant(&summary.function, name))
    };
    // What the user says of a function counts more than what is known of it.
    let is_wanted = |name: &str| bodies::fits(name, modules) && !is_stated(name);
    let linked = Linked::beside(modules, bodies::modules(), is_wanted)?;
    let mut world = World::new(&linked, Positions::new(texts, sources), environment, is_over);
    entry::summaries_are_of_use(&linked, &environment.summaries)?;
    world.operations = entry::operations(&linked, &environment.operations)?;
    let mut roots = entry::roots(&mut world, entries)?;
    world.startup = Startup::new(&linked)?;
    world.startup.attach(&mut roots, entries.is_empty());
    world.roots.clone_from(&roots);
    world.runs_main = entries.is_empty();
    for _ in 0..MOST_ROUNDS {
        world.facts.is_new = false;
        world.errors.clear();
        world.unknown.clear();
        world.fallible.clear();
        world.shows_locals = false;
        world.summaries.used.clear();
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
        if is_over() {
            return Err(stopped());
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
        let flows = Flows::new(&world.objects, &templates, indexed, is_over);
        if is_over() {
            return Err(stopped());
        }
        let mut learnt = Vec::new();
        for (thread, one) in walked.iter().enumerate() {
            for (key, pointer) in &one.pointers {
                learnt.push((*key, flows.of(thread, pointer).places.clone()));
            }
        }
        let most = environment.bounds.amounts;
        world.facts.learn_amounts(most, (&flows, &world.objects), &walked);
        let touches = flows.touches(&walked);
        let cells = Cells::new(&world.objects, &templates, &touches, &world.facts.regions);
        for (key, places) in learnt {
            let known = world.facts.targets.entry(key).or_default();
            world.facts.is_new |= known.extend(&places);
        }
        world.facts.learn_cells(&cells);
        world.learn_of_touches(&templates, &touches);
        world.forget_absent_threads();
        if world.facts.is_new {
            continue;
        }
        for error in cells.errors {
            world.error(error);
        }
        if !world.errors.is_empty() {
            return Err(std::mem::take(&mut world.errors));
        }
        entry::summaries_were_used(&world)?;
        let foreign = foreign(&world, &walked);
        let program = assemble::assemble(name, &world, walked, &cells.found)?;
        let unknown = std::mem::take(&mut world.unknown).into_iter().collect();
        let fallible = std::mem::take(&mut world.fallible);
        let assumed = environment.summaries.iter().map(|one| one.text.clone()).collect();
        let shows_locals = world.shows_locals;
        return Ok(Lowered { program, unknown, fallible, assumed, shows_locals, foreign });
    }
    Err(vec![Diagnostic::new(Span::NONE, "the program's use of pointers is not understood")])
}

fn stopped() -> Diagnostics {
    vec![Diagnostic::new(Span::NONE, "a limit was reached while the program was translated")]
}

/// The accesses that are made in functions whose texts are not the author's.
fn foreign(world: &World<'_, '_>, walked: &[Walked]) -> BTreeMap<(usize, usize), String> {
    let mut found = BTreeMap::new();
    for (template, one) in walked.iter().enumerate() {
        for (edge, origin) in one.origins.iter().enumerate() {
            if let Some(owner) = origin.owner {
                found.insert((template, edge), library::readable(world.linked.name(owner)));
            }
        }
    }
    found
}
