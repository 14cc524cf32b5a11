//! What every value of every function may point to: the constraints of LLVM's instructions.
//!
//! Functions are walked once per *instance*. Small functions that call nothing recursive have one instance
//! per direct call, so that accessors, allocators in disguise and Rust's layers of generic functions do not
//! mix what their callers give them; all others have one. Function pointers are resolved while the
//! constraints are solved. What is assumed, beyond what the language standards say:
//!
//! - an address that is computed from another by arithmetic leads to the same object; the difference of two
//!   addresses, both taken in the same expression, leads nowhere;
//! - addresses do not pass through floating-point numbers, files or sockets;
//! - memory that library functions return, such as texts, holds no addresses of the program;
//! - where an array is indexed, its elements are meant and not what lies behind it.

use std::collections::BTreeSet;
use std::rc::Rc;

use linkage::{Item, Library, Linked};
use llvm::{Constant, Function, LocalId, Operand, Operation, TypeId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::object::{ObjectId, ObjectKind, Offset, words};
use crate::shape::{Parts, Shape};
use crate::solver::{Constraint, ESCAPED, NOTHING, Solver, Var};

/// An instance of a function.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) item: Item,
    pub(crate) shape: Rc<Shape>,
    /// The first of its variables.
    first: Var,
    /// What its unnamed arguments may be.
    unnamed: Option<Var>,
    /// The calls at its instructions: block, place, and the first of the calls.
    pub(crate) sites: FxHashMap<(u32, u32), Vec<u32>>,
    /// The call that it was made for, if it has only one.
    pub(crate) caller: Option<u32>,
}

/// What a call is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be executed there.
    Call,
    /// To be executed by a new thread.
    Thread,
    /// External code calls what it knows.
    Outside,
}

/// A call.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each says something else of a call")]
pub(crate) struct Site {
    pub(crate) instance: u32,
    pub(crate) block: u32,
    pub(crate) index: u32,
    pub(crate) purpose: Purpose,
    /// What is given, by parts.
    pub(crate) arguments: Vec<Vec<Var>>,
    result: Vec<Var>,
    /// Whether it names the function that it calls.
    pub(crate) is_direct: bool,
    /// Whether it returns an address.
    pub(crate) returns_pointer: bool,
    /// The instances that it may call.
    pub(crate) callees: Vec<u32>,
    /// The functions without a walk that it may call: known by the table.
    pub(crate) known: Vec<Item>,
    /// Functions that nobody knows.
    pub(crate) unknown: Vec<Item>,
    /// Whether it may call code that nobody knows.
    pub(crate) is_outside: bool,
    bound: FxHashSet<Item>,
    /// How many library functions are under way that called each other.
    pub(crate) depth: u32,
    /// Whether only the method of closures is called that takes them over.
    pub(crate) is_of_closures: bool,
    /// What it is given and calls, where a library function calls all that it can reach.
    pub(crate) held: Option<Var>,
}

/// Functions that have an instance for each call, by the numbers of their modules and their names.
pub type Small = BTreeSet<(u32, String)>;

/// The largest function, with what it calls, that has an instance for each call.
const LARGEST_REPEATED: u32 = 40;
/// How many instructions may be walked again in all.
const MOST_REPEATED: u32 = 500_000;
/// Threads that are created at more places are not told apart.
const MOST_THREADS: u32 = 64;

/// The analysis.
pub(crate) struct Pointers<'l, 'm> {
    pub(crate) linked: &'l Linked<'m>,
    pub(crate) library: &'l Library,
    pub(crate) parts: Parts<'l, 'm>,
    pub(crate) solver: Solver,
    shapes: FxHashMap<Item, Rc<Shape>>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) shared_instances: FxHashMap<Item, u32>,
    pub(crate) sites: Vec<Site>,
    costs: FxHashMap<Item, Option<u32>>,
    /// The functions that have an instance for each call, if that is known from another version of the program.
    given_small: Option<Small>,
    /// Those that have one here.
    pub(crate) small: Small,
    repeated: u32,
    thread_instances: u32,
    /// For each size, how many instructions that allocate it have an object, and the last of these.
    pub(crate) allocations: FxHashMap<Option<u64>, (u32, ObjectKind)>,
    unwalked: Vec<u32>,
    uninitialised: Vec<Item>,
    /// The call by which external code calls what it knows.
    pub(crate) outside: u32,
}

