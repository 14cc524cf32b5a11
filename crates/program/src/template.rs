//! Thread templates: registers and a control-flow automaton, with a number of copies.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::expr::Expr;
use crate::index::{EdgeId, Idx, IndexVec, LabelId, RegisterId};
use crate::instruction::Instruction;
use crate::memory::Memory;
use crate::operation::Boundary;
use crate::source::{Insertion, Span};
use crate::value::{Domain, Value};

/// A register of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// Its initial value.
    pub initial: Value,
    /// What it can hold.
    pub domain: Domain,
    /// Whether a front end made it up, for instance to hold one operand of an expression.
    pub generated: bool,
}

/// A label (control state) of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Whether a front end made the name up.
    pub generated: bool,
    /// Whether it belongs to a busy wait, so that being there for ever is a deadlock: one that its author
    /// meant as waiting (`await`), or, where a language has no word for that, a loop without effect.
    pub waiting: bool,
    /// The text it stands for.
    pub span: Span,
    /// Where a statement can be inserted that every path through this label passes, just before
    /// whatever leaves it.
    pub before: Insertion,
}

/// A labelled instruction: an edge of the control-flow automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The label it leaves.
    pub from: LabelId,
    /// The label it leads to.
    pub to: LabelId,
    /// What it does.
    pub instruction: Instruction,
    /// The text it stands for.
    pub span: Span,
    /// Where a statement can be inserted that is passed right after this edge, or another with the
    /// same insertion point, and only then.
    pub after: Insertion,
}

/// How many copies of a template there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Count {
    /// Exactly this many.
    Exactly(u32),
    /// Any number, also none: a parameterised program.
    Any,
}

/// How the copies of a template differ: copy `k` starts with `first + k` in `register`, which no
/// instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// The register that holds the identity.
    pub register: RegisterId,
    /// The identity of the first copy.
    pub first: Value,
}

impl Identity {
    /// The identity of copy `copy`, counted from 0.
    pub fn of(self, copy: u32) -> Value {
        self.first + Value::from(copy)
    }
}

/// A thread template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub(crate) name: String,
    /// Whether it stands for one thread whose name it has.
    pub(crate) is_named_apart: bool,
    pub(crate) span: Span,
    pub(crate) count: Count,
    pub(crate) identity: Option<Identity>,
    pub(crate) registers: IndexVec<RegisterId, Register>,
    pub(crate) labels: IndexVec<LabelId, Label>,
    pub(crate) initial: LabelId,
    /// Sorted by the label left, otherwise in source order.
    pub(crate) edges: IndexVec<EdgeId, Edge>,
    /// For each label, where its edges begin and end in `edges`.
    pub(crate) outgoing: IndexVec<LabelId, Range<u32>>,
    /// The labels where an operation is called or returns.
    pub(crate) boundaries: BTreeMap<LabelId, Boundary>,
}

impl Template {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is declared.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// How many copies there are.
    pub const fn count(&self) -> Count {
        self.count
    }

    /// How the copies differ, if they do.
    pub const fn identity(&self) -> Option<Identity> {
        self.identity
    }

    /// The registers.
    pub const fn registers(&self) -> &IndexVec<RegisterId, Register> {
        &self.registers
    }

    /// The labels.
    pub const fn labels(&self) -> &IndexVec<LabelId, Label> {
        &self.labels
    }

    /// The label where every copy starts.
    pub const fn initial(&self) -> LabelId {
        self.initial
    }

    /// All edges, sorted by the label they leave, otherwise in source order.
    pub const fn edges(&self) -> &IndexVec<EdgeId, Edge> {
        &self.edges
    }

    /// One edge.
    #[inline]
    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge]
    }

    /// The edges that leave `label`, in source order. A thread at a label without any has ended.
    #[inline]
    pub fn outgoing(&self, label: LabelId) -> impl ExactSizeIterator<Item = EdgeId> + use<> {
        let Range { start, end } = self.outgoing[label];
        (start as usize..end as usize).map(EdgeId::new)
    }

    /// The labels where an operation is called or returns: the only edge that leaves one does nothing, and
    /// taking it is the call or the return.
    pub const fn boundaries(&self) -> &BTreeMap<LabelId, Boundary> {
        &self.boundaries
    }

    /// What copy `copy` is called: its identity or its number in brackets where there are several, or
    /// it has a name of its own.
    pub fn copy_name(&self, copy: u32) -> String {
        match self.identity {
            _ if self.is_named_apart => self.name.clone(),
            Some(identity) => format!("{}[{}]", self.name, identity.of(copy)),
            None if self.count == Count::Exactly(1) => self.name.clone(),
            None => format!("{}[{copy}]", self.name),
        }
    }

    /// The initial values of the registers of copy `copy`.
    pub fn initial_registers(&self, copy: u32) -> IndexVec<RegisterId, Value> {
        let mut values: IndexVec<RegisterId, Value> =
            self.registers.iter().map(|register| register.initial).collect();
        if let Some(identity) = self.identity {
            values[identity.register] = identity.of(copy);
        }
        values
    }

    /// The bound of a front end that an edge stands for: an assignment that never succeeds, to a register
    /// whose name says what the bound is. It is a limit of the tool, as every overflow.
    pub fn bound(&self, edge: EdgeId) -> Option<&str> {
        let Instruction::Assign { register, value } = &self.edges[edge].instruction else {
            return None;
        };
        let register = &self.registers[*register];
        // Neither registers nor the addresses of variables matter.
        let mut is_constant = true;
        value.visit(&mut |part| {
            is_constant &= !matches!(part, Expr::Register(_) | Expr::Element(..));
        });
        let always = is_constant
            && value
                .evaluate(&Memory::flat(), &IndexVec::new())
                .is_ok_and(|value| !register.domain.contains(value));
        let is_bound = register.generated && register.domain == Domain::Integer && always;
        is_bound.then_some(register.name.as_str())
    }

    /// The same template with other instructions on its edges.
    #[must_use]
    pub fn with_instructions(&self, change: impl Fn(&Instruction) -> Instruction) -> Self {
        let changed = |edge: &Edge| Edge { instruction: change(&edge.instruction), ..edge.clone() };
        Self { edges: self.edges.iter().map(changed).collect(), ..self.clone() }
    }

    /// The same template for any number of copies, if nothing that it does tells copies apart.
    pub fn for_any_number(&self) -> Option<Self> {
        let tells_apart = self.identity.is_some_and(|identity| {
            let mut is_read = false;
            let operands = self.edges.iter().flat_map(|edge| edge.instruction.operands());
            operands.for_each(|operand| {
                operand.visit(&mut |part| is_read |= *part == Expr::Register(identity.register));
            });
            is_read
        });
        (!tells_apart).then(|| Self { count: Count::Any, identity: None, ..self.clone() })
    }

    /// The same template with another number of copies.
    #[must_use]
    pub fn with_count(&self, count: Count) -> Self {
        Self { count, ..self.clone() }
    }
}
