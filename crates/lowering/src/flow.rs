//! Where pointers go: an analysis of all threads together that ignores the order of steps.
//!
//! Every register and every cell gets a set of numbers (residues) and a set of places. What a thread
//! reads through a pointer is whatever was ever put where the pointer may point. The result is used to
//! find out which bytes of objects form cells, what copies copy and what calls call; accesses
//! themselves stay exact, and an address that is not a cell is a fault.

use std::collections::HashMap;
use std::rc::Rc;

use program::index::Idx;
use program::{
    AccessWidth, BinaryOp, EdgeId, Expr, FetchOp, Instruction, RegisterId, Template, UnaryOp,
    Update, Value,
};

use crate::agenda::{Agenda, Step};
use crate::object::{ObjectId, Objects};
use crate::targets::{Numbers, Residue, Targets};
use crate::thread::{Origin, Spot, Walked};

/// The addresses that programs have on x86; what is above these bits of a pointer is a tag.
const ADDRESSES: i64 = 1 << 47;

/// What a register or a cell may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) numbers: Numbers,
    pub(crate) places: Targets,
}

impl Content {
    const fn numbers(numbers: Numbers) -> Self {
        Self { numbers, places: Targets::EMPTY }
    }

    /// Numbers, or any if none is known.
    fn of_numbers(numbers: Numbers) -> Self {
        if numbers.is_empty() { Self::any() } else { Self::numbers(numbers) }
    }

    fn number(residue: Residue) -> Self {
        Self::numbers(Numbers::one(residue))
    }

    fn any() -> Self {
        Self::number(Residue::ANY)
    }

    /// Adds what another may hold; whether something is new.
    fn extend(&mut self, other: &Self) -> bool {
        let is_new = self.numbers.extend(&other.numbers);
        self.places.extend(&other.places) || is_new
    }
}

/// An access to memory: where, how wide.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    pub(crate) thread: usize,
    pub(crate) edge: usize,
    pub(crate) places: Targets,
    pub(crate) bytes: u32,
    pub(crate) origin: Origin,
    pub(crate) spot: Spot,
    /// Whether its address is not known when the program is translated.
    pub(crate) is_by_pointer: bool,
}

/// Where pointers go.
pub(crate) struct Flows<'p> {
    objects: &'p Objects,
    /// For each thread the offsets within arrays, with the number of elements if it is known.
    indexed: Vec<&'p HashMap<Expr, Option<u64>>>,
    /// Shared, since most values are copied as they are.
    registers: Vec<Vec<Rc<Content>>>,
    memory: HashMap<ObjectId, Vec<(Residue, Content)>>,
    agenda: Agenda,
}

impl<'p> Flows<'p> {
    /// Follows pointers through all threads until nothing changes, or a limit is reached.
    pub(crate) fn new(
        objects: &'p Objects,
        threads: &[&Template],
        indexed: Vec<&'p HashMap<Expr, Option<u64>>>,
        is_over: &dyn Fn() -> bool,
    ) -> Self {
        let mut flows = Self {
            objects,
            indexed,
            registers: threads
                .iter()
                .map(|thread| {
                    thread
                        .registers()
                        .iter()
                        .map(|register| {
                            let initial = i64::try_from(register.initial).unwrap_or(0);
                            Rc::new(Content::number(Residue::exactly(initial)))
                        })
                        .collect()
                })
                .collect(),
            memory: HashMap::new(),
            agenda: Agenda::new(threads),
        };
        for (number, thread) in threads.iter().enumerate() {
            if let Some(identity) = thread.identity() {
                flows.registers[number][identity.register.index()] = Rc::new(Content::any());
            }
        }
        for (id, object) in objects.iter() {
            for (offset, address) in object.initial.pointers() {
                let content = flows.of_constant(address);
                let at = Residue::exactly(i64::try_from(offset).unwrap_or(0));
                flows.put(id, at, &content);
            }
        }
        while let Some((number, Step { thread, edge })) = flows.agenda.pop() {
            if is_over() {
                return flows;
            }
            flows.take(number, thread, &threads[thread].edge(EdgeId::new(edge)).instruction);
        }
        flows
    }

