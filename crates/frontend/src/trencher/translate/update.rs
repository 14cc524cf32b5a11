//! Atomic updates as locked sections: take the lock, read, decide, write, give it back.
//!
//! An update that would be an error writes nothing and gives the lock back before it stops, since
//! a thread that has stopped holds up nobody.

use program::{
    Access, BinaryOp, Domain, Edge, Expr, FetchOp, Instruction, LabelId, Register, RegisterId,
    Update,
};

use super::edge::{Draft, LockState, section};
use super::expression::{Inexpressible, Translated, all, binary};

/// What to write, and under which comparison with the value read.
struct Plan {
    new: Expr,
    expected: Option<Expr>,
    /// Whether to start over where the comparison fails.
    waits: bool,
}

/// What the branches of one update have in common.
struct Section<'e> {
    edge: &'e Edge,
    address: Expr,
    read: RegisterId,
    leave: Instruction,
    /// The assignment of the result after the section, if it was not read there directly.
    result: Option<Instruction>,
}

impl Draft<'_> {
    /// Adds the transitions of an atomic update.
    pub(super) fn update(
        &mut self,
        edge: &Edge,
        result: Option<RegisterId>,
        (address, access): (&Expr, Access),
        update: &Update,
        lock: LockState,
    ) -> Result<(), Inexpressible> {
        let (enter, leave) = section(lock)?;
        let target = self.scope.target(address, access)?;
        let domain = target.domain.ok_or("an update of one of several kinds of cells")?;
        let mut guards = target.guards;
        let read = self.register_to_read(result, &edge.instruction, update);
        let plan = self.plan(update, read, &mut guards)?;

        let mut before = self.guard(edge.from, guards);
        before.push(enter);
        before.push(Instruction::Load {
            register: read,
            address: target.address.clone(),
            access: Access::PLAIN,
        });
        let mut decide = edge.from;
        for step in before {
            let next = self.fresh_label();
            self.transition(decide, next, step, edge.span)?;
            decide = next;
        }

        let (new, write_guard) = self.scope.admit(plan.new, domain)?;
        let (result, result_guard) = match result {
            Some(register) if register != read => {
                let (value, guard) =
                    self.scope.admit(Expr::Register(read), self.domain(register))?;
                (Some(Instruction::Assign { register, value }), guard)
            }
            Some(_) | None => (None, None),
        };
        let section = Section { edge, address: target.address, read, leave, result };
        let write_guards = write_guard.into_iter().chain(result_guard.clone()).collect();
        let Some(expected) = plan.expected else {
            return self.write_and_leave(&section, decide, new, write_guards);
        };
        let matches = self.branch(&section, decide, BinaryOp::Eq, &expected)?;
        self.write_and_leave(&section, matches, new, write_guards)?;
        let differs = self.branch(&section, decide, BinaryOp::Ne, &expected)?;
        if plan.waits {
            return self.chain(differs, vec![section.leave], edge.from, edge.span);
        }
        let differs = self.checked(&section, differs, result_guard.into_iter().collect())?;
        let mut rest = vec![section.leave.clone()];
        rest.extend(section.result.clone());
        self.chain(differs, rest, edge.to, edge.span)
    }

    /// The register of the result where that is harmless: where it is not needed in the section
    /// for its old value, and where any value fits. Otherwise the scratch register.
    fn register_to_read(
        &mut self,
        result: Option<RegisterId>,
        instruction: &Instruction,
        update: &Update,
    ) -> RegisterId {
        let may_start_over = matches!(update, Update::BlockingReadWrite { .. });
        let is_harmless = |register: &RegisterId| {
            let mut operands = instruction.expressions().into_iter().flat_map(Expr::registers);
            self.domain(*register) == Domain::Integer
                && !may_start_over
                && !operands.any(|operand| operand == *register)
        };
        if let Some(register) = result.filter(is_harmless) {
            return register;
        }
        let Self { scratch, register_names, builder, .. } = self;
        *scratch.get_or_insert_with(|| {
            let name = register_names.fresh("scratch");
            builder.register(Register {
                name,
                initial: 0,
                domain: Domain::Integer,
                generated: true,
            })
        })
    }

    /// Translates the operands, all of which are evaluated before memory is accessed.
    fn plan(
        &self,
        update: &Update,
        read: RegisterId,
        guards: &mut Vec<Expr>,
    ) -> Result<Plan, Inexpressible> {
        let mut operand = |operand: &Expr| {
            let Translated { expr, guards: more } = self.scope.translate(operand)?;
            guards.extend(more);
            Ok::<Expr, Inexpressible>(expr)
        };
        Ok(match update {
            Update::Exchange(new) => Plan { new: operand(new)?, expected: None, waits: false },
            Update::Fetch { op, operand: right } => {
                let new = fetched(*op, &Expr::Register(read), &operand(right)?)?;
                Plan { new, expected: None, waits: false }
            }
            Update::CompareAndSwap { expected, new } => {
                let expected = operand(expected)?;
                Plan { new: operand(new)?, expected: Some(expected), waits: false }
            }
            Update::BlockingReadWrite { expected, new } => {
                let expected = operand(expected)?;
                Plan { new: operand(new)?, expected: Some(expected), waits: true }
            }
        })
    }

    fn branch(
        &mut self,
        section: &Section<'_>,
        at: LabelId,
        comparison: BinaryOp,
        expected: &Expr,
    ) -> Result<LabelId, Inexpressible> {
        let to = self.fresh_label();
        let condition = Expr::binary(comparison, Expr::Register(section.read), expected.clone());
        self.transition(at, to, Instruction::Assume(condition), section.edge.span)?;
        Ok(to)
    }

    /// The label where all of `guards` hold; where one does not, the thread stops outside the
    /// section.
    fn checked(
        &mut self,
        section: &Section<'_>,
        at: LabelId,
        guards: Vec<Expr>,
    ) -> Result<LabelId, Inexpressible> {
        let Some(condition) = all(guards) else { return Ok(at) };
        let span = section.edge.span;
        let (fine, stopped) = (self.fresh_label(), self.fresh_label());
        let error = Expr::unary(program::UnaryOp::Not, condition.clone());
        self.transition(at, fine, Instruction::Assume(condition), span)?;
        self.chain(at, vec![Instruction::Assume(error), section.leave.clone()], stopped, span)?;
        Ok(fine)
    }

    fn write_and_leave(
        &mut self,
        section: &Section<'_>,
        at: LabelId,
        new: Expr,
        guards: Vec<Expr>,
    ) -> Result<(), Inexpressible> {
        let at = self.checked(section, at, guards)?;
        let address = section.address.clone();
        let mut steps = vec![
            Instruction::Store { address, value: new, access: Access::PLAIN },
            section.leave.clone(),
        ];
        steps.extend(section.result.clone());
        self.chain(at, steps, section.edge.to, section.edge.span)
    }
}

/// What a fetch-and-op writes.
fn fetched(op: FetchOp, old: &Expr, operand: &Expr) -> Result<Expr, Inexpressible> {
    let apply = |op| {
        let plain = |expr: &Expr| Translated { expr: expr.clone(), guards: Vec::new() };
        binary(op, plain(old), plain(operand)).map(|translated| translated.expr)
    };
    match op {
        FetchOp::Add => apply(BinaryOp::Add),
        FetchOp::Sub => apply(BinaryOp::Sub),
        FetchOp::And => apply(BinaryOp::BitAnd),
        FetchOp::Or => apply(BinaryOp::BitOr),
        FetchOp::Xor => apply(BinaryOp::BitXor),
        // The complement of n is −1 − n.
        FetchOp::Nand => Ok(Expr::binary(BinaryOp::Sub, Expr::Const(-1), apply(BinaryOp::BitAnd)?)),
        FetchOp::Min => apply(BinaryOp::Min),
        FetchOp::Max => apply(BinaryOp::Max),
        FetchOp::MinAs(_) | FetchOp::MaxAs(_) => {
            Err("a minimum or maximum that names a type".to_owned())
        }
    }
}
