//! All facts of a program, to be asked for, and the event graph made of them.

use events::{Graph, Instances};
use linkage::{Item, Library, Linked, Positions, Summary, Texts};
use llvm::{Module, Operation};
use program::{Diagnostic, Diagnostics, Sources, Span};

use crate::access::Happening;
use crate::code::{Code, called, codes};
use crate::graph::Builder;
use crate::locations::{Locations, object_name};
use crate::locks::Locks;
use crate::object::{ObjectKind, Offset};
use crate::pointers::{Pointers, Purpose, Small};
use crate::roots::{self, Roots};
use crate::threads::{Class, Threads};

/// `MAP_SHARED | MAP_ANONYMOUS` of Linux.
const ANONYMOUS: i128 = 0x21;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What functions without a body do, beside what is known of libraries.
    pub assumed: Vec<Summary>,
    /// The threads of a library; if there are none, `main`, or else every function that others can call, in
    /// any number of threads at once.
    pub threads: Vec<ThreadEntry>,
    /// The functions whose calls are told apart, if these are to be those of another version of the program: what a
    /// text with fences is compared with. Otherwise small ones.
    pub small: Option<Small>,
}

/// Threads that a user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadEntry {
    /// The function that they begin with.
    pub function: String,
    /// What it is given; if nothing, its arguments may be anything that is known outside.
    pub arguments: Vec<ThreadArgument>,
    /// How many there can be.
    pub instances: Instances,
}

/// What a user gives a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThreadArgument {
    /// A number.
    Number,
    /// The address of the variable of this name.
    AddressOf(String),
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
    events_and_small(modules, options, (texts, sources), &|| false).map(|(graph, _)| graph)
}

/// The same, and the functions whose calls are told apart, for other versions of the program; unless a limit is
/// reached meanwhile: `is_over` is asked before every step, and after it has said so the errors say nothing of the
/// program.
pub fn events_and_small(
    modules: &[Module],
    options: &Options,
    (texts, sources): (&mut dyn Texts, &mut Sources),
    is_over: &dyn Fn() -> bool,
) -> Result<(Graph, Small), Diagnostics> {
    let linked = Linked::new(modules)?;
    let library = Library::new(&options.assumed);
    let mut facts = Facts::until(&linked, &library, options, is_over)?;
    let graph = facts.events(texts, sources);
    must_go_on(is_over)?;
    Ok((graph, facts.pointers.small))
}

fn must_go_on(is_over: &dyn Fn() -> bool) -> Result<(), Diagnostics> {
    if is_over() {
        let message = "a limit was reached while the program was analysed";
        return Err(vec![Diagnostic::new(Span::NONE, message)]);
    }
    Ok(())
}

impl<'l, 'm> Facts<'l, 'm> {
    /// Finds all facts of a program.
    pub fn new(
        linked: &'l Linked<'m>,
        library: &'l Library,
        options: &Options,
    ) -> Result<Self, Diagnostics> {
        Self::until(linked, library, options, &|| false)
    }

    fn until(
        linked: &'l Linked<'m>,
        library: &'l Library,
        options: &Options,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Self, Diagnostics> {
        everything_is_understood(linked)?;
        assumptions_are_of_use(linked, &options.assumed)?;
        processes_share_nothing(linked)?;
        let mut pointers = Pointers::new(linked, library, options.small.clone());
        let roots = roots::roots(&mut pointers, options)?;
        roots::add_named(&mut pointers, &roots);
        let Roots { classes: mut roots, is_closed, .. } = roots;
        let mut instances = |list| {
            let items = linked.collected(list);
            items.into_iter().map(|item| pointers.instance(item)).collect::<Vec<u32>>()
        };
        let (before, after) = (instances("llvm.global_ctors"), instances("llvm.global_dtors"));
        pointers.solve(is_over);
        must_go_on(is_over)?;
        let codes = codes(&mut pointers);
        pointers.solve(is_over);
        must_go_on(is_over)?;
        // Constructors run alone, unless they create threads; what runs after `main`, beside those that are
        // left.
        let started = before.into_iter().filter(|one| creates_threads(&pointers, &codes, *one));
        for entry in started.chain(after) {
            let item = pointers.instances[entry as usize].item;
            let name = linkage::names::shown(linked.name(item));
            roots.push(Class { name, entry, is_many: false, is_root: true });
        }
        roots::add_escaped(&pointers, &mut roots);
        let threads = Threads::new(&pointers, &codes, roots, is_closed);
        must_go_on(is_over)?;
        let locks = Locks::new(&pointers, &codes, &threads);
        must_go_on(is_over)?;
        let alone: Vec<Vec<Vec<bool>>> = (0_u32..)
            .zip(&codes)
            .map(|(instance, code)| {
                let blocks = (0_u32..).take(code.blocks.len());
                blocks
                    .map(|block| threads.alone_in_block(&pointers, instance, block, code))
                    .collect()
            })
            .collect();
        must_go_on(is_over)?;
        let locations = Locations::new(&pointers, &codes, &threads, &alone);
        must_go_on(is_over)?;
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

/// What a user says of a function must be about one that is there and has no body.
fn assumptions_are_of_use(linked: &Linked<'_>, assumed: &[Summary]) -> Result<(), Diagnostics> {
    let mut errors = Vec::new();
    for summary in assumed {
        let is_meant =
            |item: &Item| linked.function(*item).is_some() && summary.is_of(linked.name(*item));
        let meant: Vec<Item> = linked.all_items().filter(is_meant).collect();
        let problem = if meant.is_empty() {
            "is not called"
        } else if meant.iter().any(|item| linked.has_body(*item)) {
            "has a body"
        } else {
            continue;
        };
        let message = format!("`{}` {problem}, so nothing is assumed of it", summary.function);
        let help = format!("leave out `--assume '{}'`", summary.text);
        errors.push(Diagnostic::new(Span::NONE, message).help(help));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// An error if processes of the program share memory: only threads are followed.
fn processes_share_nothing(linked: &Linked<'_>) -> Result<(), Diagnostics> {
    let mut forks = None;
    let mut shared = None;
    for item in linked.all_items() {
        let Some(function) = linked.function(item) else { continue };
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Operation::Call(call) = &instruction.operation else { continue };
            let Some(symbol) = linkage::symbol_of(&call.callee) else { continue };
            let called = linked.resolve(item.module, symbol);
            if linked.has_body(called) {
                continue;
            }
            let number = |at: usize| call.arguments.get(at).and_then(crate::access::number);
            match linkage::of_c(linked.name(called)) {
                "fork" | "vfork" => forks = Some("fork"),
                "shmat" => shared = Some("shmat"),
                "mmap" | "mmap64"
                    if number(3).is_some_and(|flags| flags & ANONYMOUS == ANONYMOUS) =>
                {
                    shared = Some("mmap");
                }
                _ => {}
            }
        }
    }
    let Some((fork, shared)) = forks.zip(shared) else { return Ok(()) };
    let message =
        format!("processes (`{fork}`) share memory (`{shared}`), and only threads are followed");
    Err(vec![Diagnostic::new(Span::NONE, message).help("use threads for the check")])
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
