//! What all threads of a program share while it is translated, and what is learnt on the way.
//!
//! A program is translated again and again until nothing new is learnt: that the address of a local
//! variable gets about, into which parts a variable is accessed, where pointers point, which bytes of
//! memory form cells. All of this only grows, and there is finitely much of it, so it ends.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use llvm::LocalId;
use program::{Diagnostic, Diagnostics, Span, Template, Value};

use crate::Environment;
use crate::amounts::Amounts;
use crate::cells::{Cells, Regions, add_region};
use crate::flow::{Flows, Touch};
use crate::function::FunctionInfo;
use crate::image::Image;
use crate::library::{self, Callables, Summaries, Waiters};
use crate::object::{Naming, Object, ObjectId, ObjectKey, Objects};
use crate::path::{PathId, Paths, Point};
use crate::startup::Startup;
use crate::targets::Targets;
use crate::thread::{Spot, Walked};
use crate::value::{PrivateId, Val};
use linkage::Positions;
use linkage::{Item, Linked};

/// What is learnt from one translation for the next.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Variables whose address gets about: they live in memory.
    pub(crate) escaped: BTreeSet<PrivateId>,
    /// The parts in which a private variable is accessed: offsets and widths in bytes.
    pub(crate) parts: BTreeMap<PrivateId, BTreeMap<i64, u32>>,
    /// Where pointers point that are not constant: operands of copies, callees.
    pub(crate) targets: HashMap<(Point, u32), Targets>,
    /// The amounts of memory that are likely where they must be known and are not.
    pub(crate) amounts: HashMap<(Point, u32), BTreeSet<Value>>,
    /// The cells of objects: offsets within an element, and widths.
    pub(crate) cells: HashMap<ObjectId, BTreeMap<u64, u32>>,
    /// Accesses by pointers that could hit cells of another width, and the objects in which.
    pub(crate) guards: BTreeMap<Spot, BTreeSet<ObjectId>>,
    /// Where objects are accessed in different widths.
    pub(crate) regions: Regions,
    /// Accesses that may be of several cells of a region.
    pub(crate) across: BTreeSet<Spot>,
    /// Allocated objects that may be given back.
    pub(crate) freed: BTreeSet<ObjectId>,
    /// Accesses that may be of such objects.
    pub(crate) mortal: BTreeMap<Spot, BTreeSet<ObjectId>>,
    /// Accesses that may be of local variables, where the calls that these belong to need not be under way.
    pub(crate) fleeting: BTreeMap<Spot, BTreeSet<ObjectId>>,
    /// Local variables that other threads may access in this way.
    pub(crate) outlived: BTreeSet<ObjectId>,
    /// Whether a lock is ever destroyed.
    pub(crate) destroys_locks: bool,
    pub(crate) waits_on_conditions: Waiters,
    pub(crate) sleeps_on_futexes: Waiters,
    pub(crate) joins: Joins,
    /// Threads that are joined before the scope ends that they belong to.
    pub(crate) scoped: BTreeSet<u32>,
    /// Writes that may be of constants.
    pub(crate) constants: BTreeMap<Spot, BTreeSet<ObjectId>>,
    /// Accesses that may be of memory that somebody has to write first.
    pub(crate) unwritten: BTreeSet<Spot>,
    /// Parts of private variables that are copied from such memory.
    pub(crate) copied: BTreeSet<(PrivateId, i64)>,
    /// Private variables that somebody outside is shown.
    pub(crate) shown: BTreeSet<PrivateId>,
    /// Whether somebody goes on who joins a thread that has panicked.
    pub(crate) learns_of_panics: bool,
    /// Arguments of threads, by the number of the thread, that are not always the same.
    pub(crate) varying: BTreeSet<(u32, u64)>,
    /// How often the translation of a thread became too large, and was tried in another way.
    pub(crate) attempts: BTreeMap<u32, usize>,
    /// Threads that wait for something at some place.
    pub(crate) waiting: BTreeSet<u32>,
    /// Threads that end the process at some place.
    pub(crate) ending: BTreeSet<u32>,
    /// Threads that are not created in every run.
    pub(crate) perhaps: BTreeSet<u32>,
    /// What several threads would be called.
    repeated: BTreeSet<String>,
    /// Whether something was learnt.
    pub(crate) is_new: bool,
}

