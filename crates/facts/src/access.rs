//! What an instruction does to memory and to other threads: the raw material of events, before it is
//! known what is shared.

use events::AccessKind;
use linkage::Item;
use linkage::effects::{Clause, Order as Said, OrderOf, Taking, Where};
use llvm::{Call, Constant, Instruction, Operand, Operation, Ordering, Value};
use program::{FenceKind, Order};

use crate::asm::{self, Statement};
use crate::pointers::{Pointers, Purpose};
use crate::solver::{ESCAPED, NOTHING, Var};

/// One thing that happens.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    /// An access.
    Access(RawAccess),
    /// A fence.
    Fence(FenceKind),
    /// Functions of the program are called, by these calls.
    Calls(Vec<u32>),
    /// External code may call all that it knows.
    CallsOutside,
    /// A thread is created, by this call.
    Creates(u32),
    /// The thread is waited for whose handle is this argument of the call.
    Joins(usize),
    /// A lock is taken: where it is.
    Locks(Var),
    /// A lock is given back, or perhaps.
    Unlocks(Var),
    /// Nothing follows.
    Stops,
}

/// An access to what a variable points to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawAccess {
    pub(crate) kind: AccessKind,
    pub(crate) order: Order,
    pub(crate) address: Var,
    /// How many bytes from there; nothing if it may be any of the object.
    pub(crate) bytes: Option<u32>,
    /// Whether machines can do it at once.
    pub(crate) aligned: bool,
}

impl RawAccess {
    /// What a function or an instruction does that is no load or store.
    const fn other(kind: AccessKind, order: Order, address: Var, bytes: Option<u32>) -> Happening {
        Happening::Access(Self { kind, order, address, bytes, aligned: false })
    }
}

/// What happens at an instruction: one of several alternatives, each a sequence.
pub(crate) type Alternatives = Vec<Vec<Happening>>;

/// How many bytes of a lock say whether it is taken.
const LOCK_BYTES: u32 = 4;

const fn order(ordering: Option<Ordering>) -> Order {
    match ordering {
        None => Order::Plain,
        Some(Ordering::Unordered | Ordering::Monotonic) => Order::Relaxed,
        Some(Ordering::Acquire) => Order::Acquire,
        Some(Ordering::Release) => Order::Release,
        Some(Ordering::AcquireRelease) => Order::AcquireRelease,
        Some(Ordering::SequentiallyConsistent) => Order::SeqCst,
    }
}

const fn said(order: Said) -> Order {
    match order {
        Said::Relaxed => Order::Relaxed,
        Said::Acquire => Order::Acquire,
        Said::Release => Order::Release,
        Said::AcqRel => Order::AcquireRelease,
        Said::SeqCst => Order::SeqCst,
    }
}

const fn fence(order: Order) -> Option<FenceKind> {
    match order {
        Order::Plain | Order::Volatile | Order::Relaxed => None,
        Order::Acquire => Some(FenceKind::Acquire),
        Order::Release => Some(FenceKind::Release),
        Order::AcquireRelease => Some(FenceKind::Lightweight),
        Order::SeqCst => Some(FenceKind::Full),
    }
}

/// A read-modify-write that always writes.
const UPDATE: AccessKind =
    AccessKind::Update { may_fail: false, keeps_result: true, failure: None, is_amo: true };

/// A compare-and-swap, with its order if it fails.
const fn compare_and_swap(failure: Option<Order>) -> AccessKind {
    AccessKind::Update { may_fail: true, keeps_result: true, failure, is_amo: false }
}