    /// Looks at a step with this number.
    fn take(&mut self, step: usize, thread: usize, instruction: &Instruction) {
        match instruction {
            Instruction::Assign { register, value } => {
                let content = self.of(thread, value);
                self.set(thread, *register, &content);
            }
            Instruction::Choose { register, .. } => {
                self.set(thread, *register, &Content::any());
            }
            Instruction::Load { register, address, .. } => {
                let content = self.read(step, thread, address);
                self.set(thread, *register, &content);
            }
            Instruction::Store { address, value, .. } => {
                let content = self.of(thread, value);
                self.write(thread, address, &content);
            }
            Instruction::StoreExclusive { status, address, value, .. } => {
                let content = self.of(thread, value);
                self.set(thread, *status, &Content::any());
                self.write(thread, address, &content);
            }
            Instruction::Update { result, address, update, .. } => {
                let read = self.read(step, thread, address);
                let written = match update {
                    Update::Exchange(value)
                    | Update::CompareAndSwap { new: value, .. }
                    | Update::BlockingReadWrite { new: value, .. } => self.of(thread, value),
                    Update::Fetch { op, operand } => {
                        let by = self.of(thread, operand);
                        let places = self.fetched(*op, &read, &by);
                        Rc::new(Content { places, ..Content::any() })
                    }
                };
                self.write(thread, address, &written);
                if let Some(result) = result {
                    self.set(thread, *result, &read);
                }
            }
            Instruction::Skip
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => {}
        }
    }

    fn set(&mut self, thread: usize, register: RegisterId, content: &Content) {
        let held = &mut self.registers[thread][register.index()];
        if std::ptr::eq(&raw const **held, content) {
            return;
        }
        if Rc::make_mut(held).extend(content) {
            self.agenda.register_changed(thread, register);
        }
    }

    /// Where a pointer in memory points after an operation on it.
    fn fetched(&self, op: FetchOp, read: &Content, by: &Content) -> Targets {
        match op {
            FetchOp::And => self.near(&combine(BinaryOp::BitAnd, read, by).places),
            FetchOp::Or => self.near(&combine(BinaryOp::BitOr, read, by).places),
            FetchOp::Xor => self.near(&combine(BinaryOp::BitXor, read, by).places),
            // It may move again and again.
            FetchOp::Add | FetchOp::Sub => {
                let step = by.numbers.iter().fold(Residue::exactly(0), Residue::join);
                let mut moved = Targets::EMPTY;
                for (object, offset) in read.places.iter() {
                    moved.insert(object, offset.plus(step));
                }
                moved
            }
            FetchOp::Min | FetchOp::Max | FetchOp::MinAs(_) | FetchOp::MaxAs(_) => {
                combine(BinaryOp::Min, read, by).places
            }
            FetchOp::Nand => Targets::EMPTY,
        }
    }

    fn read(&mut self, step: usize, thread: usize, address: &Expr) -> Content {
        let from = self.of(thread, address);
        // Whatever is not a pointer may be any number.
        let mut content = Content::any();
        for (object, offset) in from.places.iter() {
            self.agenda.reads(step, object);
            for (at, held) in self.memory.get(&object).into_iter().flatten() {
                if at.meets(offset) {
                    content.places.extend(&held.places);
                }
            }
        }
        content
    }

    fn write(&mut self, thread: usize, address: &Expr, content: &Content) {
        if content.places.is_empty() {
            return;
        }
        let to = self.of(thread, address);
        for (object, offset) in to.places.iter() {
            self.put(object, offset, content);
        }
    }

    fn put(&mut self, object: ObjectId, offset: Residue, content: &Content) {
        let cells = self.memory.entry(object).or_default();
        let is_new = if let Some((_, held)) = cells.iter_mut().find(|(at, _)| *at == offset) {
            held.extend(content)
        } else {
            cells.push((offset, content.clone()));
            true
        };
        if is_new {
            self.agenda.object_changed(object);
        }
    }

    fn of_constant(&self, value: Value) -> Content {
        let mut content =
            Content::number(i64::try_from(value).map_or(Residue::ANY, Residue::exactly));
        // A number may look like an address, and still be a distance or a mask.
        if let Some((object, offset)) = self.objects.at(value.rem_euclid(ADDRESSES.into())) {
            content.places.insert(object, Residue::exactly(offset));
        }
        content
    }

    /// What an expression of a thread may be.
    pub(crate) fn of(&self, thread: usize, expr: &Expr) -> Rc<Content> {
        match expr {
            Expr::Register(register) => Rc::clone(&self.registers[thread][register.index()]),
            Expr::Const(_)
            | Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Cast(..)
            | Expr::Select(_)
            | Expr::Binary(..) => Rc::new(self.computed(thread, expr)),
        }
    }

