//! Edges as chains of transitions.

use program::{
    Access, Domain, Edge, Expr, FenceKind, Instruction, LabelId, NoInsertion, Order, RegisterId,
    Span, Template, TemplateBuilder, UnaryOp, Value,
};

use super::added_label;
use super::expression::{Inexpressible, Scope, all, constant, in_range, wrap};
use super::names::Names;

/// A choice among more values is not written out.
const MAX_CHOICES: Value = 64;

/// Whether a thread holds the memory lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockState {
    /// It does not.
    Free,
    /// It does.
    Held,
    /// It depends on how it got here.
    Unknown,
}

/// A thread being translated.
pub(super) struct Draft<'p> {
    /// The original. Its registers and labels keep their numbers.
    pub(super) template: &'p Template,
    pub(super) scope: Scope<'p>,
    pub(super) builder: TemplateBuilder,
    pub(super) register_names: Names,
    pub(super) label_names: Names,
    /// The register for values that only translation needs, once there is one.
    pub(super) scratch: Option<RegisterId>,
    /// What the labels are called that are added now.
    pub(super) stem: String,
}

impl Draft<'_> {
    /// Adds the transitions of one edge.
    pub(super) fn edge(&mut self, edge: &Edge, lock: LockState) -> Result<(), Inexpressible> {
        self.stem.clone_from(&self.builder.labels()[edge.from].name);
        match &edge.instruction {
            Instruction::Skip | Instruction::Lock | Instruction::Unlock => {
                self.guarded(edge, Vec::new(), vec![edge.instruction.clone()])
            }
            Instruction::Fence(kind) => {
                let fence = if kind.orders_store_before_load() {
                    Instruction::Fence(FenceKind::Full)
                } else {
                    Instruction::Skip
                };
                self.guarded(edge, Vec::new(), vec![fence])
            }
            Instruction::Assign { register, value } => {
                let value = self.scope.translate(value)?;
                let mut guards = value.guards;
                let (value, guard) = self.scope.admit(value.expr, self.domain(*register))?;
                guards.extend(guard);
                let assign = Instruction::Assign { register: *register, value };
                self.guarded(edge, guards, vec![assign])
            }
            Instruction::Choose { register, low, high } => {
                self.choose(edge, *register, *low, *high)
            }
            Instruction::Assume(condition) => self.assume(edge, condition),
            Instruction::Assert(condition) => {
                let mut condition = self.scope.translate(condition)?;
                condition.guards.push(condition.expr);
                self.guarded(edge, condition.guards, Vec::new())
            }
            Instruction::Load { register, address, access } => {
                self.load(edge, *register, address, *access)
            }
            Instruction::Store { address, value, access } => {
                self.store(edge, address, value, *access, lock)
            }
            Instruction::StoreExclusive { .. } => Err("an exclusive store".to_owned()),
            Instruction::Update { result, address, update, access } => {
                self.update(edge, *result, (address, *access), update, lock)
            }
        }
    }

    /// A condition that does not hold keeps a thread from going this way, but an error in
    /// evaluating it is not a reason to go another.
    fn assume(&mut self, edge: &Edge, condition: &Expr) -> Result<(), Inexpressible> {
        let mut condition = self.scope.translate(condition)?;
        if let Some(fine) = all(condition.guards.clone())
            && self.has_alternatives(edge.from)
        {
            let stopped = self.fresh_label();
            let error = Expr::unary(UnaryOp::Not, fine);
            self.transition(edge.from, stopped, Instruction::Assume(error), edge.span)?;
        }
        condition.guards.push(condition.expr);
        let condition = all(condition.guards).expect("there is a condition");
        self.transition(edge.from, edge.to, Instruction::Assume(condition), edge.span)
    }

    fn choose(
        &mut self,
        edge: &Edge,
        register: RegisterId,
        low: Value,
        high: Value,
    ) -> Result<(), Inexpressible> {
        if high - low >= MAX_CHOICES {
            return Err(format!("a choice of more than {MAX_CHOICES} values"));
        }
        let domain = self.domain(register);
        for value in low..=high {
            let (to, step) = if let Ok(held) = domain.admit(value) {
                (edge.to, Instruction::Assign { register, value: constant(held)? })
            } else {
                (self.fresh_label(), Instruction::Skip)
            };
            self.transition(edge.from, to, step, edge.span)?;
        }
        Ok(())
    }

    fn load(
        &mut self,
        edge: &Edge,
        register: RegisterId,
        address: &Expr,
        access: Access,
    ) -> Result<(), Inexpressible> {
        let target = self.scope.target(address, access)?;
        let load = Instruction::Load { register, address: target.address, access: Access::PLAIN };
        let mut steps = vec![load];
        // A value that is too large is in the register for a moment, but nobody looks.
        let loaded = Expr::Register(register);
        let domain = self.domain(register);
        match domain {
            Domain::Integer => {}
            Domain::Range { .. } | Domain::Wrapping(_) if holds_all(domain, target.domain) => {}
            Domain::Range { low, high } => {
                steps.push(Instruction::Assume(in_range(&loaded, low, high)?));
            }
            Domain::Wrapping(int) => {
                steps.push(Instruction::Assign { register, value: wrap(int, loaded)? });
            }
        }
        self.guarded(edge, target.guards, steps)
    }

    fn store(
        &mut self,
        edge: &Edge,
        address: &Expr,
        value: &Expr,
        access: Access,
        lock: LockState,
    ) -> Result<(), Inexpressible> {
        let target = self.scope.target(address, access)?;
        let value = self.scope.translate(value)?;
        let domain = target.domain.ok_or("a store to one of several kinds of cells")?;
        let (value, guard) = self.scope.admit(value.expr, domain).map(|(expr, guard)| {
            let mut guards = value.guards;
            guards.extend(guard);
            (expr, guards)
        })?;
        let mut guards = target.guards;
        guards.extend(guard);
        let store = Instruction::Store { address: target.address, value, access: Access::PLAIN };
        let steps = if access.order == Order::SeqCst {
            let (enter, leave) = section(lock)?;
            vec![enter, store, leave]
        } else {
            vec![store]
        };
        self.guarded(edge, guards, steps)
    }

    /// The transitions of an edge that stops the thread unless all of `guards` hold.
    fn guarded(
        &mut self,
        edge: &Edge,
        guards: Vec<Expr>,
        steps: Vec<Instruction>,
    ) -> Result<(), Inexpressible> {
        let mut chain = self.guard(edge.from, guards);
        chain.extend(steps);
        self.chain(edge.from, chain, edge.to, edge.span)
    }

    /// What stops a thread at `from` unless all of `guards` hold.
    pub(super) fn guard(&self, from: LabelId, guards: Vec<Expr>) -> Vec<Instruction> {
        let Some(condition) = all(guards) else { return Vec::new() };
        let check = Instruction::Assume(condition);
        if self.has_alternatives(from) { vec![Instruction::Skip, check] } else { vec![check] }
    }

    fn has_alternatives(&self, label: LabelId) -> bool {
        self.template.outgoing(label).len() > 1
    }

    /// Adds `steps`, one after the other.
    pub(super) fn chain(
        &mut self,
        from: LabelId,
        steps: Vec<Instruction>,
        to: LabelId,
        span: Span,
    ) -> Result<(), Inexpressible> {
        let mut at = from;
        let count = steps.len();
        for (number, step) in steps.into_iter().enumerate() {
            let next = if number + 1 == count { to } else { self.fresh_label() };
            self.transition(at, next, step, span)?;
            at = next;
        }
        Ok(())
    }

    /// Adds one transition.
    pub(super) fn transition(
        &mut self,
        from: LabelId,
        to: LabelId,
        instruction: Instruction,
        span: Span,
    ) -> Result<(), Inexpressible> {
        if instruction.expressions().iter().any(|expr| expr.depth() > Expr::MAX_DEPTH) {
            return Err("an expression of this depth".to_owned());
        }
        let after = Err(NoInsertion::NoSource);
        self.builder.edge(Edge { from, to, instruction, span, after });
        Ok(())
    }

    /// One more label.
    pub(super) fn fresh_label(&mut self) -> LabelId {
        let name = self.label_names.fresh(&self.stem);
        self.builder.label(added_label(name))
    }

    /// What a register of the original can hold.
    pub(super) fn domain(&self, register: RegisterId) -> Domain {
        self.scope.registers[register].1
    }
}

/// Whether whatever a cell holds also fits `domain`.
fn holds_all(domain: Domain, cell: Option<Domain>) -> bool {
    cell.is_some_and(|cell| {
        let (low, high) = cell.bounds();
        domain.contains(low) && domain.contains(high)
    })
}

/// What begins and ends an atomic section: both wait for an empty buffer, and in between nobody
/// else gets at memory.
pub(super) fn section(lock: LockState) -> Result<(Instruction, Instruction), Inexpressible> {
    let fence = Instruction::Fence(FenceKind::Full);
    match lock {
        LockState::Free => Ok((Instruction::Lock, Instruction::Unlock)),
        LockState::Held => Ok((fence.clone(), fence)),
        LockState::Unknown => {
            Err("an atomic operation where the memory lock may or may not be held".to_owned())
        }
    }
}