impl Pointers<'_, '_> {
    /// What happens at an instruction of an instance.
    pub(crate) fn happenings(
        &mut self,
        (instance, block, index): (u32, u32, u32),
        instruction: &Instruction,
    ) -> Alternatives {
        let module = self.instances[instance as usize].item.module;
        let one = |analysis: &mut Self, kind, order, address: &Operand, ty, align: Option<u64>| {
            if analysis.is_value(instance, &address.value) {
                return Vec::new();
            }
            let address = analysis.whole(instance, address);
            let bytes = analysis.parts.bytes(module, ty);
            let aligned = analysis.parts.is_indivisible(module, ty)
                && align.is_none_or(|align| align >= u64::from(bytes));
            let bytes = Some(bytes);
            vec![vec![Happening::Access(RawAccess { kind, order, address, bytes, aligned })]]
        };
        match &instruction.operation {
            Operation::Load { ty, address, ordering, align, .. } => {
                one(self, AccessKind::Read, order(*ordering), address, *ty, *align)
            }
            Operation::Store { value, address, ordering, align, .. } => {
                one(self, AccessKind::Write, order(*ordering), address, value.ty, *align)
            }
            Operation::CompareExchange { address, new, success, failure, .. } => {
                let kind = compare_and_swap(Some(order(Some(*failure))));
                one(self, kind, order(Some(*success)), address, new.ty, None)
            }
            Operation::AtomicRmw { address, value, ordering, .. } => {
                one(self, UPDATE, order(Some(*ordering)), address, value.ty, None)
            }
            Operation::Fence { ordering, single_thread: false } => {
                let fence = fence(order(Some(*ordering)));
                fence.into_iter().map(|fence| vec![Happening::Fence(fence)]).collect()
            }
            Operation::Call(call)
            | Operation::Invoke { call, .. }
            | Operation::CallBranch { call, .. } => {
                self.call_happenings((instance, block, index), call)
            }
            Operation::Fence { single_thread: true, .. }
            | Operation::Alloca { .. }
            | Operation::GetElementPtr { .. }
            | Operation::Binary { .. }
            | Operation::FNeg(_)
            | Operation::Compare { .. }
            | Operation::FloatCompare { .. }
            | Operation::Cast { .. }
            | Operation::Select { .. }
            | Operation::Phi { .. }
            | Operation::Freeze(_)
            | Operation::ExtractValue { .. }
            | Operation::InsertValue { .. }
            | Operation::ExtractElement { .. }
            | Operation::InsertElement { .. }
            | Operation::ShuffleVector { .. }
            // The list of arguments belongs to the thread.
            | Operation::VaArg { .. }
            | Operation::LandingPad { .. }
            | Operation::Branch(_)
            | Operation::ConditionalBranch { .. }
            | Operation::Switch { .. }
            | Operation::IndirectBranch { .. }
            | Operation::Return(_)
            | Operation::Resume(_)
            | Operation::Unreachable
            | Operation::Other(_) => Vec::new(),
        }
    }

    fn call_happenings(&mut self, place: (u32, u32, u32), call: &Call) -> Alternatives {
        let (instance, block, index) = place;
        let module = self.instances[instance as usize].item.module;
        if let Value::Asm(asm) = &call.callee {
            return self.assembly_happenings(instance, asm, call);
        }
        if let Some(symbol) = linkage::symbol_of(&call.callee) {
            let name = &self.linked.module(module).symbol(symbol).name;
            if let Some(name) = name.strip_prefix("llvm.") {
                return self.intrinsic_happenings(instance, name, call);
            }
        }
        let Some(sites) = self.instances[instance as usize].sites.get(&(block, index)) else {
            return Vec::new();
        };
        let sites = sites.clone();
        let mut alternatives = Vec::new();
        let Some(first) = sites.first().copied() else { return alternatives };
        let inner = &sites[1..];
        if !self.sites[first as usize].callees.is_empty() {
            alternatives.push(vec![Happening::Calls(vec![first])]);
        }
        let known = self.sites[first as usize].known.clone();
        for item in known {
            alternatives.push(self.clause_happenings(first, item, inner, call));
        }
        if self.sites[first as usize].is_outside {
            let mut all = Vec::new();
            for kind in [AccessKind::Read, AccessKind::Write] {
                let (order, address) = (Order::Plain, ESCAPED);
                all.push(RawAccess::other(kind, order, address, None));
            }
            all.push(Happening::CallsOutside);
            alternatives.push(all);
        }
        // By-value arguments are copied here.
        let mut copied = Vec::new();
        for (at, _) in &call.argument_types {
            if let Some(argument) = call.arguments.get(*at)
                && self.is_by_value(module, call, *at)
            {
                let address = self.whole(instance, argument);
                let (kind, order) = (AccessKind::Read, Order::Plain);
                copied.push(RawAccess::other(kind, order, address, None));
            }
        }
        if !copied.is_empty() {
            for one in &mut alternatives {
                one.splice(0..0, copied.iter().cloned());
            }
        }
        alternatives
    }

