//! A program as the oracle runs it: each concrete thread with an automaton of its own, so that a
//! fence can be put into one copy of a template and not into another.
//!
//! # Inserting fences
//!
//! At a **label** (ESOP'13 §5): the label keeps its name and everything that leads to it, but all
//! that leaves it is a fence to a new label, from which everything leaves that left it before.
//!
//! After an **edge** (ESOP'15 §9): the edge leads to a new label, and from there a fence to where
//! the edge led before.

use program::{
    Domain, EdgeId, FenceKind, IndexVec, Instruction, LabelId, Memory, Program, RegisterId,
    ThreadId, Value,
};

use crate::limits::Exceeded;

/// Where a fence can be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The concrete thread.
    pub thread: ThreadId,
    /// The place in its template.
    pub place: Place,
}

/// A place in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Before everything that leaves a label.
    At(LabelId),
    /// After one edge.
    After(EdgeId),
}

/// An edge of a thread.
#[derive(Clone, Debug)]
pub(crate) struct CodeEdge {
    pub(crate) to: LabelId,
    pub(crate) instruction: Instruction,
}

/// A concrete thread. Labels and edges of the template keep their numbers; new ones come after.
#[derive(Clone, Debug)]
pub(crate) struct ThreadCode {
    pub(crate) initial: LabelId,
    pub(crate) registers: IndexVec<RegisterId, Value>,
    pub(crate) domains: IndexVec<RegisterId, Domain>,
    pub(crate) edges: IndexVec<EdgeId, CodeEdge>,
    pub(crate) outgoing: IndexVec<LabelId, Vec<EdgeId>>,
    /// Whether being there for ever is a deadlock.
    pub(crate) waiting: IndexVec<LabelId, bool>,
}

impl ThreadCode {
    /// Whether a thread at `label` has ended.
    pub(crate) fn ends_at(&self, label: LabelId) -> bool {
        self.outgoing[label].is_empty()
    }
}

/// A program with concrete threads.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// Whether something is accessed across several cells.
    has_accesses_across: bool,
    pub(crate) memory: Memory,
    pub(crate) threads: IndexVec<ThreadId, ThreadCode>,
}

impl Code {
    /// Refuses accesses across several cells.
    pub(crate) const fn by_cells(&self) -> Result<(), Exceeded> {
        if self.has_accesses_across { Err(Exceeded::AccessAcross) } else { Ok(()) }
    }
}

/// The concrete threads of a program.
pub(crate) fn instantiate(program: &Program) -> Result<Code, Exceeded> {
    let threads = program
        .threads()
        .map_err(|parameterised| Exceeded::AnyNumberOfCopies { template: parameterised.name })?;
    let threads = threads
        .iter()
        .map(|thread| {
            let template = program.template(thread.template);
            ThreadCode {
                initial: template.initial(),
                registers: template.initial_registers(thread.copy),
                domains: template.registers().iter().map(|register| register.domain).collect(),
                edges: template
                    .edges()
                    .iter()
                    .map(|edge| CodeEdge { to: edge.to, instruction: edge.instruction.clone() })
                    .collect(),
                outgoing: template
                    .labels()
                    .indices()
                    .map(|label| template.outgoing(label).collect())
                    .collect(),
                waiting: template.labels().iter().map(|label| label.waiting).collect(),
            }
        })
        .collect();
    let has_accesses_across = program.access_across().is_some();
    Ok(Code { has_accesses_across, memory: program.memory().clone(), threads })
}

/// The same code with a full fence at each of these positions, which must be different ones.
pub(crate) fn insert_fences(code: &Code, positions: impl Iterator<Item = Position>) -> Code {
    let mut code = code.clone();
    for Position { thread, place } in positions {
        let thread = &mut code.threads[thread];
        let fence = Instruction::Fence(FenceKind::Full);
        match place {
            Place::At(label) => {
                let leaving = std::mem::take(&mut thread.outgoing[label]);
                let behind = thread.outgoing.push(leaving);
                thread.waiting.push(thread.waiting[label]);
                let edge = thread.edges.push(CodeEdge { to: behind, instruction: fence });
                thread.outgoing[label].push(edge);
            }
            Place::After(edge) => {
                let to = thread.edges[edge].to;
                let fence = thread.edges.push(CodeEdge { to, instruction: fence });
                thread.edges[edge].to = thread.outgoing.push(vec![fence]);
                thread.waiting.push(thread.waiting[to]);
            }
        }
    }
    code
}

/// Every label that something leaves, and every edge, of every concrete thread.
pub(crate) fn positions(code: &Code) -> (Vec<Position>, Vec<Position>) {
    let mut labels = Vec::new();
    let mut edges = Vec::new();
    for (thread, body) in code.threads.enumerate() {
        let left = body.outgoing.indices().filter(|label| !body.ends_at(*label));
        labels.extend(left.map(|label| Position { thread, place: Place::At(label) }));
        let all = body.edges.indices();
        edges.extend(all.map(|edge| Position { thread, place: Place::After(edge) }));
    }
    (labels, edges)
}
