//! Dead registers.
//!
//! A register is dead at a label if on every path from there it is written before it is read, or
//! never read again. Its value has no influence on anything that follows, so all its values may be
//! taken for one. Two states that differ in dead registers only have the same futures: forgetting
//! them is a bisimulation, which preserves everything but the registers themselves; those that a
//! condition looks at are kept alive where it looks at them. To compute something for a register that is dead
//! is no reading, as long as that cannot fail: a counter that nobody else reads is dead, although it reads itself.

use std::collections::BTreeSet;

use program::index::Idx;
use program::{
    BinaryOp, Domain, EdgeId, Expr, IndexVec, Instruction, LabelId, Observable, Program,
    RegisterId, Template, TemplateId, UnaryOp, Value,
};

/// When somebody looks at a register from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LiveUntil {
    /// When its thread has ended.
    AtTheEnd,
    /// At any time.
    Always,
}

/// The instructions whose results nobody uses: they are dead at once, and the program's question does
/// not ask for them.
pub fn dead_results(program: &Program) -> BTreeSet<(TemplateId, EdgeId)> {
    let observed = program.question().observables();
    let mut dead = BTreeSet::new();
    for (id, template) in program.templates().enumerate() {
        let is_observed = |wanted: RegisterId| {
            observed.iter().any(|observable| match observable {
                Observable::Register { template, register, .. } => {
                    (*template, *register) == (id, wanted)
                }
                Observable::Cell(_) | Observable::Across(..) => false,
            })
        };
        let looked = |register| is_observed(register).then_some(LiveUntil::AtTheEnd);
        let live = Live::with(template, &looked, &copied_to);
        let is_dead = |edge: EdgeId| {
            let data = template.edge(edge);
            let written = data.instruction.written_register();
            written.is_some_and(|register| !live.has(data.to, register))
        };
        let edges = template.edges().indices().filter(|edge| is_dead(*edge));
        dead.extend(edges.map(|edge| (id, edge)));
    }
    dead
}

/// The register that an instruction does nothing but copy to, and cannot fail: the text of the program goes on without
/// the copy. What else is computed for a register stands in the text, where it uses what it uses.
fn copied_to(template: &Template, instruction: &Instruction) -> Option<RegisterId> {
    let Instruction::Assign { value, .. } = instruction else { return None };
    let mut copied = value;
    while let Expr::Cast(_, inner) = copied {
        copied = inner;
    }
    let is_copy = matches!(copied, Expr::Register(_) | Expr::Const(_));
    computed_for(template, instruction).filter(|_| is_copy)
}

/// The register that an instruction does nothing but compute, without being able to fail.
fn computed_for(template: &Template, instruction: &Instruction) -> Option<RegisterId> {
    let Instruction::Assign { register, value } = instruction else { return None };
    let wraps = matches!(template.registers()[*register].domain, Domain::Wrapping(_));
    (wraps && bits_of(template, value)? <= MOST_BITS).then_some(*register)
}

/// Values of fewer bits can be added and multiplied without leaving those that exist.
const MOST_BITS: u32 = Value::BITS - 8;

/// How many bits the value of an expression may need, with its sign; nothing if computing it may fail.
fn bits_of(template: &Template, expr: &Expr) -> Option<u32> {
    let of = |expr: &Expr| bits_of(template, expr).filter(|bits| *bits <= MOST_BITS);
    match expr {
        Expr::Const(value) => Some(Value::BITS - value.unsigned_abs().leading_zeros() + 1),
        Expr::Register(register) => match template.registers()[*register].domain {
            Domain::Wrapping(int) => Some(u32::from(int.bits()) + 1),
            Domain::Integer | Domain::Range { .. } => None,
        },
        // Beyond the end of an array there is no element.
        Expr::Element(..) => None,
        Expr::Unary(op, operand) => {
            let bits = of(operand)?;
            Some(match op {
                UnaryOp::Not => 2,
                UnaryOp::Neg | UnaryOp::BitNot => bits + 1,
            })
        }
        Expr::Cast(int, operand) => of(operand).map(|_| u32::from(int.bits()) + 1),
        Expr::Select(operands) => {
            let [condition, then, otherwise] = &**operands;
            of(condition)?;
            Some(of(then)?.max(of(otherwise)?))
        }
        Expr::Binary(op, left, right) => {
            let (left, right) = (of(left)?, of(right)?);
            match op {
                BinaryOp::Add | BinaryOp::Sub => Some(left.max(right) + 1),
                BinaryOp::Mul => Some(left + right),
                BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
                | BinaryOp::Min
                | BinaryOp::Max => Some(left.max(right)),
                BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge
                | BinaryOp::And
                | BinaryOp::Or => Some(2),
                // Not for all operands.
                BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => None,
            }
        }
    }
}