/// Which threads join or detach which others.
#[derive(Debug, Default)]
pub(crate) struct Joins {
    /// By their numbers, where these are known when they are translated.
    pub(crate) joiners: BTreeMap<Value, BTreeSet<u32>>,
    /// Whether they are not known somewhere.
    pub(crate) are_unclear: bool,
    /// Whether threads may be created that nobody may join.
    pub(crate) creates_detached: bool,
}

impl Facts {
    /// Says that a thread is translated in the next way. What was learnt of ways that are given up is forgotten:
    /// variables whose addresses get about there need not do so elsewhere.
    pub(crate) fn try_otherwise(&mut self, thread: u32, attempt: usize) {
        let mut attempts = std::mem::take(&mut self.attempts);
        attempts.insert(thread, attempt);
        *self = Self { attempts, is_new: true, ..Self::default() };
    }

    /// Takes over which bytes form cells, and which accesses must be looked at because of that.
    pub(crate) fn learn_cells(&mut self, cells: &Cells) {
        for (spot, objects) in &cells.guards {
            let known = self.guards.entry(*spot).or_default();
            for object in objects {
                self.is_new |= known.insert(*object);
            }
        }
        for spot in &cells.across {
            self.is_new |= self.across.insert(*spot);
        }
        let known = self.cells.len();
        self.cells.retain(|object, _| cells.found.contains_key(object));
        self.is_new |= self.cells.len() < known;
        for (object, found) in &cells.found {
            // Cells that only copies made give way to those that the program accesses.
            let known = self.cells.entry(*object).or_default();
            if known != found {
                known.clone_from(found);
                self.is_new = true;
            }
        }
        // What only looks as if widths differed, before all is known, must not stay.
        if self.is_new {
            return;
        }
        for (object, regions) in &cells.new_regions {
            let known = self.regions.entry(*object).or_default();
            for region in regions {
                self.is_new |= add_region(known, *region);
            }
        }
    }

    /// Looks for the amounts of memory that threads could mean where they must be known: so many of each,
    /// small ones first.
    pub(crate) fn learn_amounts(
        &mut self,
        most: u32,
        (flows, objects): (&Flows<'_>, &Objects),
        threads: &[Walked],
    ) {
        if threads.iter().all(|thread| thread.counted.is_empty()) {
            return;
        }
        let templates: Vec<&Template> = threads.iter().map(|one| &one.template).collect();
        let amounts = Amounts::new(flows, objects, &templates);
        for (number, thread) in threads.iter().enumerate() {
            for (key, amount) in &thread.counted {
                let known = self.amounts.entry(*key).or_default();
                for guess in amounts.of(number, amount) {
                    if guess >= 0 && known.len() < most as usize {
                        self.is_new |= known.insert(guess);
                    }
                }
            }
        }
    }
}

/// What a thread is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ThreadSpec {
    /// Its number, by which others create and join it: not 0, for no handle is.
    pub(crate) number: u32,
    pub(crate) name: String,
    pub(crate) entry: Item,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) copies: u32,
    /// Whether it waits until another thread creates it.
    pub(crate) is_created: bool,
    /// Where its result is put for who joins it; by itself, a word of the thread.
    pub(crate) result: Option<Value>,
}

/// What a thread's entry is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    Constant(Value),
    /// The identity of the copy.
    Identity,
    /// What its creator put down for it at this address.
    Passed(Value),
    /// A value of its own: a structure of constants.
    Known(Val),
    /// What a program is started with.
    Outside(FromOutside),
}

/// What a program is started with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FromOutside {
    /// How many arguments there are: `argc`.
    Count,
    /// Arguments or the environment: the address of pointers to text.
    Texts,
}