    /// Whether a copy of an argument is passed, as far as the function that is called says so.
    fn is_by_value(&self, module: u32, call: &Call, at: usize) -> bool {
        let Some(symbol) = linkage::symbol_of(&call.callee) else { return true };
        let item = self.linked.resolve(module, symbol);
        let parameter = self.linked.function(item).and_then(|one| one.parameters.get(at));
        parameter.is_none_or(|one| one.by_value)
    }

    fn assembly_happenings(&mut self, instance: u32, asm: &llvm::Asm, call: &Call) -> Alternatives {
        let statement = asm::statement(asm);
        let mut accesses = Vec::new();
        let mut push = |kind, order, address| {
            let bytes = Some(16);
            accesses.push(RawAccess::other(kind, order, address, bytes));
        };
        match statement {
            Statement::Empty => return Vec::new(),
            Statement::Fence(fence) => {
                return vec![vec![Happening::Fence(fence)]];
            }
            Statement::Locked => {
                for argument in &call.arguments {
                    let address = self.whole(instance, argument);
                    push(UPDATE, Order::SeqCst, address);
                }
            }
            Statement::Anything => {
                for argument in &call.arguments {
                    let address = self.whole(instance, argument);
                    push(AccessKind::Read, Order::Plain, address);
                    push(AccessKind::Write, Order::Plain, address);
                }
            }
        }
        if asm::touches_memory(asm) || self.is_variable_named(asm) {
            for kind in [AccessKind::Read, AccessKind::Write] {
                let (order, address, bytes) = (Order::Plain, ESCAPED, None);
                accesses.push(RawAccess::other(kind, order, address, bytes));
            }
        }
        vec![accesses]
    }

    fn intrinsic_happenings(&mut self, instance: u32, name: &str, call: &Call) -> Alternatives {
        let starts = |prefix: &str| name.starts_with(prefix);
        let bytes = call.arguments.get(2).and_then(number).and_then(|one| u32::try_from(one).ok());
        let access = |analysis: &mut Self, kind, at: usize| {
            let address = match call.arguments.get(at) {
                Some(argument) => analysis.whole(instance, argument),
                None => NOTHING,
            };
            RawAccess::other(kind, Order::Plain, address, bytes)
        };
        if starts("memcpy") || starts("memmove") {
            let from = access(self, AccessKind::Read, 1);
            return vec![vec![from, access(self, AccessKind::Write, 0)]];
        }
        if starts("memset") {
            return vec![vec![access(self, AccessKind::Write, 0)]];
        }
        let fence = if starts("x86.sse2.mfence") {
            FenceKind::Full
        } else if starts("x86.sse2.lfence") {
            FenceKind::LoadLoad
        } else if starts("x86.sse.sfence") {
            FenceKind::StoreStore
        } else if starts("trap") || starts("ubsantrap") {
            return vec![vec![Happening::Stops]];
        } else {
            return Vec::new();
        };
        vec![vec![Happening::Fence(fence)]]
    }