/// What an edge does to registers.
struct Uses {
    from: LabelId,
    to: LabelId,
    written: Option<RegisterId>,
    /// Written by a computation that is idle if it is dead afterwards.
    computed_for: Option<RegisterId>,
}

/// For each label the registers whose values can still matter.
pub(super) struct Live {
    /// The registers of one label after the other, as bits of so many words each.
    bits: Vec<u64>,
    words: usize,
}

impl Live {
    /// `looked` says when somebody looks at a register from outside.
    pub(super) fn of(
        template: &Template,
        looked: &dyn Fn(RegisterId) -> Option<LiveUntil>,
    ) -> Self {
        Self::with(template, looked, &computed_for)
    }

    /// The same, where `idle` tells the register for which an instruction does nothing else than write it.
    fn with(
        template: &Template,
        looked: &dyn Fn(RegisterId) -> Option<LiveUntil>,
        idle: &dyn Fn(&Template, &Instruction) -> Option<RegisterId>,
    ) -> Self {
        let words = template.registers().len().div_ceil(64);
        let mut live = Self { bits: vec![0; words * template.labels().len()], words };
        for register in template.registers().indices() {
            let Some(when) = looked(register) else { continue };
            for label in template.labels().indices() {
                let is_looked_at = match when {
                    LiveUntil::Always => true,
                    LiveUntil::AtTheEnd => template.outgoing(label).len() == 0,
                };
                if is_looked_at {
                    set(&mut live.bits[label.index() * words..], register);
                }
            }
        }
        let mut read = vec![0; words * template.edges().len()];
        let mut uses = Vec::with_capacity(template.edges().len());
        for (id, edge) in template.edges().enumerate() {
            for expr in edge.instruction.operands() {
                expr.visit(&mut |part| {
                    if let Expr::Register(register) = part {
                        set(&mut read[id.index() * words..], *register);
                    }
                });
            }
            let computed_for = idle(template, &edge.instruction);
            uses.push(Uses {
                from: edge.from,
                to: edge.to,
                written: edge.instruction.written_register(),
                computed_for: computed_for
                    .filter(|register| looked(*register) != Some(LiveUntil::Always)),
            });
        }
        while live.go_back(&uses, &read) {}
        live
    }

    /// Takes over, once for each edge, what matters after it and what it reads; says whether that is
    /// anything new.
    fn go_back(&mut self, uses: &[Uses], read: &[u64]) -> bool {
        let mut changed = false;
        for (number, edge) in uses.iter().enumerate().rev() {
            let is_idle = edge.computed_for.is_some_and(|register| !self.has(edge.to, register));
            for word in 0..self.words {
                let mut matters = self.bits[edge.to.index() * self.words + word];
                if let Some(written) = edge.written.filter(|written| written.index() / 64 == word) {
                    matters &= !(1 << (written.index() % 64));
                }
                if !is_idle {
                    matters |= read[number * self.words + word];
                }
                let before = &mut self.bits[edge.from.index() * self.words + word];
                changed |= matters & !*before != 0;
                *before |= matters;
            }
        }
        changed
    }

    /// Whether the value of a register can still matter at a label.
    pub(super) fn has(&self, label: LabelId, register: RegisterId) -> bool {
        let word = self.bits[label.index() * self.words + register.index() / 64];
        word >> (register.index() % 64) & 1 == 1
    }

    /// Makes the values of all others zero.
    pub(super) fn forget_dead(&self, label: LabelId, values: &mut IndexVec<RegisterId, Value>) {
        let live = &self.bits[label.index() * self.words..][..self.words];
        for (number, value) in values.iter_mut().enumerate() {
            if live[number / 64] >> (number % 64) & 1 == 0 {
                *value = 0;
            }
        }
    }
}

