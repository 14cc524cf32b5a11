//! What of an instruction is seen of a thread whose registers are forgotten.

use std::collections::BTreeSet;
use std::fmt;

use program::{
    Access, Domain, Edge, EdgeId, Expr, Fault, Instruction, RegisterId, Span, ThreadId, Update,
    Value,
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

/// The register that received the result of the last access and what it can be, if that was an
/// update and only steps without access to memory followed.
pub(crate) type Recall = Option<(RegisterId, Possible)>;

/// What an edge becomes: one of these instructions, which have constants only, or nothing that can
/// be seen; each with what is recalled afterwards.
pub(crate) type Visible = Vec<(Option<Instruction>, Recall)>;

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

/// What is seen of an edge if only these cells are looked at and no more is known of the thread than
/// where it is and what it recalls.
pub(crate) fn visible(
    flow: &Flow<'_>,
    thread: ThreadId,
    id: EdgeId,
    recall: &Recall,
    cells: &BTreeSet<Value>,
) -> Result<Visible, NoFiniteRange> {
    let template = flow.template(thread);
    let edge = template.edge(id);
    let Some(mut registers) = flow.registers(thread, edge.from).cloned() else {
        return Ok(Vec::new());
    };
    if let Some((register, values)) = recall {
        registers[*register] = values.clone();
    }
    let Some(after) = flow.after(thread, id, &registers) else {
        // It blocks, or a fault stops the thread; then nothing is written.
        return Ok(Vec::new());
    };
    let of = |expr: &Expr| Possible::of(expr, flow.program().memory(), &registers);
    let writes = |address: &Expr, access: Access, result| {
        Writes::of(flow, edge.span, &of(address), access, cells, result)
    };
    let seen = match &edge.instruction {
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Fence(_) => {
            let kept = recall.as_ref().map(|(register, _)| *register);
            let kept = kept.filter(|one| edge.instruction.written_register() != Some(*one));
            vec![(None, kept.map(|register| (register, after[register].clone())))]
        }
        Instruction::Load { .. } => vec![(None, None)],
        Instruction::Lock | Instruction::Unlock => vec![(Some(edge.instruction.clone()), None)],
        Instruction::Store { address, value, access } => {
            writes(address, *access, None).stores(&of(value))?.seen
        }
        Instruction::StoreExclusive { address, value, access, .. } => {
            writes(address, *access, None).stores(&of(value))?.or_nothing().seen
        }
        Instruction::Update { result, address, update, access } => {
            let domain = |register: RegisterId| template.registers()[register].domain;
            let result = result.map(|register| (register, domain(register)));
            let writes = writes(address, *access, result);
            match update {
                Update::Exchange(value) => {
                    let value = of(value);
                    writes.exchanges(&value, |_, value| Ok(value), &value)?
                }
                Update::Fetch { op, operand } => {
                    let apply = |held, operand| op.apply(held, operand);
                    writes.exchanges(&of(operand), apply, &Possible::Any)?
                }
                Update::CompareAndSwap { expected, new } => {
                    writes.swaps(&of(expected), &of(new))?.failures(&of(expected))
                }
                Update::BlockingReadWrite { expected, new } => {
                    writes.swaps(&of(expected), &of(new))?
                }
            }
            .seen
        }
    };
    if seen.len() > MOST_WRITES {
        return Err(NoFiniteRange { at: edge.span, address: false });
    }
    Ok(seen)
}

/// What writes to some cells become.
struct Writes<'a> {
    flow: &'a Flow<'a>,
    at: Span,
    addresses: Vec<Value>,
    /// As the access was, and as it becomes.
    given: Access,
    access: Access,
    result: Option<(RegisterId, Domain)>,
    seen: Visible,
}

impl<'a> Writes<'a> {
    /// The cells among `cells` that an access may hit; what hits another one is not seen.
    fn of(
        flow: &'a Flow<'a>,
        at: Span,
        possible: &Possible,
        given: Access,
        cells: &BTreeSet<Value>,
        result: Option<(RegisterId, Domain)>,
    ) -> Self {
        let addresses = cells.iter().copied().filter(|cell| possible.contains(*cell)).collect();
        let access = Access { width: given.width, ..Access::PLAIN };
        let writes = Self { flow, at, addresses, given, access, result, seen: Vec::new() };
        let may_miss = possible
            .few()
            .is_none_or(|addresses| addresses.iter().any(|address| !cells.contains(address)));
        if may_miss { writes.or_nothing() } else { writes }
    }

