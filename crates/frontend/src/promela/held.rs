//! Which values registers and memory can hold: a coarse over-approximation that looks neither at
//! the order of instructions nor at addresses. It bounds the addresses that flat memory needs
//! cells for, and saves most checks for results beyond 32 bits.

use std::collections::BTreeSet;

use program::{
    BinaryOp, Count, Domain, Expr, FetchOp, IndexVec, Initial, Instruction, Outside, Program,
    RegisterId, Template, TemplateId, UnaryOp, Update,
};

use super::values::{MAX, MIN, Values};

/// After how many rounds whatever still grows is taken to be anything.
const PATIENCE: usize = 8;

/// What the registers of each template and the cells of memory can hold.
pub(super) struct Held {
    pub(super) registers: IndexVec<TemplateId, IndexVec<RegisterId, Values>>,
    pub(super) memory: Values,
}

/// What a program's registers and memory can hold, as long as no check fails.
pub(super) fn held(program: &Program) -> Held {
    let mut held = initially(program);
    for round in 0.. {
        let mut changed = false;
        for (id, template) in program.templates().enumerate() {
            for edge in template.edges() {
                let registers = &held.registers[id];
                let (received, stored) =
                    results(program, &edge.instruction, registers, &held.memory);
                if let Some(register) = edge.instruction.written_register() {
                    let domain = template.registers()[register].domain;
                    let old = &mut held.registers[id][register];
                    changed |= grow(old, &received.admit(domain), round, domain);
                }
                // A cell admits no more than an integer does, whatever its domain.
                let stored = cell_domains(program)
                    .fold(Values::none(), |all, domain| all.join(&stored.admit(domain)));
                changed |= grow(&mut held.memory, &stored, round, Domain::Integer);
            }
        }
        if !changed {
            break;
        }
    }
    held
}

fn grow(old: &mut Values, new: &Values, round: usize, domain: Domain) -> bool {
    let joined = old.join(new);
    if joined == *old {
        return false;
    }
    let (low, high) = domain.bounds();
    *old = if round < PATIENCE { joined } else { Values::Between(low.max(MIN), high.min(MAX)) };
    true
}

fn cell_domains(program: &Program) -> impl Iterator<Item = Domain> {
    let outside = match program.memory().outside() {
        Outside::Fault => None,
        Outside::ZeroCell => Some(Domain::Integer),
    };
    let declared: BTreeSet<Domain> =
        program.memory().locations().iter().map(|location| location.domain).collect();
    declared.into_iter().chain(outside)
}

fn initially(program: &Program) -> Held {
    let registers = |template: &Template| {
        let mut values: IndexVec<RegisterId, Values> =
            template.registers().iter().map(|register| Values::one(register.initial)).collect();
        if let (Some(identity), Count::Exactly(count)) = (template.identity(), template.count()) {
            values[identity.register] =
                Values::collect((0..count).map(|copy| identity.of(copy))).clip(MIN, MAX);
        }
        values
    };
    let mut memory = Values::one(0);
    for location in program.memory().locations() {
        let values = match &location.initial {
            Initial::Uniform(value) => Values::one(*value),
            Initial::Each(values) => Values::collect(values.iter().copied()),
        };
        memory = memory.join(&values);
    }
    Held { registers: program.templates().iter().map(registers).collect(), memory }
}

/// What an instruction puts into its register and into memory.
fn results(
    program: &Program,
    instruction: &Instruction,
    registers: &IndexVec<RegisterId, Values>,
    memory: &Values,
) -> (Values, Values) {
    let nothing = Values::none;
    let value = |expr: &Expr| evaluate(expr, program, registers).clip(MIN, MAX);
    match instruction {
        Instruction::Assign { value: assigned, .. } => (value(assigned), nothing()),
        Instruction::Choose { low, high, .. } => {
            (Values::Between(*low, *high).clip(MIN, MAX), nothing())
        }
        Instruction::Load { .. } => (memory.clone(), nothing()),
        Instruction::Store { value: stored, .. } => (nothing(), value(stored)),
        Instruction::StoreExclusive { value: stored, .. } => (Values::truth(), value(stored)),
        Instruction::Update { update, .. } => {
            let stored = match update {
                Update::Exchange(new)
                | Update::CompareAndSwap { new, .. }
                | Update::BlockingReadWrite { new, .. } => value(new),
                Update::Fetch { op, operand } => {
                    fetched(*op, memory, &value(operand)).clip(MIN, MAX)
                }
            };
            (memory.clone(), stored)
        }
        Instruction::Skip
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => (nothing(), nothing()),
    }
}

fn fetched(op: FetchOp, old: &Values, operand: &Values) -> Values {
    match op {
        FetchOp::Add => old.binary(BinaryOp::Add, operand),
        FetchOp::Sub => old.binary(BinaryOp::Sub, operand),
        FetchOp::And => old.binary(BinaryOp::BitAnd, operand),
        FetchOp::Or => old.binary(BinaryOp::BitOr, operand),
        FetchOp::Xor => old.binary(BinaryOp::BitXor, operand),
        FetchOp::Nand => old.binary(BinaryOp::BitAnd, operand).unary(UnaryOp::BitNot),
        FetchOp::Min => old.binary(BinaryOp::Min, operand),
        FetchOp::Max => old.binary(BinaryOp::Max, operand),
        FetchOp::MinAs(int) => old
            .admit(Domain::Wrapping(int))
            .binary(BinaryOp::Min, &operand.admit(Domain::Wrapping(int))),
        FetchOp::MaxAs(int) => old
            .admit(Domain::Wrapping(int))
            .binary(BinaryOp::Max, &operand.admit(Domain::Wrapping(int))),
    }
}

/// The values of an expression, every part of which fits an `int` or fails a check.
fn evaluate(expr: &Expr, program: &Program, registers: &IndexVec<RegisterId, Values>) -> Values {
    let part = |operand: &Expr| evaluate(operand, program, registers).clip(MIN, MAX);
    match expr {
        Expr::Const(value) => Values::one(*value),
        Expr::Register(register) => registers[*register].clone(),
        Expr::Element(location, index) => {
            part(index).elements(program.memory().location(*location))
        }
        Expr::Unary(op, operand) => part(operand).unary(*op),
        Expr::Binary(op, left, right) => part(left).binary(*op, &part(right)),
        Expr::Cast(int, operand) => part(operand).admit(Domain::Wrapping(*int)),
        Expr::Select(operands) => {
            let [_, then, otherwise] = &**operands;
            part(then).join(&part(otherwise))
        }
    }
}
