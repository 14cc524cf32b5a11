//! Which amounts a program may mean where it allocates, copies or fills memory: guesses.
//!
//! How much a program allocates must be known when it is translated, and is often computed from what lies
//! in memory: a capacity that is kept in a field, a list that becomes longer. This looks for the numbers
//! that values may have, in all threads together and in any order, as constants go through registers and
//! memory. It keeps few of each, and none that is large, so it may miss some: whoever uses a guess asks the
//! program whether it is right, and gives up where none is ([`crate::thread::Limit::Amount`]). A wrong guess
//! is a way that no run takes.

use std::collections::{BTreeSet, HashMap};

use program::index::{Idx, IndexVec};
use program::{
    BinaryOp, EdgeId, Expr, FetchOp, Instruction, Memory, RegisterId, Template, Update, Value,
};

use crate::agenda::{Agenda, Step};
use crate::flow::Flows;
use crate::object::{ObjectId, Objects};
use crate::targets::{Residue, Targets};

/// A few numbers.
type Few = BTreeSet<Value>;

/// So many numbers of a register or a cell are kept.
const MOST: usize = 12;
/// Sizes are smaller than this, and so are the masks that round them.
const LARGE: Value = 1 << 20;

/// The numbers that registers and cells may hold.
pub(crate) struct Amounts<'p> {
    objects: &'p Objects,
    registers: Vec<Vec<Few>>,
    memory: HashMap<ObjectId, Vec<(Residue, Few)>>,
}

fn extend(known: &mut Few, more: impl IntoIterator<Item = Value>) -> bool {
    let mut is_new = false;
    for value in more {
        if known.len() >= MOST {
            break;
        }
        is_new |= -LARGE < value && value < LARGE && known.insert(value);
    }
    is_new
}

impl<'p> Amounts<'p> {
    /// Follows constants through all threads until nothing changes.
    pub(crate) fn new(flows: &Flows<'_>, objects: &'p Objects, threads: &[&Template]) -> Self {
        let registers = threads.iter().map(|thread| {
            thread.registers().iter().map(|register| Few::from([register.initial])).collect()
        });
        let mut amounts = Self { objects, registers: registers.collect(), memory: HashMap::new() };
        // Where pointers go does not change any more.
        let accessed: Vec<Vec<Targets>> = threads
            .iter()
            .enumerate()
            .map(|(number, thread)| {
                let places =
                    thread.edges().iter().map(|edge| match edge.instruction.memory_access() {
                        Some((address, _)) => flows.of(number, address).places.clone(),
                        None => Targets::EMPTY,
                    });
                places.collect()
            })
            .collect();
        let mut agenda = Agenda::new(threads);
        for number in 0..agenda.len() {
            let Step { thread, edge } = agenda.step(number);
            for object in accessed[thread][edge].objects() {
                agenda.reads(number, object);
            }
        }
        while let Some((_, Step { thread, edge })) = agenda.pop() {
            let instruction = &threads[thread].edge(EdgeId::new(edge)).instruction;
            amounts.take(thread, instruction, &accessed[thread][edge], &mut agenda);
        }
        amounts
    }

