//! What a thread may still do from some label on: which addresses it may write, and whether it may fail or
//! come to a bound. Both err on the side of more, by what `events` knows of addresses, and by ranges of
//! values.

use std::collections::BTreeSet;

use events::{Addresses, Writing, written};
use program::index::Idx;
use program::{
    Access, EdgeId, Expr, IndexVec, Instruction, LabelId, Parameterised, Program, Template, Thread,
    ThreadId, Update, Value,
};

use crate::range::{Range, fits, is_at_rest, range, read_range};

/// What threads may still do.
pub(crate) struct Future {
    of: IndexVec<ThreadId, IndexVec<LabelId, FromHere>>,
}

/// What may happen from a label on.
#[derive(Clone, Default)]
struct FromHere {
    writes: BTreeSet<Value>,
    writes_anything: bool,
    fails: BTreeSet<EdgeId>,
    goes_round: bool,
}

impl Future {
    pub(crate) fn new(
        program: &Program,
        threads: &IndexVec<ThreadId, Thread>,
    ) -> Result<Self, Parameterised> {
        let writing: Writing = written(program)?;
        let of_thread = |(id, thread): (ThreadId, &Thread)| {
            from_each_label(program, program.template(thread.template), &writing[id])
        };
        Ok(Self { of: threads.enumerate().map(of_thread).collect() })
    }

    /// Whether a thread may write to an address after it has come to a label.
    pub(crate) fn may_write(&self, thread: ThreadId, label: LabelId, address: Value) -> bool {
        let here = &self.of[thread][label];
        here.writes_anything || here.writes.contains(&address)
    }

    /// The instructions at which a thread may fail after it has come to a label.
    pub(crate) fn may_fail(&self, thread: ThreadId, label: LabelId) -> &BTreeSet<EdgeId> {
        &self.of[thread][label].fails
    }

    /// Whether a thread may come to a loop after it has come to a label.
    pub(crate) fn may_go_round(&self, thread: ThreadId, label: LabelId) -> bool {
        self.of[thread][label].goes_round
    }
}

fn from_each_label(
    program: &Program,
    template: &Template,
    writing: &[Option<Addresses>],
) -> IndexVec<LabelId, FromHere> {
    let mut of: IndexVec<LabelId, FromHere> =
        template.labels().iter().map(|_| FromHere::default()).collect();
    for (id, edge) in template.edges().enumerate() {
        let here = &mut of[edge.from];
        match &writing[id.index()] {
            None => {}
            Some(Addresses::Cells(cells)) => here.writes.extend(cells),
            Some(Addresses::Within(_) | Addresses::Any) => here.writes_anything = true,
        }
        if may_fault(program, template, &edge.instruction) {
            here.fails.insert(id);
        }
    }
    for (label, is_head) in crate::loops::heads(template).enumerate() {
        of[label].goes_round = *is_head;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for edge in template.edges().iter().rev() {
            let there = of[edge.to].clone();
            changed |= of[edge.from].add(there);
        }
    }
    of
}

impl FromHere {
    /// Adds what may happen elsewhere, and says whether that is new.
    fn add(&mut self, other: Self) -> bool {
        let before = self.size();
        self.writes.extend(other.writes);
        self.fails.extend(other.fails);
        self.writes_anything |= other.writes_anything;
        self.goes_round |= other.goes_round;
        self.size() > before
    }

    fn size(&self) -> usize {
        let flags = usize::from(self.writes_anything) + usize::from(self.goes_round);
        self.writes.len() + self.fails.len() + flags
    }
}

/// Whether an instruction may fail or leave the range of values.
fn may_fault(program: &Program, template: &Template, instruction: &Instruction) -> bool {
    let memory = program.memory();
    let register = |id| template.registers()[id].domain.bounds();
    let of = |expr: &Expr| range(memory, expr, &register);
    let received = |id: Option<program::RegisterId>, range: Range| {
        id.is_none_or(|id| fits(template.registers()[id].domain, range))
    };
    // Nothing if the address may not be one.
    let at = |address: &Expr, access: &Access| {
        let (low, high) = of(address)?;
        let cells = (low == high).then(|| memory.footprint(low, access.width))?.ok()?;
        Some(cells.cell.domain)
    };
    let is_safe = match instruction {
        Instruction::Skip | Instruction::Fence(_) | Instruction::Lock | Instruction::Unlock => true,
        Instruction::Assert(_) => false,
        Instruction::Assume(condition) => of(condition).is_some(),
        Instruction::Assign { register, value } => {
            of(value).is_some_and(|range| received(Some(*register), range))
        }
        Instruction::Choose { register, low, high } => received(Some(*register), (*low, *high)),
        Instruction::Load { register, address, access } => at(address, access)
            .is_some_and(|domain| received(Some(*register), read_range(domain, access.width))),
        Instruction::Store { address, value, access } => at(address, access)
            .is_some_and(|domain| of(value).is_some_and(|range| fits(domain, range))),
        Instruction::StoreExclusive { address, value, access, status } => at(address, access)
            .is_some_and(|domain| {
                of(value).is_some_and(|range| fits(domain, range))
                    && received(Some(*status), (0, 1))
            }),
        Instruction::Update { result, address, update, access } => {
            at(address, access).is_some_and(|domain| {
                let writes = match update {
                    Update::Exchange(new) => of(new).is_some_and(|range| fits(domain, range)),
                    Update::CompareAndSwap { expected, new }
                    | Update::BlockingReadWrite { expected, new } => {
                        of(expected).is_some() && of(new).is_some_and(|range| fits(domain, range))
                    }
                    Update::Fetch { operand, .. } => of(operand).is_some_and(|(low, high)| {
                        is_at_rest((low, high))
                            && is_at_rest(domain.bounds())
                            && fits(domain, (Value::MIN, Value::MAX))
                    }),
                };
                writes && received(*result, read_range(domain, access.width))
            })
        }
    };
    !is_safe
}