    /// What a function of the table does at a call.
    #[expect(clippy::too_many_lines, reason = "one arm for each clause")]
    fn clause_happenings(
        &mut self,
        site: u32,
        item: Item,
        mut inner: &[u32],
        call: &Call,
    ) -> Vec<Happening> {
        let name = self.linked.name(item);
        let has_body = self.linked.has_body(item);
        let Some(clauses) = self.library.clauses(name, has_body) else { return Vec::new() };
        let is_rust = llvm::demangled(name).is_some();
        let order_of = |order: OrderOf| match order {
            OrderOf::Fixed(order) => said(order),
            OrderOf::Argument(at) => match call.arguments.get(at).and_then(number) {
                Some(number) if is_rust => said(Said::of_rust(number)),
                Some(number) => said(Said::of_c(number)),
                // It may be any; the weakest promises least.
                None => Order::Relaxed,
            },
        };
        let mut all = Vec::new();
        if clauses.iter().all(only_reads) {
            for at in 0..self.sites[site as usize].arguments.len() {
                let address = self.argument(site, at);
                let (kind, order) = (AccessKind::Read, Order::Plain);
                all.push(RawAccess::other(kind, order, address, None));
            }
        }
        let access = |analysis: &mut Self, kind, order, at: usize, bytes| {
            let address = analysis.argument(site, at);
            RawAccess::other(kind, order, address, bytes)
        };
        for clause in &clauses {
            match clause {
                Clause::Locks(lock, taking) => {
                    let bytes = Some(LOCK_BYTES);
                    all.push(access(self, UPDATE, Order::Acquire, *lock, bytes));
                    if *taking == Taking::Alone {
                        all.push(Happening::Locks(self.argument(site, *lock)));
                    }
                }
                Clause::Unlocks { lock, by_store } => {
                    let kind = if *by_store { AccessKind::Write } else { UPDATE };
                    all.push(access(self, kind, Order::Release, *lock, Some(LOCK_BYTES)));
                    all.push(Happening::Unlocks(self.argument(site, *lock)));
                }
                Clause::Joins(handle) => all.push(Happening::Joins(*handle)),
                Clause::Ends(_) | Clause::Stops => all.push(Happening::Stops),
                Clause::Reallocates(old) => {
                    all.push(access(self, AccessKind::Read, Order::Plain, *old, None));
                }
                Clause::ReallocatesIn(place) => {
                    all.push(access(self, AccessKind::Read, Order::Plain, *place, None));
                    all.push(access(self, AccessKind::Write, Order::Plain, *place, None));
                }
                Clause::Mixes => {
                    let address = self.sites[site as usize].held.unwrap_or(NOTHING);
                    for kind in [AccessKind::Read, AccessKind::Write] {
                        let (order, bytes) = (Order::Plain, None);
                        all.push(RawAccess::other(kind, order, address, bytes));
                    }
                }
                Clause::Copies { to, from } => {
                    all.push(access(self, AccessKind::Read, Order::Plain, *from, None));
                    all.push(access(self, AccessKind::Write, Order::Plain, *to, None));
                }
                Clause::Writes { argument, and_all_that_follow } => {
                    let last = if *and_all_that_follow { call.arguments.len() } else { 0 };
                    for at in (*argument..=*argument).chain(argument + 1..last.max(argument + 1)) {
                        all.push(access(self, AccessKind::Write, Order::Plain, at, None));
                    }
                }
                Clause::Formats(format) => {
                    let instance = self.sites[site as usize].instance as usize;
                    let module = self.instances[instance].item.module;
                    let text = call.arguments.get(*format);
                    let text = text.and_then(|text| self.linked.text_of(module, &text.value));
                    if text.is_none_or(linkage::format_writes) {
                        for at in format + 1..call.arguments.len() {
                            all.push(access(self, AccessKind::Write, Order::Plain, at, None));
                        }
                    }
                }
                Clause::KeepsIn { place, .. }
                | Clause::Result(place)
                | Clause::Allocates(Where::Into(place))
                | Clause::Handle(Where::Into(place)) => {
                    all.push(access(self, AccessKind::Write, Order::Plain, *place, Some(8)));
                }
                Clause::ReturnsHeld(place) => {
                    all.push(access(self, AccessKind::Read, Order::Plain, *place, Some(8)));
                }
                Clause::Fences(order) => {
                    all.extend(fence(order_of(*order)).map(Happening::Fence));
                }
                Clause::Loads { address, order } => {
                    let (order, bytes) = (order_of(*order), Some(self.width(site, call)));
                    all.push(access(self, AccessKind::Read, order, *address, bytes));
                }
                Clause::Stores { value, address, order } => {
                    let (order, bytes) = (order_of(*order), self.width_of(site, call, *value));
                    all.push(access(self, AccessKind::Write, order, *address, bytes));
                }
                Clause::Exchanges { value, address, order } => {
                    let (order, bytes) = (order_of(*order), self.width_of(site, call, *value));
                    all.push(access(self, UPDATE, order, *address, bytes));
                }
                Clause::Updates { address, order } => {
                    let (order, bytes) = (said(*order), Some(LOCK_BYTES));
                    all.push(access(self, UPDATE, order, *address, bytes));
                }
                Clause::Handle(Where::Returned)
                | Clause::Allocates(Where::Returned)
                | Clause::Creates { .. }
                | Clause::CreatesBoxed { .. }
                | Clause::Frees(_)
                | Clause::Keeps(_)
                | Clause::ReturnsKept
                | Clause::ReturnsInside(_)
                | Clause::ReturnsOutside
                | Clause::ReturnsOwn
                | Clause::CreatesWithKept(_)
                | Clause::CreatesHeld(_)
                | Clause::CallsHeld(_) => {}
                Clause::Calls { .. } | Clause::CallsTable { .. } => {
                    // Calls were made in this order.
                    if let Some((first, rest)) = inner.split_first() {
                        self.inner_happenings(*first, &mut all);
                        inner = rest;
                    }
                }
            }
        }
        for one in inner {
            self.inner_happenings(*one, &mut all);
        }
        all
    }

