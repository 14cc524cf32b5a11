//! Where control flow lets a thread run into an error.

use program::{
    AccessWidth, BinaryOp, Count, Domain, EdgeId, Expr, Fault, IndexVec, Instruction, LabelId,
    Memory, RegisterId, Template, Value,
};

/// For each label whether a way leads from there to an instruction that may fail.
pub(crate) fn labels_that_can_fail(
    memory: &Memory,
    template: &Template,
) -> IndexVec<LabelId, bool> {
    let fails = edges_that_can_fail(memory, template);
    let mut can: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    for (id, edge) in template.edges().enumerate() {
        can[edge.from] |= fails[id];
    }
    let mut changed = true;
    while changed {
        changed = false;
        for edge in template.edges().as_slice().iter().rev() {
            changed |= can[edge.to] && !can[edge.from];
            can[edge.from] |= can[edge.to];
        }
    }
    can
}

/// For each edge of a template whether it may be an error.
pub(crate) fn edges_that_can_fail(memory: &Memory, template: &Template) -> IndexVec<EdgeId, bool> {
    let known = Known::of(memory, template);
    let edges = template.edges().enumerate();
    // What lies beyond a bound may fail.
    edges
        .map(|(id, edge)| template.bound(id).is_some() || known.may_fail(&edge.instruction))
        .collect()
}

/// What is known of the registers of a template without running it.
struct Known<'p> {
    memory: &'p Memory,
    template: &'p Template,
    /// Those that no instruction writes.
    fixed: IndexVec<RegisterId, bool>,
    /// The registers of each copy at the beginning.
    copies: Vec<IndexVec<RegisterId, Value>>,
}

impl<'p> Known<'p> {
    fn of(memory: &'p Memory, template: &'p Template) -> Self {
        let mut fixed: IndexVec<RegisterId, bool> =
            template.registers().iter().map(|_| true).collect();
        for edge in template.edges() {
            if let Some(register) = edge.instruction.written_register() {
                fixed[register] = false;
            }
        }
        let copies = match template.count() {
            Count::Exactly(count) => count,
            Count::Any => {
                if let Some(identity) = template.identity() {
                    fixed[identity.register] = false;
                }
                1
            }
        };
        let copies = (0..copies).map(|copy| template.initial_registers(copy)).collect();
        Self { memory, template, fixed, copies }
    }

    /// Whether an instruction may be an error, for any values of other registers and of memory.
    fn may_fail(&self, instruction: &Instruction) -> bool {
        let operands = instruction.expressions().into_iter().any(|expr| self.has_no_value(expr));
        let access = instruction.memory_access().is_some_and(|(address, access)| {
            let cells = self.values(address).map(|addresses| {
                let found = addresses.into_iter().map(|address| {
                    self.memory.footprint(address?, access.width).map(|found| found.cell.domain)
                });
                found.collect::<Result<Vec<Domain>, Fault>>()
            });
            match (cells, address) {
                (Some(cells), _) => cells.map_or(true, |cells| cells.into_iter().any(is_range)),
                // Whether there is such an element is a question about the index.
                (None, Expr::Element(location, _)) => {
                    let domain = self.memory.location(*location).domain;
                    let may_cover_more = matches!(access.width, AccessWidth::Across(_));
                    is_range(domain) || may_cover_more || !access.width.fits(domain)
                }
                (None, _) => true,
            }
        });
        let by_itself = match instruction {
            Instruction::Assert(condition) => !self.is_always(condition, |value| value != 0),
            Instruction::Lock | Instruction::Unlock => true,
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_) => false,
        };
        let receives = |register| is_range(self.template.registers()[register].domain);
        by_itself || operands || access || instruction.written_register().is_some_and(receives)
    }

    /// Whether an expression may have no value.
    fn has_no_value(&self, expr: &Expr) -> bool {
        if self.is_always(expr, |_| true) {
            return false;
        }
        let mut may = false;
        expr.visit(&mut |part| {
            may |= match part {
                Expr::Element(location, index) => {
                    let location = self.memory.location(*location);
                    !self.is_always(index, |index| location.address(index).is_ok())
                }
                Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) => {
                    !self.is_always(by, |by| by != 0)
                }
                Expr::Binary(BinaryOp::Shl | BinaryOp::Shr, _, by) => {
                    !self.is_always(by, |by| by >= 0)
                }
                Expr::Const(_)
                | Expr::Register(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select(_)
                | Expr::Cast(..) => false,
            };
        });
        may
    }

    /// Whether an expression is known to have a value like this in every copy.
    fn is_always(&self, expr: &Expr, is_such: impl Fn(Value) -> bool) -> bool {
        let values = self.values(expr);
        values.is_some_and(|values| values.into_iter().all(|value| value.is_ok_and(&is_such)))
    }

    /// The values of an expression in all copies, if no instruction can change them.
    fn values(&self, expr: &Expr) -> Option<Vec<Result<Value, Fault>>> {
        if !expr.registers().iter().all(|register| self.fixed[*register]) {
            return None;
        }
        let value = |registers| expr.evaluate(self.memory, registers);
        Some(self.copies.iter().map(value).collect())
    }
}

const fn is_range(domain: Domain) -> bool {
    matches!(domain, Domain::Range { .. })
}