/// A private variable: the call that it belongs to, its name, its bytes.
struct Owner {
    path: PathId,
    /// The local that it is, and its function.
    function: Item,
    local: LocalId,
    name: String,
    size: u64,
}

/// What identifies a created thread.
type Created = (Point, u32, Item);

pub(crate) struct World<'m, 't> {
    pub(crate) linked: &'m Linked<'m>,
    pub(crate) positions: Positions<'t>,
    pub(crate) objects: Objects,
    pub(crate) paths: Paths,
    pub(crate) facts: Facts,
    /// What the program runs in, and how far it is followed.
    pub(crate) environment: &'m Environment,
    /// Whether a limit of the user's is reached.
    pub(crate) is_over: &'m dyn Fn() -> bool,
    /// What functions without a body do, by their names.
    pub(crate) summaries: Summaries<'m>,
    /// The functions whose calls and returns make histories, and what they are called there.
    pub(crate) operations: BTreeMap<Item, String>,
    pub(crate) errors: Diagnostics,
    /// Functions that were called and have no body here.
    pub(crate) unknown: BTreeSet<String>,
    /// Functions that may fail, and of which the program goes on then: where each is called first.
    pub(crate) fallible: BTreeMap<String, Span>,
    /// Whether values of local variables leave the program.
    pub(crate) shows_locals: bool,
    /// The threads of this translation, in the order they were found.
    pub(crate) threads: Vec<ThreadSpec>,
    /// The threads that are not created by others: `main`, or those that a user asks for.
    pub(crate) roots: Vec<ThreadSpec>,
    /// Whether the root is `main`, whose return ends the process.
    pub(crate) runs_main: bool,
    /// What runs before and after the program.
    pub(crate) startup: Startup,
    numbers: HashMap<Created, u32>,
    privates: HashMap<(PathId, LocalId), PrivateId>,
    /// What each private variable is.
    owners: Vec<Owner>,
    infos: HashMap<Item, Rc<FunctionInfo>>,
    callables: Option<Callables>,
}

impl<'m, 't> World<'m, 't> {
    /// Forgets threads that only an earlier round created, in code that is known to be dead by now: nobody may wait
    /// for them. Only at the end of a round are all threads known.
    pub(crate) fn forget_absent_threads(&mut self) {
        let present: BTreeSet<u32> = self.threads.iter().map(|thread| thread.number).collect();
        let known = self.facts.perhaps.len();
        self.facts.perhaps.retain(|number| present.contains(number));
        self.facts.is_new |= self.facts.perhaps.len() < known;
    }

    /// Notes what has to be looked at before accesses, by the objects that these may be of.
    pub(crate) fn learn_of_touches(&mut self, threads: &[&Template], touches: &[Touch]) {
        self.facts.learn_lifetimes(touches);
        self.learn_of_locals(touches);
        self.learn_of_constants(threads, touches);
        self.facts.learn_unwritten(&self.objects, touches);
    }

