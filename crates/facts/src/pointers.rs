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

use std::rc::Rc;

use linkage::{Item, Library, Linked};
use llvm::{
    BinaryOp, Call, Constant, ConstantExpression, Function, Instruction, LocalId, Operand,
    Operation, RmwOp, Type, TypeId, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::object::{OUTSIDE, ObjectId, ObjectKind, Offset, Words, words};
use crate::shape::{Parts, Shape};
use crate::solver::{Constraint, ESCAPED, NOTHING, Solver, Var, moved};

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
pub(crate) struct Site {
    pub(crate) instance: u32,
    pub(crate) block: u32,
    pub(crate) index: u32,
    pub(crate) purpose: Purpose,
    /// What is given, by parts.
    pub(crate) arguments: Vec<Vec<Var>>,
    result: Vec<Var>,
    is_direct: bool,
    returns_pointer: bool,
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

/// The largest function, with what it calls, that has an instance for each call.
const LARGEST_REPEATED: u32 = 60;
/// How many instructions may be walked again in all.
const MOST_REPEATED: u32 = 3_000_000;
/// Threads that are created at more places are not told apart.
const MOST_THREADS: u32 = 64;
/// Addresses below this, and as many at the other end, are numbers with a meaning of their own.
const LEAST_ADDRESS: i128 = 1 << 16;

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
    repeated: u32,
    thread_instances: u32,
    unwalked: Vec<u32>,
    uninitialised: Vec<Item>,
    /// The call by which external code calls what it knows.
    pub(crate) outside: u32,
}

impl<'l, 'm> Pointers<'l, 'm> {
    pub(crate) fn new(linked: &'l Linked<'m>, library: &'l Library) -> Self {
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
            repeated: 0,
            thread_instances: 0,
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
    pub(crate) fn solve(&mut self) {
        loop {
            while let Some(instance) = self.unwalked.pop() {
                self.walk(instance);
            }
            while let Some(item) = self.uninitialised.pop() {
                self.initialise(item);
            }
            if !self.unwalked.is_empty() {
                continue;
            }
            self.solver.propagate();
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
            | ObjectKind::Library => {}
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
        if known.purpose == Purpose::Thread && self.thread_instances < MOST_THREADS {
            self.thread_instances += 1;
            return self.new_instance(item, Some(site));
        }
        let may_repeat = known.is_direct && known.purpose == Purpose::Call;
        if may_repeat
            && let Some(cost) = self.cost(item, 0)
            && cost <= LARGEST_REPEATED
            && self.repeated.saturating_add(cost) <= MOST_REPEATED
        {
            self.repeated += self.length(item);
            return self.new_instance(item, Some(site));
        }
        self.instance(item)
    }

    fn length(&self, item: Item) -> u32 {
        let blocks = &self.function(item).blocks;
        let length = blocks.iter().map(|block| block.instructions.len()).sum::<usize>();
        u32::try_from(length).unwrap_or(u32::MAX)
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

    fn unnamed(&mut self, instance: u32) -> Var {
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

    fn returned(&self, instance: u32) -> Vec<Var> {
        let known = &self.instances[instance as usize];
        let ty = self.function(known.item).result;
        let count = self.parts.of(known.item.module, ty).len();
        vars(known.first, known.shape.returned, count)
    }

    /// The variables of a local variable that is a value.
    fn variable_parts(&self, instance: u32, address: &Value) -> Option<Vec<Var>> {
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
            let object = self.solver.object(kind, self.parts.size(item.module, global.ty));
            self.uninitialised.push(item);
            return Some(object);
        }
        self.linked.function(item)?;
        Some(self.solver.object(ObjectKind::Function(item), None))
    }

    fn initialise(&mut self, item: Item) {
        let Some(global) = self.linked.global(item) else { return };
        let Some(object) = self.solver.known_object(ObjectKind::Global(item)) else { return };
        let Some(initialiser) = &global.initialiser else {
            if linkage::symbols::is_variable_of_c(linkage::of_c(self.linked.name(item))) {
                let address = self.library_memory();
                let held = self.solver.constant(address);
                if let Some(into) = self.solver.stored(object, Words::ALL) {
                    self.solver.copy(held, into);
                }
                return;
            }
            // Others define it, and may hold and store anything there.
            self.solver.include(ESCAPED, (object, Offset::ZERO));
            return;
        };
        let mut found = Vec::new();
        self.constant_addresses(item.module, global.ty, initialiser, 0, &mut found);
        for (at, var) in found {
            let Ok(at) = i32::try_from(at) else { continue };
            for words in words(Offset::exact(at), 8) {
                if let Some(into) = self.solver.stored(object, words) {
                    self.solver.copy(var, into);
                }
            }
        }
    }

    /// The addresses in a constant, with where they stand in it.
    fn constant_addresses(
        &mut self,
        module: u32,
        ty: TypeId,
        constant: &Constant,
        at: u64,
        found: &mut Vec<(u64, Var)>,
    ) {
        match constant {
            Constant::Array(elements) | Constant::Vector(elements) => {
                let mut place = at;
                for element in elements {
                    if let Value::Constant(inner) = &element.value {
                        self.constant_addresses(module, element.ty, inner, place, found);
                    }
                    place += self.parts.size(module, element.ty).unwrap_or(8);
                }
            }
            Constant::Struct(fields) => {
                let types = &self.linked.module(module).types;
                for (index, field) in fields.iter().enumerate() {
                    let layout = self.linked.layout(module);
                    let offset = layout.field_offset(types, ty, index).unwrap_or(0);
                    if let Value::Constant(inner) = &field.value {
                        self.constant_addresses(module, field.ty, inner, at + offset, found);
                    }
                }
            }
            Constant::Symbol(_) | Constant::Expression(_) | Constant::Integer(_) => {
                for var in self.constant_values(module, constant) {
                    found.push((at, var));
                }
            }
            Constant::Other(_) => found.push((at, ESCAPED)),
            Constant::Number(_)
            | Constant::Null
            | Constant::Undef
            | Constant::Poison
            | Constant::Zero
            | Constant::NoToken
            | Constant::Bytes(_)
            | Constant::BlockAddress(..) => {}
        }
    }

    /// What a constant address may be.
    fn constant_values(&mut self, module: u32, constant: &Constant) -> Vec<Var> {
        match constant {
            Constant::Symbol(symbol) => {
                let item = self.linked.resolve(module, *symbol);
                match self.symbol_object(item) {
                    Some(object) => vec![self.solver.constant((object, Offset::ZERO))],
                    None => vec![ESCAPED],
                }
            }
            // Numbers are addresses only where they are used as such.
            Constant::Integer(_) => Vec::new(),
            Constant::Expression(expression) => self.expression_values(module, expression),
            Constant::Other(_) => vec![ESCAPED],
            Constant::Array(_) | Constant::Vector(_) | Constant::Struct(_) => {
                let mut found = Vec::new();
                self.constant_addresses(module, TypeId(0), constant, 0, &mut found);
                found.into_iter().map(|(_, var)| var).collect()
            }
            Constant::Number(_)
            | Constant::Null
            | Constant::Undef
            | Constant::Poison
            | Constant::Zero
            | Constant::NoToken
            | Constant::Bytes(_)
            | Constant::BlockAddress(..) => Vec::new(),
        }
    }

    fn expression_values(&mut self, module: u32, expression: &ConstantExpression) -> Vec<Var> {
        let of = |analysis: &mut Self, operand: &Operand| match &operand.value {
            Value::Constant(inner) => analysis.constant_values(module, inner),
            Value::Local(_)
            | Value::Block(_)
            | Value::Asm(_)
            | Value::Metadata(_)
            | Value::MetadataText(_) => Vec::new(),
        };
        match expression {
            ConstantExpression::GetElementPtr { element, base, indices } => {
                let bases = of(self, base);
                let path = self.path(module, *element, indices);
                bases.into_iter().map(|base| self.moved_constant(base, &path)).collect()
            }
            ConstantExpression::Cast { op, value } => {
                if *op == llvm::CastOp::IntToPtr
                    && let Value::Constant(Constant::Integer(number)) = &value.value
                    && is_address(*number)
                {
                    return vec![self.solver.constant((OUTSIDE, Offset::ANY))];
                }
                of(self, value)
            }
            ConstantExpression::Binary { op, left, right } => {
                let all = [of(self, left), of(self, right)].concat();
                let path = match (op, &right.value) {
                    (
                        BinaryOp::Add | BinaryOp::Or,
                        Value::Constant(Constant::Integer(by @ 0..LEAST_ADDRESS)),
                    ) => Path { by: i64::try_from(*by).unwrap_or(0), strides: Vec::new() },
                    _ => Path::anywhere(),
                };
                all.into_iter().map(|base| self.moved_constant(base, &path)).collect()
            }
            ConstantExpression::Select { then, otherwise, .. } => {
                [of(self, then), of(self, otherwise)].concat()
            }
            ConstantExpression::Compare { .. } => Vec::new(),
        }
    }

    fn moved_constant(&mut self, base: Var, path: &Path) -> Var {
        let known: Vec<_> = self.solver.set(base).collect();
        if let [(object, offset)] = known[..]
            && let Ok(by) = i32::try_from(path.by)
            && path.strides.is_empty()
        {
            return self.solver.constant((object, moved(offset, by)));
        }
        let var = self.solver.variable();
        self.move_along(base, path, var);
        var
    }

    /// The variables of an operand, one for each part of its type.
    pub(crate) fn operand(&mut self, instance: u32, operand: &Operand) -> Vec<Var> {
        self.value(instance, operand.ty, &operand.value)
    }

    fn value(&mut self, instance: u32, ty: TypeId, value: &Value) -> Vec<Var> {
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

    fn path(&self, module: u32, element: TypeId, indices: &[Operand]) -> Path {
        let types = &self.linked.module(module).types;
        let layout = self.linked.layout(module);
        let mut path = Path::default();
        let mut ty = element;
        for (position, index) in indices.iter().enumerate() {
            let number = match &index.value {
                Value::Constant(Constant::Integer(number)) => Some(*number),
                Value::Constant(Constant::Zero) => Some(0),
                Value::Constant(_)
                | Value::Local(_)
                | Value::Block(_)
                | Value::Asm(_)
                | Value::Metadata(_)
                | Value::MetadataText(_) => None,
            };
            let (stride, count) = if position == 0 {
                (self.parts.size(module, ty), 0)
            } else if let Type::Struct { fields, .. } = types.resolved(ty) {
                let field = number.and_then(|number| usize::try_from(number).ok());
                let field = field.filter(|field| *field < fields.len());
                let at = field.and_then(|field| layout.field_offset(types, ty, field));
                let (Some(field), Some(at)) = (field, at) else { return Path::anywhere() };
                path.by += i64::try_from(at).unwrap_or(i64::MAX / 4);
                ty = fields[field];
                continue;
            } else {
                let length = match types.resolved(ty) {
                    Type::Array { length, .. } if *length > 1 => {
                        u32::try_from(*length).unwrap_or(0)
                    }
                    _ => 0,
                };
                let Some((inner, stride)) = layout.element(types, ty) else {
                    return Path::anywhere();
                };
                ty = inner;
                (Some(stride), length)
            };
            let Some(stride) = stride.and_then(|stride| u32::try_from(stride).ok()) else {
                return Path::anywhere();
            };
            match number.and_then(|number| i64::try_from(number).ok()) {
                Some(number) => {
                    path.by = path.by.saturating_add(number.saturating_mul(i64::from(stride)));
                }
                None if stride == 0 => {}
                None => path.strides.push((stride, count)),
            }
        }
        path
    }

    /// What one variable points to, moved along a path, is included by another.
    fn move_along(&mut self, from: Var, path: &Path, to: Var) {
        let Ok(by) = i32::try_from(path.by) else {
            self.anywhere(from, to);
            return;
        };
        if by == 0 && path.strides.is_empty() {
            self.solver.copy(from, to);
            return;
        }
        let mut from = from;
        let mut by = by;
        for (at, (stride, count)) in path.strides.iter().enumerate() {
            let next =
                if at + 1 == path.strides.len() { to } else { self.solver.variable() };
            let (stride, count) = (*stride, *count);
            self.solver.constrain(from, Constraint::Move { by, stride, count, to: next });
            (from, by) = (next, 0);
        }
        if path.strides.is_empty() {
            self.solver.constrain(from, Constraint::Move { by, stride: 0, count: 1, to });
        }
    }

    /// Any address in what a variable points to is included by another.
    pub(crate) fn anywhere(&mut self, from: Var, to: Var) {
        self.solver.constrain(from, Constraint::Move { by: 0, stride: 1, count: 0, to });
    }

    fn walk(&mut self, instance: u32) {
        let item = self.instances[instance as usize].item;
        let function = self.function(item);
        for (block, code) in (0_u32..).zip(&function.blocks) {
            for (index, instruction) in (0_u32..).zip(&code.instructions) {
                self.step((instance, block, index), instruction);
            }
        }
    }

    fn load(&mut self, at: u32, address: &Operand, ty: TypeId, result: &[Var]) {
        if let Some(parts) = self.variable_parts(at, &address.value) {
            self.copy_parts(&parts, result);
            return;
        }
        let module = self.instances[at as usize].item.module;
        let address = self.whole(at, address);
        let parts = self.parts.of(module, ty);
        for (part, to) in parts.iter().zip(result) {
            let (at, bytes, to) = (part.at.cast_signed(), part.bytes, *to);
            self.solver.constrain(address, Constraint::Load { at, bytes, to });
        }
    }

    /// A piece of memory that is loaded and stored again may be one of an address.
    fn copy_piece(&mut self, at: u32, address: &Operand, value: &Operand) {
        let known = &self.instances[at as usize];
        let Value::Local(local) = value.value else { return };
        let function = self.function(known.item);
        let loaded = known.shape.pieces.get(&local).map(|(block, index)| {
            &function.blocks[*block as usize].instructions[*index as usize].operation
        });
        let Some(Operation::Load { address: source, .. }) = loaded else { return };
        if self.variable_parts(at, &source.value).is_some()
            || self.variable_parts(at, &address.value).is_some()
        {
            return;
        }
        let (from, to) = (self.whole(at, source), self.whole(at, address));
        let held = self.solver.variable();
        self.solver.constrain(from, Constraint::Load { at: 0, bytes: 1, to: held });
        self.solver.constrain(to, Constraint::Store { at: 0, bytes: 1, from: held });
    }

    fn store(&mut self, at: u32, address: &Operand, value: &Operand) {
        let values = self.operand(at, value);
        if values.is_empty() {
            self.copy_piece(at, address, value);
            return;
        }
        if let Some(parts) = self.variable_parts(at, &address.value) {
            self.copy_parts(&values, &parts);
            return;
        }
        let module = self.instances[at as usize].item.module;
        let address = self.whole(at, address);
        let parts = self.parts.of(module, value.ty);
        for (part, from) in parts.iter().zip(values) {
            if from != NOTHING {
                let (at, bytes) = (part.at.cast_signed(), part.bytes);
                self.solver.constrain(address, Constraint::Store { at, bytes, from });
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each instruction")]
    fn step(&mut self, place: (u32, u32, u32), instruction: &Instruction) {
        let (at, block, index) = place;
        let item = self.instances[at as usize].item;
        let module = item.module;
        let result = match instruction.result {
            Some(local) => self.local_parts(at, local),
            None => Vec::new(),
        };
        match &instruction.operation {
            Operation::Alloca { ty, count, .. } => {
                let Some(local) = instruction.result else { return };
                if self.instances[at as usize].shape.values.contains_key(&local) {
                    return;
                }
                let size = if count.is_some() { None } else { self.parts.size(module, *ty) };
                let object = self.solver.object(ObjectKind::Stack(at, local), size);
                self.solver.include(result[0], (object, Offset::ZERO));
            }
            Operation::Load { ty, address, .. } => self.load(at, address, *ty, &result),
            Operation::Store { value, address, .. } => self.store(at, address, value),
            Operation::CompareExchange { address, expected, new, .. } => {
                // The result is what was there and a bit.
                self.load(at, address, expected.ty, &result);
                self.store(at, address, new);
            }
            Operation::AtomicRmw { op, address, value, .. } => {
                self.load(at, address, value.ty, &result);
                self.store(at, address, value);
                if *op != RmwOp::Xchg
                    && let [result] = result[..]
                {
                    let computed = self.solver.variable();
                    self.anywhere(result, computed);
                    let address = self.whole(at, address);
                    let bytes = self.parts.bytes(module, value.ty);
                    let store = Constraint::Store { at: 0, bytes, from: computed };
                    self.solver.constrain(address, store);
                }
            }
            Operation::GetElementPtr { element, base, indices } => {
                let mut path = self.path(module, *element, indices);
                let is_repeated = instruction
                    .result
                    .is_some_and(|local| self.instances[at as usize].shape.repeated.contains(&local));
                if is_repeated && path.by != 0 && (indices.len() == 1 || path.strides.is_empty()) {
                    let step = u32::try_from(path.by.unsigned_abs()).unwrap_or(1);
                    path.strides.insert(0, (step, 0));
                }
                let base = self.whole(at, base);
                for to in result {
                    self.move_along(base, &path, to);
                }
            }
            Operation::Binary { op, left, right } => self.binary(at, instruction, *op, left, right),
            Operation::Cast { op, value, .. } => {
                if *op == llvm::CastOp::IntToPtr
                    && let Value::Constant(Constant::Integer(number)) = &value.value
                    && is_address(*number)
                {
                    for to in &result {
                        self.solver.include(*to, (OUTSIDE, Offset::ANY));
                    }
                }
                let value = self.operand(at, value);
                self.copy_parts(&value, &result);
            }
            Operation::Freeze(value) => {
                let value = self.operand(at, value);
                self.copy_parts(&value, &result);
            }
            Operation::Select { then, otherwise, .. } => {
                for one in [then, otherwise] {
                    let value = self.operand(at, one);
                    self.copy_parts(&value, &result);
                }
            }
            Operation::Phi { ty, incoming } => {
                for (value, _) in incoming {
                    let value = self.value(at, *ty, value);
                    self.copy_parts(&value, &result);
                }
            }
            Operation::ExtractValue { aggregate, indices } => {
                let values = self.operand(at, aggregate);
                match self.parts.chosen(module, aggregate.ty, indices) {
                    Some((first, _)) if first + result.len() <= values.len() => {
                        self.copy_parts(&values[first..first + result.len()], &result);
                    }
                    Some(_) | None => self.copy_all(&values, &result),
                }
            }
            Operation::InsertValue { aggregate, value, indices } => {
                let whole = self.operand(at, aggregate);
                let part = self.operand(at, value);
                match self.parts.chosen(module, aggregate.ty, indices) {
                    Some((first, _)) if first + part.len() <= result.len() => {
                        for (number, (from, to)) in whole.iter().zip(&result).enumerate() {
                            if number < first || number >= first + part.len() {
                                self.solver.copy(*from, *to);
                            }
                        }
                        self.copy_parts(&part, &result[first..first + part.len()]);
                    }
                    Some(_) | None => {
                        self.copy_parts(&whole, &result);
                        self.copy_all(&part, &result);
                    }
                }
            }
            Operation::ExtractElement { vector, .. } => {
                let values = self.operand(at, vector);
                self.copy_all(&values, &result);
            }
            Operation::InsertElement { vector: left, value: right, .. }
            | Operation::ShuffleVector { left, right, .. } => {
                for one in [left, right] {
                    let values = self.operand(at, one);
                    self.copy_all(&values, &result);
                }
            }
            Operation::VaArg { list, .. } => {
                let list = self.whole(at, list);
                let (lists, held) = (self.solver.variable(), self.solver.variable());
                self.solver.constrain(list, Constraint::LoadAll { to: lists });
                self.solver.constrain(lists, Constraint::LoadAll { to: held });
                for to in result {
                    self.solver.copy(held, to);
                }
            }
            Operation::Call(call)
            | Operation::Invoke { call, .. }
            | Operation::CallBranch { call, .. } => {
                self.call((at, block, index), call, result);
            }
            Operation::Return(Some(value)) => {
                let value = self.operand(at, value);
                let returned = self.returned(at);
                self.copy_parts(&value, &returned);
            }
            Operation::LandingPad { .. } => {
                for to in result {
                    self.solver.copy(ESCAPED, to);
                }
            }
            Operation::Resume(value) => {
                let value = self.whole(at, value);
                self.solver.copy(value, ESCAPED);
            }
            Operation::Fence { .. }
            | Operation::FNeg(_)
            | Operation::Compare { .. }
            | Operation::FloatCompare { .. }
            | Operation::Branch(_)
            | Operation::ConditionalBranch { .. }
            | Operation::Switch { .. }
            | Operation::IndirectBranch { .. }
            | Operation::Return(None)
            | Operation::Unreachable
            // Refused before anything is walked.
            | Operation::Other(_) => {}
        }
    }

    pub(crate) fn copy_all(&mut self, from: &[Var], to: &[Var]) {
        for from in from {
            for to in to {
                self.solver.copy(*from, *to);
            }
        }
    }

    fn binary(
        &mut self,
        at: u32,
        instruction: &Instruction,
        op: BinaryOp,
        left: &Operand,
        right: &Operand,
    ) {
        let Some(local) = instruction.result else { return };
        let [result] = self.local_parts(at, local)[..] else { return };
        let number = |operand: &Operand| match operand.value {
            Value::Constant(Constant::Integer(number)) => i32::try_from(number).ok(),
            Value::Constant(_)
            | Value::Local(_)
            | Value::Block(_)
            | Value::Asm(_)
            | Value::Metadata(_)
            | Value::MetadataText(_) => None,
        };
        let is_repeated = self.instances[at as usize].shape.repeated.contains(&local);
        let (one, two) = (self.whole(at, left), self.whole(at, right));
        match (op, number(right)) {
            (BinaryOp::Add, Some(by)) if !is_repeated => {
                self.solver.constrain(one, Constraint::Move { by, stride: 0, count: 1, to: result });
            }
            (BinaryOp::Sub, Some(by)) if !is_repeated => {
                let by = by.wrapping_neg();
                self.solver.constrain(one, Constraint::Move { by, stride: 0, count: 1, to: result });
            }
            // A tag in the low bits.
            (BinaryOp::Or, Some(by @ 0..16)) => {
                self.solver.constrain(one, Constraint::Move { by, stride: 0, count: 1, to: result });
                self.solver.copy(one, result);
            }
            (BinaryOp::And, Some(mask)) if mask < 0 && (!mask & (!mask).wrapping_add(1)) == 0 => {
                let bits = (!mask).count_ones();
                self.solver.constrain(one, Constraint::Mask { bits, to: result });
            }
            (BinaryOp::And, Some(0..4096)) => {}
            (BinaryOp::Add | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, _) => {
                self.anywhere(one, result);
                self.anywhere(two, result);
            }
            (BinaryOp::Sub, _) if !self.is_difference(at, left, right) => self.anywhere(one, result),
            (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, _) => self.anywhere(one, result),
            (
                BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::UDiv
                | BinaryOp::SDiv
                | BinaryOp::URem
                | BinaryOp::SRem
                | BinaryOp::FAdd
                | BinaryOp::FSub
                | BinaryOp::FMul
                | BinaryOp::FDiv
                | BinaryOp::FRem,
                _,
            ) => {}
        }
    }

    /// Whether both operands are addresses taken for just this: pointers are subtracted.
    fn is_difference(&self, at: u32, left: &Operand, right: &Operand) -> bool {
        let function = self.function(self.instances[at as usize].item);
        let is_taken = |operand: &Operand| match &operand.value {
            Value::Local(local) => function
                .blocks
                .iter()
                .flat_map(|block| &block.instructions)
                .find(|one| one.result == Some(*local))
                .is_some_and(|one| {
                    matches!(
                        one.operation,
                        Operation::Cast { op: llvm::CastOp::PtrToInt | llvm::CastOp::PtrToAddr, .. }
                    )
                }),
            Value::Constant(Constant::Expression(_)) => true,
            Value::Constant(_)
            | Value::Block(_)
            | Value::Asm(_)
            | Value::Metadata(_)
            | Value::MetadataText(_) => false,
        };
        is_taken(left) && is_taken(right)
    }

    fn call(&mut self, place: (u32, u32, u32), call: &Call, result: Vec<Var>) {
        let (at, ..) = place;
        let module = self.instances[at as usize].item.module;
        if let Value::Asm(asm) = &call.callee {
            self.assembly(at, asm, call, &result);
            return;
        }
        let symbol = linkage::symbol_of(&call.callee);
        if let Some(symbol) = symbol {
            let name = &self.linked.module(module).symbol(symbol).name;
            if let Some(name) = name.strip_prefix("llvm.") {
                self.intrinsic(at, name, call, &result);
                return;
            }
        }
        let arguments = call.arguments.iter().map(|one| self.operand(at, one)).collect();
        let types = &self.linked.module(module).types;
        let returns_pointer = matches!(types.resolved(call.result_type), Type::Pointer { .. });
        let site = self.site(place, Purpose::Call, arguments, result);
        self.sites[site as usize].returns_pointer = returns_pointer;
        match symbol.map(|symbol| self.linked.resolve(module, symbol)) {
            Some(item) if self.linked.function(item).is_some() => {
                self.sites[site as usize].is_direct = true;
                self.bind(site, item);
            }
            // What is chosen at load time, or nowhere declared.
            Some(_) => self.call_outside(site),
            None => {
                let callee = match &call.callee {
                    Value::Local(local) => self.local_parts(at, *local),
                    Value::Constant(constant) => self.constant_values(module, constant),
                    Value::Block(_)
                    | Value::Asm(_)
                    | Value::Metadata(_)
                    | Value::MetadataText(_) => Vec::new(),
                };
                let callee = self.union(&callee);
                self.solver.constrain(callee, Constraint::Call(site));
            }
        }
    }

    /// What assembly loads and stores through the addresses it is given, it may store and return.
    fn assembly(&mut self, at: u32, asm: &llvm::Asm, call: &Call, result: &[Var]) {
        if asm.text.trim().is_empty() && call.arguments.is_empty() {
            return;
        }
        let held = self.solver.variable();
        for argument in &call.arguments {
            let given = self.whole(at, argument);
            self.solver.copy(given, held);
            self.solver.constrain(given, Constraint::Load { at: 0, bytes: 16, to: held });
            self.solver.constrain(given, Constraint::Store { at: 0, bytes: 16, from: held });
        }
        for to in result {
            self.solver.copy(held, *to);
        }
    }

    fn intrinsic(&mut self, at: u32, name: &str, call: &Call, result: &[Var]) {
        let argument = |analysis: &mut Self, number: usize| match call.arguments.get(number) {
            Some(operand) => analysis.whole(at, operand),
            None => NOTHING,
        };
        let starts = |prefix: &str| name.starts_with(prefix);
        if starts("memcpy") || starts("memmove") {
            let (to, from) = (argument(self, 0), argument(self, 1));
            let bytes = call.arguments.get(2).and_then(|size| match size.value {
                Value::Constant(Constant::Integer(bytes)) => u32::try_from(bytes).ok(),
                Value::Constant(_)
                | Value::Local(_)
                | Value::Block(_)
                | Value::Asm(_)
                | Value::Metadata(_)
                | Value::MetadataText(_) => None,
            });
            self.solver.copy_memory(to, from, bytes.filter(|bytes| *bytes < 1 << 20));
        } else if starts("va_start") {
            let unnamed = self.unnamed(at);
            let object = self.solver.object(ObjectKind::Unnamed(at), None);
            let list = argument(self, 0);
            let address = self.solver.constant((object, Offset::ANY));
            self.solver.constrain(list, Constraint::StoreAll { from: address });
            self.solver.copy(address, unnamed);
        } else if starts("va_copy") {
            let (to, from) = (argument(self, 0), argument(self, 1));
            self.solver.copy_memory(to, from, None);
        } else if starts("ptrmask") {
            let from = argument(self, 0);
            for to in result {
                self.anywhere(from, *to);
            }
        } else {
            // What they compute is a number, or what they are given.
            for number in 0..call.arguments.len() {
                let from = argument(self, number);
                for to in result {
                    self.solver.copy(from, *to);
                }
            }
        }
    }

    /// Whether a call returns an address of which the table says nothing.
    pub(crate) fn returns_pointer(&self, site: u32) -> bool {
        self.sites[site as usize].returns_pointer
    }

    pub(crate) fn result(&self, site: u32) -> Vec<Var> {
        self.sites[site as usize].result.clone()
    }
}

fn is_address(number: i128) -> bool {
    !(-LEAST_ADDRESS..LEAST_ADDRESS).contains(&number)
}

fn vars(first: Var, from: u32, count: usize) -> Vec<Var> {
    (0..).take(count).map(|part: u32| Var(first.0 + from + part)).collect()
}

/// How an address is moved: by a number of bytes, and by multiples of strides, each with how many.
#[derive(Clone, Debug, Default)]
struct Path {
    by: i64,
    strides: Vec<(u32, u32)>,
}

impl Path {
    fn anywhere() -> Self {
        Self { by: 0, strides: vec![(1, 0)] }
    }
}
