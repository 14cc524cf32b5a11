//! What of an instruction is seen of a thread whose registers are forgotten.

use std::collections::BTreeSet;
use std::fmt;

use program::{
    Access, Domain, Edge, EdgeId, Expr, Instruction, Memory, Order, Span, ThreadId, Update, Value,
};

use super::flow::Flow;
use super::possible::Possible;

/// Why a thread cannot be flattened: what it may write has no finite range that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoFiniteRange {
    /// The access whose address or value it is.
    pub at: Span,
    /// Whether it is the address.
    pub address: bool,
}

impl fmt::Display for NoFiniteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.address { "addresses that are accessed" } else { "values written" };
        write!(f, "no small range of the {what} here is known; a declared range would give one")
    }
}

/// More writes than these are not made of one instruction.
const MOST_WRITES: usize = 1 << 12;
/// Nor are more values of a declared range listed.
const MOST_VALUES: Value = 256;

/// What an edge becomes.
#[derive(Debug, Default)]
pub(crate) struct Visible {
    /// Instructions with constants only, one of which is executed.
    pub(crate) writes: Vec<Instruction>,
    /// Whether nothing may be seen of it.
    pub(crate) silent: bool,
}

/// The addresses that an edge may read, if it reads.
pub(crate) fn reads(flow: &Flow<'_>, thread: ThreadId, edge: &Edge) -> Option<Possible> {
    match &edge.instruction {
        Instruction::Load { address, .. } | Instruction::Update { address, .. } => {
            Some(flow.values(thread, edge.from, address))
        }
        // An exclusive store depends on its reservation, which a load made.
        Instruction::StoreExclusive { .. }
        | Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Store { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => None,
    }
}

/// Whether an edge may write one of the cells.
pub(crate) fn may_write(
    flow: &Flow<'_>,
    thread: ThreadId,
    edge: &Edge,
    cells: &BTreeSet<Value>,
) -> bool {
    match &edge.instruction {
        Instruction::Store { address, .. }
        | Instruction::StoreExclusive { address, .. }
        | Instruction::Update { address, .. } => {
            flow.values(thread, edge.from, address).meets(&Possible::Few(cells.clone()))
        }
        Instruction::Load { .. }
        | Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => false,
    }
}

/// What is seen of an edge if only these cells are looked at.
pub(crate) fn visible(
    flow: &Flow<'_>,
    thread: ThreadId,
    id: EdgeId,
    cells: &BTreeSet<Value>,
) -> Result<Visible, NoFiniteRange> {
    let edge = flow.template(thread).edge(id);
    if !flow.passes(thread, id) {
        // It blocks, or a fault stops the thread; then nothing is written.
        return Ok(Visible::default());
    }
    let of = |expr: &Expr| flow.values(thread, edge.from, expr);
    let memory = flow.program().memory();
    let mut seen = Visible::default();
    match &edge.instruction {
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Fence(_) => seen.silent = true,
        Instruction::Lock | Instruction::Unlock => seen.writes.push(edge.instruction.clone()),
        Instruction::Store { address, value, access } => {
            let writes = Writes::of(memory, edge, &of(address), *access, cells, &mut seen);
            writes.stores(&of(value), &mut seen)?;
        }
        Instruction::StoreExclusive { address, value, access, .. } => {
            let writes = Writes::of(memory, edge, &of(address), *access, cells, &mut seen);
            writes.stores(&of(value), &mut seen)?;
            seen.silent = true;
        }
        Instruction::Update { address, update, access, .. } => {
            let writes = Writes::of(memory, edge, &of(address), *access, cells, &mut seen);
            match update {
                Update::Exchange(value) => writes.stores(&of(value), &mut seen)?,
                Update::Fetch { op, operand } => match of(operand) {
                    Possible::Few(operands) => {
                        let fetch = |operand| Update::Fetch { op: *op, operand };
                        let operands = operands.iter().map(|operand| Expr::Const(*operand));
                        writes.updates(operands.map(fetch), &mut seen);
                    }
                    Possible::Any => writes.stores(&Possible::Any, &mut seen)?,
                },
                Update::CompareAndSwap { expected, new } => {
                    writes.swaps(&of(expected), &of(new), &mut seen)?;
                    seen.silent = true;
                }
                Update::BlockingReadWrite { expected, new } => {
                    writes.swaps(&of(expected), &of(new), &mut seen)?;
                }
            }
        }
    }
    if seen.writes.len() > MOST_WRITES {
        return Err(NoFiniteRange { at: edge.span, address: false });
    }
    Ok(seen)
}

/// What writes to some cells become.
struct Writes<'a> {
    memory: &'a Memory,
    at: Span,
    addresses: Vec<Value>,
    access: Access,
}

impl<'a> Writes<'a> {
    /// The cells among `cells` that an access may hit; what hits another one is not seen.
    fn of(
        memory: &'a Memory,
        edge: &Edge,
        possible: &Possible,
        access: Access,
        cells: &BTreeSet<Value>,
        seen: &mut Visible,
    ) -> Self {
        let addresses = cells.iter().copied().filter(|cell| possible.contains(*cell)).collect();
        seen.silent = possible
            .few()
            .is_none_or(|addresses| addresses.iter().any(|address| !cells.contains(address)));
        let access = Access { order: Order::Plain, exclusive: false, ..access };
        Self { memory, at: edge.span, addresses, access }
    }

    fn stores(&self, values: &Possible, seen: &mut Visible) -> Result<(), NoFiniteRange> {
        for address in &self.addresses {
            for value in self.listed(*address, values)? {
                let (address, value) = (Expr::Const(*address), Expr::Const(value));
                seen.writes.push(Instruction::Store { address, value, access: self.access });
            }
        }
        Ok(())
    }

    fn updates(&self, updates: impl Iterator<Item = Update> + Clone, seen: &mut Visible) {
        for address in &self.addresses {
            seen.writes.extend(updates.clone().map(|update| Instruction::Update {
                result: None,
                address: Expr::Const(*address),
                update,
                access: self.access,
            }));
        }
    }

    /// Writes `new` if `expected` is there; whatever is there if it may be anything.
    fn swaps(
        &self,
        expected: &Possible,
        new: &Possible,
        seen: &mut Visible,
    ) -> Result<(), NoFiniteRange> {
        let (Possible::Few(expected), Possible::Few(new)) = (expected, new) else {
            return self.stores(new, seen);
        };
        let swaps = expected.iter().flat_map(|expected| {
            new.iter().map(|new| Update::BlockingReadWrite {
                expected: Expr::Const(*expected),
                new: Expr::Const(*new),
            })
        });
        self.updates(swaps, seen);
        Ok(())
    }

    /// The values, or all that the cell has room for.
    fn listed(&self, address: Value, values: &Possible) -> Result<Vec<Value>, NoFiniteRange> {
        if let Possible::Few(values) = values {
            return Ok(values.iter().copied().collect());
        }
        let domain = self.memory.cell(address).map_or(Domain::Integer, |cell| cell.domain);
        let (low, high) = domain.bounds();
        if high - low < MOST_VALUES {
            return Ok((low..=high).collect());
        }
        Err(NoFiniteRange { at: self.at, address: false })
    }
}