    fn take(
        &mut self,
        thread: usize,
        instruction: &Instruction,
        places: &Targets,
        agenda: &mut Agenda,
    ) {
        match instruction {
            Instruction::Assign { register, value } => {
                let few = self.of(thread, value);
                self.put(thread, *register, few, agenda);
            }
            Instruction::Choose { register, low, .. } => {
                self.put(thread, *register, [*low], agenda);
            }
            Instruction::Load { register, .. } => {
                let few = self.read(places);
                self.put(thread, *register, few, agenda);
            }
            Instruction::Store { value, .. } => {
                let few = self.of(thread, value);
                self.write(places, &few, agenda);
            }
            Instruction::StoreExclusive { status, value, .. } => {
                let few = self.of(thread, value);
                self.put(thread, *status, [0, 1], agenda);
                self.write(places, &few, agenda);
            }
            Instruction::Update { result, update, .. } => {
                let read = self.read(places);
                let written = match update {
                    Update::Exchange(value)
                    | Update::CompareAndSwap { new: value, .. }
                    | Update::BlockingReadWrite { new: value, .. } => self.of(thread, value),
                    Update::Fetch { op, operand } => {
                        let by = self.of(thread, operand);
                        fetched(*op).map_or_else(Few::new, |op| combined(op, &read, &by))
                    }
                };
                self.write(places, &written, agenda);
                if let Some(result) = result {
                    self.put(thread, *result, read, agenda);
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

    fn put(
        &mut self,
        thread: usize,
        register: RegisterId,
        few: impl IntoIterator<Item = Value>,
        agenda: &mut Agenda,
    ) {
        if extend(&mut self.registers[thread][register.index()], few) {
            agenda.register_changed(thread, register);
        }
    }

    fn read(&self, places: &Targets) -> Few {
        let mut few = Few::new();
        for (object, offset) in places.iter() {
            for (at, held) in self.memory.get(&object).into_iter().flatten() {
                if at.meets(offset) {
                    extend(&mut few, held.iter().copied());
                }
            }
            let initial = &self.objects.get(object).initial;
            if offset.modulus == 0
                && let Ok(at) = u64::try_from(offset.residue)
                && initial.inexpressible(at, 8).is_none()
            {
                extend(&mut few, [initial.get(at, 8)]);
            }
        }
        few
    }

    fn write(&mut self, places: &Targets, few: &Few, agenda: &mut Agenda) {
        for (object, offset) in places.iter() {
            let cells = self.memory.entry(object).or_default();
            let known = cells.iter().position(|(at, _)| *at == offset);
            let known = known.unwrap_or_else(|| {
                cells.push((offset, Few::new()));
                cells.len() - 1
            });
            if extend(&mut cells[known].1, few.iter().copied()) {
                agenda.object_changed(object);
            }
        }
    }

    /// The numbers that an expression of a thread may be.
    pub(crate) fn of(&self, thread: usize, expr: &Expr) -> Few {
        let mut few = Few::new();
        match expr {
            Expr::Const(value) => {
                extend(&mut few, [*value]);
            }
            Expr::Register(register) => return self.registers[thread][register.index()].clone(),
            Expr::Element(..) => {}
            Expr::Unary(op, operand) => {
                let all = self.of(thread, operand).into_iter();
                extend(&mut few, all.filter_map(|one| value(&Expr::unary(*op, Expr::Const(one)))));
            }
            Expr::Cast(int, operand) => {
                extend(&mut few, self.of(thread, operand).into_iter().map(|one| int.wrap(one)));
            }
            Expr::Select(operands) => {
                few = self.of(thread, &operands[1]);
                extend(&mut few, self.of(thread, &operands[2]));
            }
            Expr::Binary(op, left, right) => {
                return combined(*op, &self.of(thread, left), &self.of(thread, right));
            }
        }
        few
    }
}

/// The operation that an update makes, where it is one of expressions; amounts have no sign that matters.
const fn fetched(op: FetchOp) -> Option<BinaryOp> {
    match op {
        FetchOp::Add => Some(BinaryOp::Add),
        FetchOp::Sub => Some(BinaryOp::Sub),
        FetchOp::And => Some(BinaryOp::BitAnd),
        FetchOp::Or => Some(BinaryOp::BitOr),
        FetchOp::Xor => Some(BinaryOp::BitXor),
        FetchOp::Min | FetchOp::MinAs(_) => Some(BinaryOp::Min),
        FetchOp::Max | FetchOp::MaxAs(_) => Some(BinaryOp::Max),
        FetchOp::Nand => None,
    }
}

fn value(expr: &Expr) -> Option<Value> {
    expr.evaluate(&Memory::flat(), &IndexVec::<RegisterId, Value>::new()).ok()
}

fn combined(op: BinaryOp, left: &Few, right: &Few) -> Few {
    let mut few = Few::new();
    for one in left {
        let all = right
            .iter()
            .filter_map(|other| value(&Expr::binary(op, Expr::Const(*one), Expr::Const(*other))));
        extend(&mut few, all);
    }
    few
}