    /// What a call that a library function makes is.
    fn inner_happenings(&self, site: u32, all: &mut Vec<Happening>) {
        let known = &self.sites[site as usize];
        match known.purpose {
            Purpose::Thread => all.push(Happening::Creates(site)),
            Purpose::Call if !known.callees.is_empty() => {
                all.push(Happening::Calls(vec![site]));
            }
            Purpose::Call | Purpose::Outside => {}
        }
        if known.is_outside {
            all.push(Happening::CallsOutside);
        }
    }

    /// How many bytes a call returns that loads.
    fn width(&self, site: u32, call: &Call) -> u32 {
        let module = self.instances[self.sites[site as usize].instance as usize].item.module;
        self.parts.bytes(module, call.result_type)
    }

    fn width_of(&self, site: u32, call: &Call, at: usize) -> Option<u32> {
        let module = self.instances[self.sites[site as usize].instance as usize].item.module;
        call.arguments.get(at).map(|one| self.parts.bytes(module, one.ty))
    }

    /// Whether an address is that of a local variable that is a value.
    fn is_value(&self, instance: u32, address: &Value) -> bool {
        match address {
            Value::Local(local) => {
                self.instances[instance as usize].shape.values.contains_key(local)
            }
            Value::Constant(_)
            | Value::Block(_)
            | Value::Asm(_)
            | Value::Metadata(_)
            | Value::MetadataText(_) => false,
        }
    }
}

/// Whether a function that does this reads what its arguments point to.
fn only_reads(clause: &Clause) -> bool {
    match clause {
        Clause::Writes { .. }
        | Clause::Formats(_)
        | Clause::KeepsIn { .. }
        | Clause::ReturnsInside(_)
        | Clause::ReturnsHeld(_)
        | Clause::ReturnsOutside
        | Clause::CallsHeld(_) => true,
        Clause::Locks(..)
        | Clause::Unlocks { .. }
        | Clause::Creates { .. }
        | Clause::CreatesBoxed { .. }
        | Clause::Handle(_)
        | Clause::Joins(_)
        | Clause::Result(_)
        | Clause::Ends(_)
        | Clause::Allocates(_)
        | Clause::Reallocates(_)
        | Clause::ReallocatesIn(_)
        | Clause::Mixes
        | Clause::Frees(_)
        | Clause::Copies { .. }
        | Clause::Keeps(_)
        | Clause::ReturnsKept
        | Clause::ReturnsOwn
        | Clause::Calls { .. }
        | Clause::CreatesWithKept(_)
        | Clause::CreatesHeld(_)
        | Clause::CallsTable { .. }
        | Clause::Fences(_)
        | Clause::Loads { .. }
        | Clause::Stores { .. }
        | Clause::Exchanges { .. }
        | Clause::Updates { .. }
        | Clause::Stops => false,
    }
}

/// The number that an operand is.
pub(crate) fn number(operand: &Operand) -> Option<i128> {
    match &operand.value {
        Value::Constant(Constant::Integer(number)) => Some(*number),
        Value::Constant(Constant::Zero | Constant::Null) => Some(0),
        Value::Constant(_)
        | Value::Local(_)
        | Value::Block(_)
        | Value::Asm(_)
        | Value::Metadata(_)
        | Value::MetadataText(_) => None,
    }
}