    /// The same where it is not a register as it stands.
    fn computed(&self, thread: usize, expr: &Expr) -> Content {
        match expr {
            Expr::Const(value) => self.of_constant(*value),
            Expr::Register(register) => Content::clone(&self.registers[thread][register.index()]),
            Expr::Element(..) => Content::any(),
            Expr::Unary(op, operand) => match op {
                UnaryOp::Neg => Content::of_numbers(self.of(thread, operand).numbers.times(-1)),
                UnaryOp::BitNot | UnaryOp::Not => Content::any(),
            },
            Expr::Cast(int, operand) => {
                let content = self.of(thread, operand);
                // A pointer that is cut is none any more.
                if int.bits() < 48 {
                    Content::of_numbers(content.numbers.clone())
                } else {
                    Rc::unwrap_or_clone(content)
                }
            }
            Expr::Select(operands) => {
                let mut content = Rc::unwrap_or_clone(self.of(thread, &operands[1]));
                content.extend(&self.of(thread, &operands[2]));
                content
            }
            Expr::Binary(op, first, second) => {
                let (left, right) = if *op == BinaryOp::Add {
                    (self.of_summand(thread, first), self.of_summand(thread, second))
                } else {
                    (self.of(thread, first), self.of(thread, second))
                };
                let mut content = combine(*op, &left, &right);
                // What has no sign leaves no negative rest.
                if *op == BinaryOp::Rem
                    && is_without_sign(first)
                    && let Some(divisor @ 1..=0xffff) = right.numbers.only()
                {
                    content.numbers = up_to(divisor - 1);
                }
                content.places = self.near(&content.places);
                content
            }
        }
    }

    /// What a summand of an address may be. An index stays inside of its array: what it would reach
    /// otherwise is a fault, or is there anyway. The same product elsewhere is a number like any other.
    fn of_summand(&self, thread: usize, expr: &Expr) -> Rc<Content> {
        if let Expr::Binary(BinaryOp::Mul, _, step) = expr
            && let Some(Some(count)) = self.indexed[thread].get(expr)
            && let Some(step) = self.of(thread, step).numbers.only()
        {
            return Rc::new(Content::numbers(Numbers::multiples(step, *count)));
        }
        self.of(thread, expr)
    }

    /// The places where pointers into objects may be.
    fn near(&self, places: &Targets) -> Targets {
        let mut near = Targets::EMPTY;
        for (object, offset) in places.iter() {
            if let Some(offset) = self.near_to(object, offset) {
                near.insert(object, offset);
            }
        }
        near
    }

    /// Where a pointer into an object is: inside, just behind, or a few words off, as where a structure is
    /// found from one of its fields. Programs that go astray bit by bit, such as those that keep flags in
    /// pointers, go only in this analysis, which does not look at conditions.
    ///
    /// What is added at the top of a pointer is a tag, which is masked off before the pointer is used: the
    /// place is still the one without. What else is far away at once may come back to anywhere.
    fn near_to(&self, object: ObjectId, offset: Residue) -> Option<Residue> {
        const OFF: i64 = 64;
        const FAR: i64 = 1 << 31;
        if offset.modulus != 0 {
            return Some(offset);
        }
        let at = offset.residue.rem_euclid(ADDRESSES);
        let at = if at < ADDRESSES / 2 { at } else { at - ADDRESSES };
        let extent = i64::try_from(self.objects.get(object).extent()).unwrap_or(i64::MAX);
        let is_off = at % 8 == 0 && -OFF <= at && at <= extent.saturating_add(OFF);
        if (0..=extent).contains(&at) || is_off {
            Some(Residue::exactly(at))
        } else {
            (at.abs() >= FAR).then_some(Residue::ANY)
        }
    }

    /// All accesses to memory.
    pub(crate) fn touches(&self, threads: &[Walked]) -> Vec<Touch> {
        let mut touches = Vec::new();
        for (thread, walked) in threads.iter().enumerate() {
            for (edge, data) in walked.template.edges().enumerate() {
                let Some((address, access)) = data.instruction.memory_access() else { continue };
                let bytes = match access.width {
                    AccessWidth::Bytes(bytes) => bytes,
                    AccessWidth::Across(int) => int.bits() / 8,
                    AccessWidth::Cell => continue,
                };
                let places = self.of(thread, address).places.clone();
                let (edge, bytes) = (edge.index(), u32::from(bytes));
                let origin = walked.origins[edge];
                let spot = Spot::new(origin.point, address, bytes);
                let is_by_pointer = !matches!(address, Expr::Const(_));
                touches.push(Touch { thread, edge, places, bytes, origin, spot, is_by_pointer });
            }
        }
        touches
    }
}