    /// Nothing may be seen.
    fn or_nothing(mut self) -> Self {
        self.seen.push((None, None));
        self
    }

    /// That the result is what its register makes of one of these values.
    fn recall(&self, values: &Possible) -> Recall {
        let (register, domain) = self.result?;
        let values = values.admitted(domain);
        (!values.is_none()).then_some((register, values))
    }

    fn stores(mut self, values: &Possible) -> Result<Self, NoFiniteRange> {
        for address in &self.addresses {
            for value in self.listed(*address, values)? {
                let (address, value) = (Expr::Const(*address), Expr::Const(value));
                let store = Instruction::Store { address, value, access: self.access };
                self.seen.push((Some(store), None));
            }
        }
        Ok(self)
    }

    /// Writes `new` to a cell if it holds `held`.
    fn swap(&self, address: Value, held: Value, new: Value) -> (Option<Instruction>, Recall) {
        let update =
            Update::BlockingReadWrite { expected: Expr::Const(held), new: Expr::Const(new) };
        let (result, address, access) = (None, Expr::Const(address), self.access);
        let swap = Instruction::Update { result, address, update, access };
        (Some(swap), self.recall(&Possible::only(held)))
    }

    /// Writes what becomes of the value there and of an operand; one of `otherwise` if these are too
    /// many.
    fn exchanges(
        mut self,
        operands: &Possible,
        apply: impl Fn(Value, Value) -> Result<Value, Fault>,
        otherwise: &Possible,
    ) -> Result<Self, NoFiniteRange> {
        let mut unknown = Vec::new();
        for address in std::mem::take(&mut self.addresses) {
            let held = self.flow.held(address, self.given);
            let (Possible::Few(held), Possible::Few(operands)) = (held, operands) else {
                unknown.push(address);
                continue;
            };
            for (held, operand) in
                held.iter().flat_map(|held| operands.iter().map(move |operand| (*held, *operand)))
            {
                match apply(held, operand) {
                    Ok(new) => self.seen.push(self.swap(address, held, new)),
                    Err(fault) if fault.is_limit() => unknown.push(address),
                    Err(_) => {}
                }
            }
        }
        self.addresses = unknown;
        self.stores(otherwise)
    }

    /// Writes `new` where `expected` is; whatever is there if that may be anything.
    fn swaps(mut self, expected: &Possible, new: &Possible) -> Result<Self, NoFiniteRange> {
        let (Possible::Few(expected), Possible::Few(new)) = (expected, new) else {
            return self.stores(new);
        };
        for address in self.addresses.clone() {
            for expected in expected {
                for new in new {
                    self.seen.push(self.swap(address, *expected, *new));
                }
            }
        }
        Ok(self)
    }

    /// Nothing may be written, since something else was there.
    fn failures(mut self, expected: &Possible) -> Self {
        let mut held = Possible::none();
        for address in &self.addresses {
            held.add(&self.flow.held(*address, self.given));
        }
        if let Possible::Few(expected) = expected
            && let Some(only) = expected.first().filter(|_| expected.len() == 1)
        {
            held = held.without(*only);
        }
        if !held.is_none() {
            self.seen.push((None, self.recall(&held)));
        }
        self
    }

    /// The values, or all that the cell has room for.
    fn listed(&self, address: Value, values: &Possible) -> Result<Vec<Value>, NoFiniteRange> {
        if let Possible::Few(values) = values {
            return Ok(values.iter().copied().collect());
        }
        let cell = self.flow.program().memory().cell(address);
        let (low, high) = cell.map_or(Domain::Integer, |cell| cell.domain).bounds();
        if high - low < MOST_VALUES {
            return Ok((low..=high).collect());
        }
        Err(NoFiniteRange { at: self.at, address: false })
    }
}