    /// What the next thread is called that runs something of this name: where there are several, with its
    /// number among them.
    pub(crate) fn name_of_thread(&mut self, name: &str) -> String {
        let is_of = |thread: &ThreadSpec| {
            let own = thread.name.strip_prefix(name);
            own.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        let before = self.threads.iter().filter(|thread| is_of(thread)).count();
        if before > 0 {
            // From the next translation on the first one has a number as well.
            self.facts.is_new |= self.facts.repeated.insert(name.to_owned());
        }
        if self.facts.repeated.contains(name) {
            format!("{name}[{before}]")
        } else {
            name.to_owned()
        }
    }

    pub(crate) fn new(
        linked: &'m Linked<'m>,
        positions: Positions<'t>,
        environment: &'m Environment,
        is_over: &'m dyn Fn() -> bool,
    ) -> Self {
        Self {
            linked,
            positions,
            objects: Objects::new(),
            paths: Paths::default(),
            facts: Facts::default(),
            environment,
            is_over,
            summaries: Summaries::new(&environment.summaries),
            errors: Vec::new(),
            operations: BTreeMap::new(),
            unknown: BTreeSet::new(),
            fallible: BTreeMap::new(),
            shows_locals: false,
            threads: Vec::new(),
            roots: Vec::new(),
            runs_main: false,
            startup: Startup::default(),
            numbers: HashMap::new(),
            privates: HashMap::new(),
            owners: Vec::new(),
            infos: HashMap::new(),
            callables: None,
        }
    }

    /// Whether a module was written in Rust.
    pub(crate) fn is_rust(&self, module: u32) -> bool {
        self.linked.module(module).metadata.is_rust()
    }

    /// What is known of a function's text.
    pub(crate) fn info(&mut self, function: Item) -> Rc<FunctionInfo> {
        if let Some(info) = self.infos.get(&function) {
            return Rc::clone(info);
        }
        let info = Rc::new(FunctionInfo::new(self.linked, &mut self.positions, function));
        self.infos.insert(function, Rc::clone(&info));
        info
    }

    /// The function to which a type of Rust that can be called stands for: the shim that calls it with
    /// what it holds, or the function itself.
    pub(crate) fn callable(&mut self, ty: &str, caller: Item) -> Option<Item> {
        let linked = self.linked;
        let callables = self.callables.get_or_insert_with(|| Callables::new(linked));
        callables.of(linked, ty, caller)
    }

    pub(crate) fn error(&mut self, error: Diagnostic) {
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// The private variable of a call.
    pub(crate) fn private(
        &mut self,
        path: PathId,
        (function, local): (Item, LocalId),
        size: u64,
        name: impl FnOnce() -> String,
    ) -> PrivateId {
        if let Some(known) = self.privates.get(&(path, local)) {
            return *known;
        }
        let next = PrivateId(u32::try_from(self.owners.len()).expect("fewer than 2^32 locals"));
        self.privates.insert((path, local), next);
        self.owners.push(Owner { path, function, local, name: name(), size });
        next
    }

    /// Whether a private variable is one of Rust's own libraries, of which nobody outside is shown what it holds.
    pub(crate) fn is_of_language(&mut self, private: PrivateId) -> bool {
        let function = self.owners[private.0 as usize].function;
        self.info(function).is_of_language() && !self.facts.shown.contains(&private)
    }

    /// Notes that somebody outside is shown the private variables that a value points to.
    pub(crate) fn learn_shown(&mut self, value: &Val) {
        match value {
            Val::Private(private, _) => self.facts.is_new |= self.facts.shown.insert(*private),
            Val::Aggregate(parts) => parts.iter().for_each(|part| self.learn_shown(part)),
            Val::Expr(_) | Val::Undefined | Val::Inexpressible(_) => {}
        }
    }

    /// The call that a private variable belongs to.
    pub(crate) fn owner(&self, private: PrivateId) -> PathId {
        self.owners[private.0 as usize].path
    }

    /// The bytes of a private variable.
    pub(crate) fn private_size(&self, private: PrivateId) -> u64 {
        self.owners[private.0 as usize].size
    }

    /// What a part of a private variable is called: by its fields, where they are known.
    pub(crate) fn private_name(&self, private: PrivateId, at: i64, width: u32) -> String {
        let Owner { function, local, name, .. } = &self.owners[private.0 as usize];
        let metadata = &self.linked.module(function.module).metadata;
        let variable = self.linked.function(*function);
        let variable = variable.and_then(|function| metadata.local_variable(function, *local));
        let part = variable.and_then(|variable| {
            let at = u64::try_from(at).ok()?;
            metadata.describe_offset(metadata.type_of(variable)?, at, width.into())
        });
        match part {
            Some(part) => format!("{name}{part}"),
            None if at == 0 => name.clone(),
            None => format!("{name}+{at}"),
        }
    }

    /// Says that a variable's address gets about.
    pub(crate) fn escape(&mut self, private: PrivateId) {
        self.facts.is_new |= self.facts.escaped.insert(private);
    }

    /// Says that a part of a private variable is accessed, which overlaps no other part.
    pub(crate) fn learn_part(&mut self, private: PrivateId, offset: i64, width: u32) {
        let parts = self.facts.parts.entry(private).or_default();
        self.facts.is_new |= parts.insert(offset, width) != Some(width);
    }

    /// The number of a thread that is created at a point, the `ordinal`-th in this translation; none if
    /// there are too many threads. Threads are translated in the order in which they are found, so those
    /// that are left out have the longest ways to them.
    pub(crate) fn created(&mut self, point: Point, ordinal: u32, entry: Item) -> Option<u32> {
        let key = (point, ordinal, entry);
        if let Some(known) = self.numbers.get(&key) {
            return Some(*known);
        }
        let created = u32::try_from(self.numbers.len()).ok()?;
        if created >= self.environment.bounds.all_threads() {
            return None;
        }
        let roots = u32::try_from(self.roots.len()).ok()?;
        let next = FIRST_THREAD + roots + created;
        if u64::from(next) >= MAX_CREATED {
            return None;
        }
        self.numbers.insert(key, next);
        Some(next)
    }

    /// The object of a global variable or function.
    pub(crate) fn symbol_object(&mut self, item: Item) -> ObjectId {
        let linked = self.linked;
        let name = &library::shown(linked.name(item));
        let Some(global) = linked.global(item) else {
            return self.objects.intern(ObjectKey::Function(item), || untyped_object(name, 0));
        };
        let key = ObjectKey::Global(item);
        if let Some(id) = self.objects.find(&key) {
            return id;
        }
        let module = linked.module(item.module);
        let size = linked.layout(item.module).size(&module.types, global.ty).unwrap_or(0);
        let id = self
            .objects
            .intern(key, || Object { naming: Naming::Global(item), ..untyped_object(name, size) });
        // The image comes second: a variable may hold its own address.
        if let Some(initialiser) = &global.initialiser {
            let mut image = Image::default();
            self.fill(&mut image, 0, item.module, global.ty, initialiser);
            self.objects.set_initial(id, image);
        }
        id
    }

    /// The global variable that an object is, if it is declared and not defined.
    pub(crate) fn declared_variable(&self, object: ObjectId) -> Option<Item> {
        let Naming::Global(item) = self.objects.get(object).naming else { return None };
        let global = self.linked.global(item)?;
        global.initialiser.is_none().then_some(item)
    }

    /// A thread's own copy of a thread-local variable.
    pub(crate) fn thread_local_object(&mut self, item: Item, thread: u32, copies: u32) -> ObjectId {
        let shared = self.symbol_object(item);
        let key = ObjectKey::ThreadLocal(item, thread);
        let shared = self.objects.get(shared).clone();
        self.objects.intern(key, || Object { elements: u64::from(copies), ..shared })
    }

    /// The three words by which threads are created and joined, and what they return.
    pub(crate) fn threads_object(&mut self) -> ObjectId {
        self.objects.intern(ObjectKey::Threads, || Object {
            stride: THREAD_WORDS * 8,
            elements: MAX_CREATED,
            ..untyped_object("thread", THREAD_WORDS * 8)
        })
    }
}

/// How many threads there can be: what their words take.
pub(crate) const MAX_CREATED: u64 = 256;
/// The number of the first thread.
pub(crate) const FIRST_THREAD: u32 = 1;
/// Created, ended, argument, result.
pub(crate) const THREAD_WORDS: u64 = 4;

/// An object without a type.
pub(crate) fn untyped_object(name: &str, size: u64) -> Object {
    Object {
        name: name.to_owned(),
        base: 0,
        size,
        stride: crate::object::stride_of(size),
        elements: 1,
        initial: Image::default(),
        is_unwritten: false,
        naming: Naming::Unknown,
        span: Span::NONE,
    }
}