impl<'l, 'm> Pointers<'l, 'm> {
    pub(crate) fn new(
        linked: &'l Linked<'m>,
        library: &'l Library,
        given_small: Option<Small>,
    ) -> Self {
        let mut pointers = Self {
            linked,
            library,
            parts: Parts::new(linked),
            solver: Solver::new(),
            shapes: FxHashMap::default(),
            instances: Vec::new(),
            shared_instances: FxHashMap::default(),
            sites: Vec::new(),
            costs: FxHashMap::default(),
            given_small,
            small: Small::new(),
            repeated: 0,
            thread_instances: 0,
            allocations: FxHashMap::default(),
            unwalked: Vec::new(),
            uninitialised: Vec::new(),
            outside: 0,
        };
        // More arguments than any function has parameters that matter.
        let arguments = vec![vec![ESCAPED]; 16];
        let nowhere = (u32::MAX, 0, 0);
        pointers.outside = pointers.site(nowhere, Purpose::Outside, arguments, vec![ESCAPED]);
        let outside = Constraint::Call(pointers.outside);
        pointers.solver.constrain(ESCAPED, outside);
        pointers
    }

    /// The one instance of a function that all share who do not have their own.
    pub(crate) fn instance(&mut self, item: Item) -> u32 {
        if let Some(known) = self.shared_instances.get(&item) {
            return *known;
        }
        let instance = self.new_instance(item, None);
        self.shared_instances.insert(item, instance);
        instance
    }

    fn new_instance(&mut self, item: Item, caller: Option<u32>) -> u32 {
        let number = u32::try_from(self.instances.len()).expect("fewer than 2^32 instances");
        let shape = self.shape(item);
        let first = self.solver.variables(shape.total as usize);
        let sites = FxHashMap::default();
        self.instances.push(Instance { item, shape, first, unnamed: None, sites, caller });
        self.unwalked.push(number);
        number
    }

    fn shape(&mut self, item: Item) -> Rc<Shape> {
        if let Some(known) = self.shapes.get(&item) {
            return known.clone();
        }
        let function = self.function(item);
        let shape = Rc::new(Shape::new(&self.parts, item, function));
        self.shapes.insert(item, shape.clone());
        shape
    }