/// Puts a register into a set of bits.
fn set(bits: &mut [u64], register: RegisterId) {
    bits[register.index() / 64] |= 1 << (register.index() % 64);
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use program::{Access, IntType, Register, Span, TemplateBuilder};

    use super::*;

    /// Registers on both sides of where a word of bits ends, and some with the same place in two words.
    const NUMBERS: [usize; 8] = [0, 1, 2, 62, 63, 64, 65, 66];

    /// Labels and edges at random, in any order, over many registers of which some are used.
    fn random_template(rng: &mut Rng) -> Template {
        let mut template = TemplateBuilder::new("p", Span::NONE);
        let all: Vec<RegisterId> =
            (0..70).map(|number| template.integer_register(format!("r{number}"))).collect();
        let labels: Vec<LabelId> =
            (0..rng.usize(2..7)).map(|number| template.named_label(format!("l{number}"))).collect();
        for _ in 0..rng.usize(1..11) {
            let mut some = || all[NUMBERS[rng.usize(..NUMBERS.len())]];
            let (register, read) = (some(), Expr::Register(some()));
            let (address, access) = (Expr::Const(0), Access::PLAIN);
            let instruction = match rng.u8(0..4) {
                0 => Instruction::Load { register, address, access },
                1 => Instruction::Store { address, value: read, access },
                2 => {
                    let value = Expr::binary(BinaryOp::Add, read, Expr::Const(1));
                    Instruction::Assign { register, value }
                }
                _ => Instruction::Skip,
            };
            let (from, to) = (labels[rng.usize(..labels.len())], labels[rng.usize(..labels.len())]);
            template.bare_edge(from, to, instruction);
        }
        template.build(labels[0])
    }

    /// Whether a way from a label reads a register that it has not written before, or ends where
    /// somebody looks at it.
    fn matters(template: &Template, from: LabelId, wanted: RegisterId, looked: bool) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(label) = open.pop() {
            if looked && template.outgoing(label).len() == 0 {
                return true;
            }
            for edge in template.outgoing(label).map(|id| template.edge(id)) {
                let mut reads = false;
                for expr in edge.instruction.operands() {
                    expr.visit(&mut |part| reads |= *part == Expr::Register(wanted));
                }
                if reads {
                    return true;
                }
                let writes = edge.instruction.written_register() == Some(wanted);
                if !writes && seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        false
    }

    /// A counter in a loop is dead unless somebody looks at it, or computing it may fail.
    #[test]
    fn a_register_that_only_feeds_itself_is_dead() {
        let check = |op: BinaryOp, domain: Domain, looked: bool, expected: bool| {
            let mut template = TemplateBuilder::new("p", Span::NONE);
            let name = "counter".to_owned();
            let counter =
                template.register(Register { name, initial: 0, domain, generated: false });
            let (first, last) = (template.named_label("l"), template.named_label("m"));
            let value = Expr::binary(op, Expr::Register(counter), Expr::Const(1));
            template.bare_edge(first, first, Instruction::Assign { register: counter, value });
            template.bare_edge(first, last, Instruction::Skip);
            let template = template.build(first);
            let looks = |_| looked.then_some(LiveUntil::AtTheEnd);
            assert_eq!(Live::of(&template, &looks).has(first, counter), expected, "{op:?}");
        };
        let word = Domain::Wrapping(IntType::new(32, true).expect("a width"));
        check(BinaryOp::Add, word, false, false);
        check(BinaryOp::Mul, word, false, false);
        check(BinaryOp::Add, word, true, true);
        check(BinaryOp::Add, Domain::Integer, false, true);
        check(BinaryOp::Div, word, false, true);
        check(BinaryOp::Shl, word, false, true);
    }

    /// Of many registers as of few, what is forgotten is what no way needs.
    #[test]
    fn registers_matter_as_long_as_a_way_leads_to_somebody_who_reads_them() {
        let mut rng = Rng::with_seed(5);
        let mut count = [0, 0];
        for _ in 0..2000 {
            let template = random_template(&mut rng);
            let at_the_end = RegisterId::new(NUMBERS[rng.usize(..NUMBERS.len())]);
            let looked = |register| (register == at_the_end).then_some(LiveUntil::AtTheEnd);
            let live = Live::of(&template, &looked);
            for label in template.labels().indices() {
                let mut values: IndexVec<RegisterId, Value> =
                    template.registers().iter().map(|_| 1).collect();
                live.forget_dead(label, &mut values);
                for register in NUMBERS.map(RegisterId::new) {
                    let expected = matters(&template, label, register, register == at_the_end);
                    assert_eq!(live.has(label, register), expected, "{register:?} {template:#?}");
                    assert_eq!(values[register] == 1, expected, "{register:?} {template:#?}");
                    count[usize::from(expected)] += 1;
                }
            }
        }
        assert!(count.iter().all(|times| *times > 10_000), "{count:?}");
    }
}