fn combine(op: BinaryOp, left: &Content, right: &Content) -> Content {
    let any = Residue::ANY;
    match op {
        BinaryOp::Add | BinaryOp::Sub => {
            let sign = if op == BinaryOp::Add { 1 } else { -1 };
            let mut places = Targets::EMPTY;
            for by in right.numbers.iter() {
                for (object, offset) in left.places.iter() {
                    places.insert(object, offset.plus(by.times(sign)));
                }
            }
            for by in left.numbers.iter().filter(|_| op == BinaryOp::Add) {
                for (object, offset) in right.places.iter() {
                    places.insert(object, offset.plus(by));
                }
            }
            // The distance of two pointers is a number.
            let distance = !left.places.is_empty() && !right.places.is_empty();
            let numbers = if distance {
                Numbers::any()
            } else {
                left.numbers.with(&right.numbers, |left, right| left.plus(right.times(sign)))
            };
            Content { numbers, places }
        }
        BinaryOp::Mul => match (left.numbers.only(), right.numbers.only()) {
            (_, Some(factor)) if !left.numbers.is_empty() => {
                Content::numbers(left.numbers.times(factor))
            }
            (Some(factor), _) if !right.numbers.is_empty() => {
                Content::numbers(right.numbers.times(factor))
            }
            (Some(_) | None, _) => Content::any(),
        },
        BinaryOp::Shl => match right.numbers.only() {
            Some(by @ 0..=32) if !left.numbers.is_empty() => {
                Content::numbers(left.numbers.times(1 << by))
            }
            Some(_) | None => Content::any(),
        },
        // Flags in the low bits of pointers.
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            let mut places = Targets::EMPTY;
            for (pointer, mask) in [(left, right), (right, left)] {
                let Some(mask) = mask.numbers.only() else {
                    for (object, _) in pointer.places.iter() {
                        places.insert(object, any);
                    }
                    continue;
                };
                for (object, offset) in pointer.places.iter() {
                    let is_small = (0..16).contains(&mask);
                    if op == BinaryOp::BitAnd {
                        // What a few low bits leave is not an address.
                        if !is_small {
                            places.insert(object, masked(offset, |at| at & mask));
                        }
                    } else if op == BinaryOp::BitOr {
                        places.insert(object, masked(offset, |at| at | mask));
                    } else {
                        places.insert(object, masked(offset, |at| at ^ mask));
                    }
                }
            }
            let numbers = match (op, left.numbers.only(), right.numbers.only()) {
                (BinaryOp::BitAnd, Some(mask @ 0..=0xffff), _)
                | (BinaryOp::BitAnd, _, Some(mask @ 0..=0xffff)) => up_to(mask),
                _ => Numbers::any(),
            };
            Content { numbers, places }
        }
        BinaryOp::Rem => match right.numbers.only() {
            // Of what has a sign, the negative ones too: seldom meant, never lost.
            Some(divisor @ 1..=0xffff) => {
                let mut numbers = up_to(divisor - 1);
                numbers.extend(&numbers.times(-1));
                Content::numbers(numbers)
            }
            Some(_) | None => Content::any(),
        },
        BinaryOp::Min | BinaryOp::Max => {
            let mut content = left.clone();
            content.extend(right);
            content
        }
        BinaryOp::Div
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or => Content::any(),
    }
}

/// Whether an expression is never negative, by its form.
fn is_without_sign(expr: &Expr) -> bool {
    matches!(expr, Expr::Cast(int, _) if !int.signed())
}

/// The numbers from 0 to the last.
fn up_to(last: i64) -> Numbers {
    Numbers::multiples(1, last.unsigned_abs() + 1)
}

/// Objects begin at multiples of 16, so low bits of an address are those of the offset.
fn masked(offset: Residue, change: impl Fn(i64) -> i64) -> Residue {
    if offset.modulus.is_multiple_of(16) || offset.modulus == 0 {
        return Residue::new(offset.modulus, change(offset.residue));
    }
    Residue::ANY
}