    pub(crate) fn function(&self, item: Item) -> &'m Function {
        self.linked.function(item).expect("only functions are walked")
    }

    /// Solves all constraints, walking functions as they turn out to be called.
    pub(crate) fn solve(&mut self, is_over: &dyn Fn() -> bool) {
        while !is_over() {
            while let Some(instance) = self.unwalked.pop().filter(|_| !is_over()) {
                self.walk(instance);
            }
            while let Some(item) = self.uninitialised.pop() {
                self.initialise(item);
            }
            if !self.unwalked.is_empty() {
                continue;
            }
            self.solver.propagate(is_over);
            let calls = std::mem::take(&mut self.solver.calls);
            let is_done = calls.is_empty() && self.uninitialised.is_empty();
            for (site, object) in calls {
                self.call_object(site, object);
            }
            if is_done && self.unwalked.is_empty() {
                return;
            }
        }
    }

    fn call_object(&mut self, site: u32, object: ObjectId) {
        match self.solver.kind(object) {
            ObjectKind::Function(item) => self.bind(site, item),
            ObjectKind::Outside => self.call_outside(site),
            ObjectKind::Global(_)
            | ObjectKind::Stack(..)
            | ObjectKind::Heap(..)
            | ObjectKind::Unnamed(_)
            | ObjectKind::Kept
            | ObjectKind::Own
            | ObjectKind::Results
            | ObjectKind::Library
            | ObjectKind::Constants => {}
        }
    }

    /// A call may be one of code that nobody knows: it holds what it is given, and returns what it holds.
    pub(crate) fn call_outside(&mut self, site: u32) {
        let known = &mut self.sites[site as usize];
        if known.purpose == Purpose::Outside || std::mem::replace(&mut known.is_outside, true) {
            return;
        }
        let given: Vec<Var> = known.arguments.iter().flatten().copied().collect();
        let result = known.result.clone();
        for var in given {
            self.solver.copy(var, ESCAPED);
        }
        for var in result {
            self.solver.copy(ESCAPED, var);
        }
    }

    pub(crate) fn site(
        &mut self,
        (instance, block, index): (u32, u32, u32),
        purpose: Purpose,
        arguments: Vec<Vec<Var>>,
        result: Vec<Var>,
    ) -> u32 {
        let number = u32::try_from(self.sites.len()).expect("fewer than 2^32 calls");
        self.sites.push(Site {
            instance,
            block,
            index,
            purpose,
            arguments,
            result,
            is_direct: false,
            returns_pointer: false,
            callees: Vec::new(),
            known: Vec::new(),
            unknown: Vec::new(),
            is_outside: false,
            bound: FxHashSet::default(),
            depth: 0,
            is_of_closures: false,
            held: None,
        });
        if let Some(known) = self.instances.get_mut(instance as usize) {
            known.sites.entry((block, index)).or_default().push(number);
        }
        number
    }

    /// A call is one of this function, among others.
    pub(crate) fn bind(&mut self, site: u32, item: Item) {
        if !self.sites[site as usize].bound.insert(item) {
            return;
        }
        let name = self.linked.name(item);
        let takes_over = || llvm::demangled(name).is_none_or(|name| name.contains("::call_once"));
        if self.sites[site as usize].is_of_closures && !takes_over() {
            return;
        }
        let has_body = self.linked.has_body(item);
        if let Some(clauses) = self.library.clauses(name, has_body) {
            self.sites[site as usize].known.push(item);
            self.carry_out(site, item, &clauses);
            return;
        }
        if !has_body {
            self.sites[site as usize].unknown.push(item);
            self.call_outside(site);
            return;
        }
        let instance = self.instance_for(site, item);
        self.sites[site as usize].callees.push(instance);
        let function = self.function(item);
        let count = function.parameters.len();
        let given = self.sites[site as usize].arguments.clone();
        for (at, arguments) in given.iter().enumerate() {
            if at < count {
                let parameters = self.local_parts(instance, LocalId::new(at));
                self.copy_parts(arguments, &parameters);
            } else if function.variadic {
                let unnamed = self.unnamed(instance);
                for var in arguments {
                    self.solver.copy(*var, unnamed);
                }
            }
        }
        let returned = self.returned(instance);
        let result = self.sites[site as usize].result.clone();
        self.copy_parts(&returned, &result);
    }

    /// The instance that a call calls: its own, or the one that is shared.
    fn instance_for(&mut self, site: u32, item: Item) -> u32 {
        let known = &self.sites[site as usize];
        if known.purpose == Purpose::Thread
            && let Some(above) = self.created_above(known.instance, item)
        {
            return above;
        }
        if known.purpose == Purpose::Thread && self.thread_instances < MOST_THREADS {
            self.thread_instances += 1;
            return self.new_instance(item, Some(site));
        }
        let may_repeat = known.is_direct && known.purpose == Purpose::Call;
        if may_repeat
            && let Some(cost) = self.small_cost(item)
            && self.repeated.saturating_add(cost) <= MOST_REPEATED
        {
            self.repeated += self.length(item);
            return self.new_instance(item, Some(site));
        }
        self.instance(item)
    }

    /// How many instructions are walked again for a call of a function, if it has an instance for each call.
    fn small_cost(&mut self, item: Item) -> Option<u32> {
        let name = (item.module, self.linked.name(item).to_owned());
        let cost = match &self.given_small {
            Some(small) => small.contains(&name).then(|| self.length(item)),
            None => self.cost(item, 0).filter(|cost| *cost <= LARGEST_REPEATED),
        };
        if cost.is_some() {
            self.small.insert(name);
        }
        cost
    }

    /// The instance of a function that is on the way to another, call by call: a thread that creates its like
    /// has one instance, and not one for each generation.
    fn created_above(&self, instance: u32, item: Item) -> Option<u32> {
        let mut at = instance;
        loop {
            let known = self.instances.get(at as usize)?;
            if known.item == item {
                return Some(at);
            }
            at = self.sites[known.caller? as usize].instance;
        }
    }

    /// How many instructions a function has. Fences do not count: a program that gets some is walked as before.
    fn length(&self, item: Item) -> u32 {
        let instructions = self.function(item).blocks.iter().flat_map(|block| &block.instructions);
        instructions.fold(0_u32, |length, one| {
            if let Operation::Fence { .. } = one.operation {
                length
            } else if let Operation::Call(call) = &one.operation
                && self.is_rust_fence(item, call)
            {
                // With the branch to the block that follows the call.
                length.saturating_sub(1)
            } else {
                length.saturating_add(1)
            }
        })
    }

    fn is_rust_fence(&self, item: Item, call: &llvm::Call) -> bool {
        linkage::symbol_of(&call.callee).is_some_and(|symbol| {
            let name = self.linked.name(self.linked.resolve(item.module, symbol));
            llvm::demangled(name).is_some_and(|path| path == "core::sync::atomic::fence")
        })
    }

    /// How many instructions a function has with all that it calls directly; nothing if that has no end or
    /// is more than matters.
    fn cost(&mut self, item: Item, depth: u32) -> Option<u32> {
        if let Some(known) = self.costs.get(&item) {
            return *known;
        }
        // Who is asked for again while it is being computed calls itself.
        self.costs.insert(item, None);
        let cost = self.computed_cost(item, depth);
        self.costs.insert(item, cost);
        cost
    }

    fn computed_cost(&mut self, item: Item, depth: u32) -> Option<u32> {
        let mut cost = self.length(item);
        let function = self.function(item);
        if cost > LARGEST_REPEATED || depth > 16 || function.variadic {
            return None;
        }
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let (Operation::Call(call)
            | Operation::Invoke { call, .. }
            | Operation::CallBranch { call, .. }) = &instruction.operation
            else {
                continue;
            };
            let Some(symbol) = linkage::symbol_of(&call.callee) else { continue };
            if self.is_rust_fence(item, call) {
                continue;
            }
            let callee = self.linked.resolve(item.module, symbol);
            let has_body = self.linked.has_body(callee);
            let is_known = || self.library.clauses(self.linked.name(callee), has_body).is_some();
            if has_body && !is_known() {
                cost += self.cost(callee, depth + 1)?;
                if cost > LARGEST_REPEATED {
                    return None;
                }
            }
        }
        Some(cost)
    }

    pub(crate) fn unnamed(&mut self, instance: u32) -> Var {
        if let Some(known) = self.instances[instance as usize].unnamed {
            return known;
        }
        let object = self.solver.object(ObjectKind::Unnamed(instance), None);
        let all = words(Offset::ANY, 1)[0];
        let var = self.solver.stored(object, all).unwrap_or(NOTHING);
        self.instances[instance as usize].unnamed = Some(var);
        var
    }

    /// The variables of a value of an instance.
    pub(crate) fn local_parts(&self, instance: u32, local: LocalId) -> Vec<Var> {
        let known = &self.instances[instance as usize];
        let function = self.function(known.item);
        let ty = function.locals[local.index()].ty;
        let count = self.parts.of(known.item.module, ty).len();
        vars(known.first, known.shape.first[local.index()], count)
    }

    pub(crate) fn returned(&self, instance: u32) -> Vec<Var> {
        let known = &self.instances[instance as usize];
        let ty = self.function(known.item).result;
        let count = self.parts.of(known.item.module, ty).len();
        vars(known.first, known.shape.returned, count)
    }

    /// The variables of a local variable that is a value.
    pub(crate) fn variable_parts(&self, instance: u32, address: &Value) -> Option<Vec<Var>> {
        let Value::Local(local) = address else { return None };
        let known = &self.instances[instance as usize];
        let (first, ty) = known.shape.values.get(local)?;
        let count = self.parts.of(known.item.module, *ty).len();
        Some(vars(known.first, *first, count))
    }

    /// One value is included by another: part by part, or all by all where they are not alike.
    pub(crate) fn copy_parts(&mut self, from: &[Var], to: &[Var]) {
        if from.len() == to.len() {
            for (from, to) in from.iter().zip(to) {
                self.solver.copy(*from, *to);
            }
            return;
        }
        for from in from {
            for to in to {
                self.solver.copy(*from, *to);
            }
        }
    }

    /// The object of a variable or a function, whose contents are seen to when it is first mentioned.
    pub(crate) fn symbol_object(&mut self, item: Item) -> Option<ObjectId> {
        if let Some(global) = self.linked.global(item) {
            let kind = ObjectKind::Global(item);
            if let Some(known) = self.solver.known_object(kind) {
                return Some(known);
            }
            if global.constant && global.initialiser.as_ref().is_some_and(is_without_addresses) {
                return Some(self.solver.object(ObjectKind::Constants, None));
            }
            let object = self.solver.object(kind, self.parts.size(item.module, global.ty));
            self.uninitialised.push(item);
            return Some(object);
        }
        self.linked.function(item)?;
        Some(self.solver.object(ObjectKind::Function(item), None))
    }

    /// The variables of an operand, one for each part of its type.
    pub(crate) fn operand(&mut self, instance: u32, operand: &Operand) -> Vec<Var> {
        self.value(instance, operand.ty, &operand.value)
    }

    pub(crate) fn value(&mut self, instance: u32, ty: TypeId, value: &Value) -> Vec<Var> {
        match value {
            Value::Local(local) => self.local_parts(instance, *local),
            Value::Constant(constant) => {
                let module = self.instances[instance as usize].item.module;
                let parts = self.parts.of(module, ty);
                let mut found = Vec::new();
                self.constant_addresses(module, ty, constant, 0, &mut found);
                parts
                    .iter()
                    .map(|part| {
                        let inside = |at: u64| {
                            at >= u64::from(part.at) && at < u64::from(part.at + part.bytes.max(1))
                        };
                        let all: Vec<Var> =
                            found.iter().filter(|one| inside(one.0)).map(|one| one.1).collect();
                        self.union(&all)
                    })
                    .collect()
            }
            Value::Block(_) | Value::Asm(_) | Value::Metadata(_) | Value::MetadataText(_) => {
                Vec::new()
            }
        }
    }

    /// One variable for several.
    pub(crate) fn union(&mut self, all: &[Var]) -> Var {
        match all {
            [] => NOTHING,
            [one] => *one,
            all => {
                let var = self.solver.variable();
                for one in all {
                    self.solver.copy(*one, var);
                }
                var
            }
        }
    }

    /// One variable for all parts of an operand.
    pub(crate) fn whole(&mut self, instance: u32, operand: &Operand) -> Var {
        let all = self.operand(instance, operand);
        self.union(&all)
    }

    /// Whether a call returns an address of which the table says nothing.
    pub(crate) fn returns_pointer(&self, site: u32) -> bool {
        self.sites[site as usize].returns_pointer
    }

    pub(crate) fn result(&self, site: u32) -> Vec<Var> {
        self.sites[site as usize].result.clone()
    }
}

fn vars(first: Var, from: u32, count: usize) -> Vec<Var> {
    (0..).take(count).map(|part: u32| Var(first.0 + from + part)).collect()
}

/// Whether a constant holds nothing but numbers.
fn is_without_addresses(constant: &Constant) -> bool {
    let all = |parts: &[Operand]| {
        parts.iter().all(|part| match &part.value {
            Value::Constant(inner) => is_without_addresses(inner),
            Value::Local(_)
            | Value::Block(_)
            | Value::Asm(_)
            | Value::Metadata(_)
            | Value::MetadataText(_) => false,
        })
    };
    match constant {
        Constant::Integer(_)
        | Constant::Number(_)
        | Constant::Null
        | Constant::Undef
        | Constant::Poison
        | Constant::Zero
        | Constant::NoToken
        | Constant::Bytes(_) => true,
        Constant::Array(parts) | Constant::Vector(parts) | Constant::Struct(parts) => all(parts),
        Constant::Symbol(_)
        | Constant::Expression(_)
        | Constant::BlockAddress(..)
        | Constant::Other(_) => false,
    }
}
