//! What a thread may still do from some label on: which addresses it may write, and whether it may fail or
//! come to a bound. Both err on the side of more, by what `events` knows of addresses, and by ranges of
//! values. A thread gets past a place where it waits only if the value may come that it waits for.

use std::collections::BTreeSet;

use events::{Addresses, Writing, written};
use program::index::Idx;
use program::{
    Access, AccessWidth, EdgeId, Expr, IndexVec, Instruction, LabelId, Parameterised, Program,
    Template, Thread, ThreadId, Update, Value,
};

use crate::range::{Range, fits, is_at_rest, range, read_range};

/// What threads may still do.
pub(crate) struct Future {
    of: IndexVec<ThreadId, IndexVec<LabelId, FromHere>>,
    steps: IndexVec<ThreadId, IndexVec<LabelId, Vec<Step>>>,
}

/// An edge as far as it matters to where a thread may come.
#[derive(Clone)]
struct Step {
    to: LabelId,
    edge: EdgeId,
    fails: bool,
    /// The address and the value that it waits for.
    waits_for: Option<(Value, Value)>,
}

/// Where a thread may still come.
#[derive(Default)]
pub(crate) struct Ahead {
    /// The instructions at which it may fail.
    pub(crate) fails: BTreeSet<EdgeId>,
    /// Whether there is a loop.
    pub(crate) goes_round: bool,
}

/// What may happen from a label on.
#[derive(Clone, Default)]
struct FromHere {
    writes: BTreeSet<Value>,
    writes_anything: bool,
    /// Addresses with a value that is waited for there, and written again.
    rewrites: BTreeSet<(Value, Value)>,
    is_head: bool,
}

impl Future {
    pub(crate) fn new(
        program: &Program,
        threads: &IndexVec<ThreadId, Thread>,
    ) -> Result<Self, Parameterised> {
        let writing: Writing = written(program)?;
        let of_thread = |(id, thread): (ThreadId, &Thread)| {
            from_each_label(program.template(thread.template), &writing[id])
        };
        let steps_of = |(id, thread): (ThreadId, &Thread)| {
            steps(program, program.template(thread.template), &writing[id])
        };
        Ok(Self {
            of: threads.enumerate().map(of_thread).collect(),
            steps: threads.enumerate().map(steps_of).collect(),
        })
    }

    /// Where a thread may come from a label on, if it is known which values may still come to which addresses.
    pub(crate) fn ahead(
        &self,
        thread: ThreadId,
        label: LabelId,
        may_come: &dyn Fn(Value, Value) -> bool,
    ) -> Ahead {
        let (of, steps) = (&self.of[thread], &self.steps[thread]);
        let mut ahead = Ahead::default();
        let mut seen: IndexVec<LabelId, bool> = of.iter().map(|_| false).collect();
        let mut open = vec![label];
        seen[label] = true;
        while let Some(label) = open.pop() {
            ahead.goes_round |= of[label].is_head;
            for step in &steps[label] {
                if step.waits_for.is_some_and(|(address, value)| !may_come(address, value)) {
                    continue;
                }
                if step.fails {
                    ahead.fails.insert(step.edge);
                }
                if !seen[step.to] {
                    seen[step.to] = true;
                    open.push(step.to);
                }
            }
        }
        ahead
    }

    /// Whether a thread may write something to an address that was not there, after it has come to a label.
    pub(crate) fn may_change(&self, thread: ThreadId, label: LabelId, address: Value) -> bool {
        let here = &self.of[thread][label];
        here.writes_anything || here.writes.contains(&address)
    }

    /// Whether a thread may write to an address after it has come to a label.
    pub(crate) fn may_write(&self, thread: ThreadId, label: LabelId, address: Value) -> bool {
        let here = &self.of[thread][label];
        here.writes_anything
            || here.writes.contains(&address)
            || here.rewrites.iter().any(|(at, _)| *at == address)
    }

    /// Whether one of some threads may write to an address that holds one of these values, after it has come to a
    /// label. One that waits there for another value does not.
    pub(crate) fn may_overwrite(
        &self,
        threads: &[(ThreadId, LabelId)],
        address: Value,
        held: &BTreeSet<Value>,
    ) -> bool {
        threads.iter().any(|(thread, label)| {
            let here = &self.of[*thread][*label];
            let rewrites = |(at, value): &(Value, Value)| *at == address && held.contains(value);
            here.writes_anything
                || here.writes.contains(&address)
                || here.rewrites.iter().any(rewrites)
        })
    }
}

fn from_each_label(
    template: &Template,
    writing: &[Option<Addresses>],
) -> IndexVec<LabelId, FromHere> {
    let mut of: IndexVec<LabelId, FromHere> =
        template.labels().iter().map(|_| FromHere::default()).collect();
    for (id, edge) in template.edges().enumerate() {
        let here = &mut of[edge.from];
        match (&writing[id.index()], waited_for(&edge.instruction)) {
            (None, _) => {}
            (Some(Addresses::Cells(cells)), Some((value, true))) if cells.len() == 1 => {
                here.rewrites.extend(cells.iter().map(|cell| (*cell, value)));
            }
            (Some(Addresses::Cells(cells)), _) => here.writes.extend(cells),
            (Some(Addresses::Within(_) | Addresses::Any), _) => here.writes_anything = true,
        }
    }
    for (label, is_head) in crate::loops::heads(template).enumerate() {
        of[label].is_head = *is_head;
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

fn steps(
    program: &Program,
    template: &Template,
    writing: &[Option<Addresses>],
) -> IndexVec<LabelId, Vec<Step>> {
    let mut steps: IndexVec<LabelId, Vec<Step>> =
        template.labels().iter().map(|_| Vec::new()).collect();
    for (id, edge) in template.edges().enumerate() {
        let waits_for = match (&writing[id.index()], waited_for(&edge.instruction)) {
            (Some(Addresses::Cells(cells)), Some((value, _))) if cells.len() == 1 => {
                cells.first().map(|cell| (*cell, value))
            }
            (None | Some(Addresses::Cells(_) | Addresses::Within(_) | Addresses::Any), _) => None,
        };
        let fails = may_fault(program, template, &edge.instruction);
        steps[edge.from].push(Step { to: edge.to, edge: id, fails, waits_for });
    }
    steps
}

/// The value that an update of one cell waits for, if it is known, and whether that is what it writes then.
fn waited_for(instruction: &Instruction) -> Option<(Value, bool)> {
    let Instruction::Update { update, access, .. } = instruction else { return None };
    let Update::BlockingReadWrite { expected: Expr::Const(value), new } = update else {
        return None;
    };
    let is_across = matches!(access.width, AccessWidth::Across(_));
    (!is_across).then_some((*value, *new == Expr::Const(*value)))
}

impl FromHere {
    /// Adds what may happen elsewhere, and says whether that is new.
    fn add(&mut self, other: Self) -> bool {
        let before = self.size();
        self.writes.extend(other.writes);
        self.rewrites.extend(other.rewrites);
        self.writes_anything |= other.writes_anything;
        self.size() > before
    }

    fn size(&self) -> usize {
        self.writes.len() + self.rewrites.len() + usize::from(self.writes_anything)
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
