//! All facts of a program, to be asked for, and the event graph made of them.

use events::{Graph, Instances};
use linkage::{Item, Library, Linked, Positions, Summary, Texts};
use llvm::{Linkage, Module, Operation};
use program::{Diagnostic, Diagnostics, Sources, Span};

use crate::access::Happening;
use crate::code::{Code, called, codes};
use crate::graph::Builder;
use crate::locations::{Locations, object_name};
use crate::locks::Locks;
use crate::object::{ObjectKind, Offset};
use crate::pointers::{Pointers, Purpose};
use crate::solver::ESCAPED;
use crate::threads::{Class, Threads};

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What functions without a body do, beside what is known of libraries.
    pub assumed: Vec<Summary>,
    /// The threads of a library; if there are none, `main`, or else every function that others can call, in
    /// any number of threads at once.
    pub threads: Vec<ThreadEntry>,
}

/// Threads that a user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadEntry {
    /// The function that they begin with.
    pub function: String,
    /// How many there can be.
    pub instances: Instances,
}

/// A class of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The function that they begin with.
    pub function: String,
    /// How many there can be.
    pub instances: Instances,
    /// The names of the classes that may run beside it.
    pub beside: Vec<String>,
}

/// The facts of a program.
pub struct Facts<'l, 'm> {
    pointers: Pointers<'l, 'm>,
    codes: Vec<Code>,
    threads: Threads,
    locks: Locks,
    locations: Locations,
    alone: Vec<Vec<Vec<bool>>>,
}

/// The event graph of a program. Texts are asked for to say where fences can be put.
pub fn events_of(
    modules: &[Module],
    options: &Options,
    texts: &mut dyn Texts,
    sources: &mut Sources,
) -> Result<Graph, Diagnostics> {
    let linked = Linked::new(modules)?;
    let library = Library::new(&options.assumed);
    let mut facts = Facts::new(&linked, &library, options)?;
    Ok(facts.events(texts, sources))
}

impl<'l, 'm> Facts<'l, 'm> {
    /// Finds all facts of a program.
    pub fn new(
        linked: &'l Linked<'m>,
        library: &'l Library,
        options: &Options,
    ) -> Result<Self, Diagnostics> {
        everything_is_understood(linked)?;
        let mut pointers = Pointers::new(linked, library);
        let (roots, is_closed) = roots(&mut pointers, options)?;
        let mut instances = |list| {
            let items = linked.collected(list);
            items.into_iter().map(|item| pointers.instance(item)).collect::<Vec<u32>>()
        };
        let (before, after) = (instances("llvm.global_ctors"), instances("llvm.global_dtors"));
        pointers.solve();
        let codes = codes(&mut pointers);
        pointers.solve();
        let mut roots = roots;
        // Constructors run alone, unless they create threads; what runs after `main`, beside those that are
        // left.
        let started = before.into_iter().filter(|one| creates_threads(&pointers, &codes, *one));
        for entry in started.chain(after) {
            let item = pointers.instances[entry as usize].item;
            let name = linkage::names::shown(linked.name(item));
            roots.push(Class { name, entry, is_many: false, is_root: true });
        }
        if !is_closed {
            add_escaped(&pointers, &mut roots);
        }
        let threads = Threads::new(&pointers, &codes, roots, is_closed);
        let locks = Locks::new(&pointers, &codes, &threads);
        let alone: Vec<Vec<Vec<bool>>> = (0_u32..)
            .zip(&codes)
            .map(|(instance, code)| {
                let blocks = (0_u32..).take(code.blocks.len());
                blocks
                    .map(|block| threads.alone_in_block(&pointers, instance, block, code))
                    .collect()
            })
            .collect();
        let locations = Locations::new(&pointers, &codes, &threads, &alone);
        Ok(Self { pointers, codes, threads, locks, locations, alone })
    }

    /// The event graph made of the facts.
    pub fn events(&mut self, texts: &mut dyn Texts, sources: &mut Sources) -> Graph {
        Builder::new(
            &self.pointers,
            &self.codes,
            &self.threads,
            &self.locks,
            &mut self.locations,
            &self.alone,
            Positions::new(texts, sources),
        )
        .build()
    }

    /// The threads.
    pub fn threads(&self) -> Vec<Thread> {
        let names = |class: usize| self.threads.classes[class].name.clone();
        let of = |(number, class): (usize, &Class)| Thread {
            function: class.name.clone(),
            instances: if class.is_many { Instances::Many } else { Instances::Exactly(1) },
            beside: (0..self.threads.classes.len())
                .filter(|other| self.threads.parallel[number][*other])
                .map(names)
                .collect(),
        };
        self.threads.classes.iter().enumerate().map(of).collect()
    }

    /// What the variable of a name may hold at an offset: names of objects, with offsets.
    pub fn held_by(&self, variable: &str, at: u32) -> Vec<String> {
        let mut found = Vec::new();
        for object in &self.pointers.solver.objects {
            let ObjectKind::Global(item) = object.kind else { continue };
            if self.pointers.linked.name(item) != variable {
                continue;
            }
            if object.is_escaped {
                found.push("outside".to_owned());
                continue;
            }
            let place = crate::object::words(Offset::exact(at.cast_signed()), 8);
            for cell in &object.cells {
                if place.iter().any(|words| words.overlap(cell.words)) {
                    for (target, offset) in self.pointers.solver.set(cell.into) {
                        let name = object_name(&self.pointers, target);
                        found.push(match (offset.is_exact(), offset.base) {
                            (true, 0) => name,
                            (true, base) => format!("{name}+{base}"),
                            (false, _) => format!("{name}[*]"),
                        });
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The functions that a function of this name may call, those without a body too.
    pub fn callees(&self, function: &str) -> Vec<String> {
        let mut found = Vec::new();
        for site in &self.pointers.sites {
            let Some(caller) = self.pointers.instances.get(site.instance as usize) else {
                continue;
            };
            if self.pointers.linked.name(caller.item) != function || site.purpose != Purpose::Call {
                continue;
            }
            let name = |item: Item| linkage::readable(self.pointers.linked.name(item));
            let walked = site.callees.iter().map(|one| self.pointers.instances[*one as usize].item);
            found.extend(walked.chain(site.known.iter().copied()).map(name));
            found.extend(site.unknown.iter().map(|item| format!("{} (unknown)", name(*item))));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Functions that are called and of which nothing is known.
    pub fn unknown(&self) -> Vec<String> {
        let all = self.pointers.sites.iter().flat_map(|site| &site.unknown);
        let mut found: Vec<String> =
            all.map(|item| linkage::readable(self.pointers.linked.name(*item))).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Objects that more than one thread can reach.
    pub fn reachable(&self) -> Vec<String> {
        let all = self.locations.reachable.iter();
        let mut found: Vec<String> =
            all.map(|object| object_name(&self.pointers, *object)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Shared locations by name.
    pub fn shared(&self) -> Vec<String> {
        let mut found: Vec<String> =
            self.locations.named(&self.pointers).into_iter().map(|one| one.name).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Figures: instances, variables, objects, calls.
    pub fn size(&self) -> [usize; 4] {
        [
            self.pointers.instances.len(),
            self.pointers.solver.variable_count(),
            self.pointers.solver.objects.len(),
            self.pointers.sites.len(),
        ]
    }
}

/// The functions that threads begin with, and whether nothing but the program calls it.
fn roots(
    pointers: &mut Pointers<'_, '_>,
    options: &Options,
) -> Result<(Vec<Class>, bool), Diagnostics> {
    let linked = pointers.linked;
    let mut roots = Vec::new();
    let mut add = |pointers: &mut Pointers<'_, '_>, item: Item, name: String, is_many| {
        let entry = pointers.instance(item);
        // Arguments come from outside.
        for at in 0..pointers.function(item).parameters.len() {
            for var in pointers.local_parts(entry, llvm::LocalId::new(at)) {
                if name == "main" {
                    // Texts that the system puts there.
                    let library = pointers.library_memory();
                    pointers.solver.include(var, library);
                } else {
                    pointers.solver.copy(ESCAPED, var);
                }
            }
        }
        roots.push(Class { name, entry, is_many, is_root: true });
    };
    if !options.threads.is_empty() {
        let mut errors = Vec::new();
        for entry in &options.threads {
            match linked.defined_function(&entry.function) {
                Some(item) => {
                    let is_many = entry.instances == Instances::Many;
                    add(pointers, item, entry.function.clone(), is_many);
                }
                None => errors.push(
                    Diagnostic::new(
                        Span::NONE,
                        format!("there is no function `{}` with a body", entry.function),
                    )
                    .help("threads begin with functions of the program"),
                ),
            }
        }
        return if errors.is_empty() { Ok((roots, false)) } else { Err(errors) };
    }
    if let Some(main) = linked.defined_function("main") {
        add(pointers, main, "main".to_owned(), false);
        return Ok((roots, true));
    }
    for item in linked.all_items() {
        if is_exported(linked, item) {
            let name = linkage::names::shown(linked.name(item));
            add(pointers, item, name, true);
            let function = pointers.solver.object(ObjectKind::Function(item), None);
            pointers.solver.include(ESCAPED, (function, Offset::ZERO));
        }
    }
    for item in linked.all_items() {
        // Variables that others can name.
        if linked.global(item).is_some_and(|global| global.initialiser.is_some())
            && is_visible(linked, item)
            && let Some(object) = pointers.symbol_object(item)
        {
            pointers.solver.include(ESCAPED, (object, Offset::ZERO));
        }
    }
    if roots.is_empty() {
        let message = "there is no `main`, and no function that others can call";
        let error = Diagnostic::new(Span::NONE, message).help("name the threads' functions");
        return Err(vec![error]);
    }
    Ok((roots, false))
}

/// Whether an instance, or what it calls, creates a thread.
fn creates_threads(pointers: &Pointers<'_, '_>, codes: &[Code], start: u32) -> bool {
    let mut seen = vec![false; codes.len()];
    let mut queue = vec![start];
    while let Some(instance) = queue.pop() {
        if std::mem::replace(&mut seen[instance as usize], true) {
            continue;
        }
        for (_, happening) in codes[instance as usize].all() {
            if matches!(happening, Happening::Creates(_)) {
                return true;
            }
            queue.extend(called(pointers, happening));
        }
    }
    false
}

/// What got out of a library may be called by any thread.
fn add_escaped(pointers: &Pointers<'_, '_>, roots: &mut Vec<Class>) {
    for instance in &pointers.sites[pointers.outside as usize].callees {
        if roots.iter().all(|root| root.entry != *instance) {
            let item = pointers.instances[*instance as usize].item;
            let name = linkage::names::shown(pointers.linked.name(item));
            roots.push(Class { name, entry: *instance, is_many: true, is_root: true });
        }
    }
}

fn is_exported(linked: &Linked<'_>, item: Item) -> bool {
    linked.has_body(item) && is_visible(linked, item)
}

/// Whether others can name a symbol, and this is the definition that they mean.
fn is_visible(linked: &Linked<'_>, item: Item) -> bool {
    let symbol = linked.module(item.module).symbol(item.symbol);
    let is_visible = match symbol.linkage {
        Linkage::External | Linkage::Weak | Linkage::WeakOdr | Linkage::Common => true,
        Linkage::LinkOnce
        | Linkage::LinkOnceOdr
        | Linkage::AvailableExternally
        | Linkage::Appending
        | Linkage::Internal
        | Linkage::Private
        | Linkage::ExternWeak => false,
    };
    is_visible
        && !symbol.name.starts_with("llvm.")
        && linked.resolve(item.module, item.symbol) == item
}

/// An error for every instruction that the reader of modules did not understand.
fn everything_is_understood(linked: &Linked<'_>) -> Result<(), Diagnostics> {
    let mut errors = Vec::new();
    for item in linked.all_items() {
        let Some(function) = linked.function(item) else { continue };
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            if let Operation::Other(text) = &instruction.operation {
                let metadata = &linked.module(item.module).metadata;
                let place = instruction.location.and_then(|at| metadata.position(at));
                let place = place
                    .map_or_else(String::new, |place| format!(" ({}:{})", place.file, place.line));
                let name = linkage::readable(linked.name(item));
                let message = format!("`{text}` in `{name}`{place} is not understood");
                errors.push(
                    Diagnostic::new(Span::NONE, message)
                        .help("rewrite the statement for the check"),
                );
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
