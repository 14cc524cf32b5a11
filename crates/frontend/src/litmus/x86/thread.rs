//! Lowering a thread: its registers, labels and control flow.

use std::collections::BTreeMap;

use program::{
    Diagnostics, Domain, Expr, Instruction, LabelId, NoInsertion, Register, RegisterId, Template,
    UnaryOp,
};

use super::super::machine::{Context, signed, unsigned};
use super::super::outline::{self, Outline, OutlineLine, insertion};
use super::super::told;
use super::Dialect;
use super::flags::{self, Codes, Condition};
use super::register::Part;
use super::syntax::{Code, Line, Operation};

/// The template of a thread.
pub(super) fn template(
    dialect: Dialect,
    code: &Code,
    context: &Context<'_>,
    errors: &mut Diagnostics,
) -> Template {
    let mut lowering = Lowering {
        dialect,
        context,
        errors,
        outline: Outline::new(context.name, &code.labels),
        registers: BTreeMap::new(),
        temporaries: BTreeMap::new(),
        flags: BTreeMap::new(),
    };
    lowering.declare_registers(code);
    let lines = code.lines.iter();
    let lines: Vec<OutlineLine<'_>> =
        lines.map(|line| OutlineLine { span: line.span, target: line.target.as_ref() }).collect();
    let targets = outline::targets(&code.labels, &lines, lowering.errors);
    let operations: Vec<Operation> = code.lines.iter().map(|line| line.operation).collect();
    let needed = flags::needed_after(&operations, |line| {
        successors(operations[line], line, targets[line], code.lines.len())
    });
    let positions = lowering.outline.positions(&code.labels, &lines, &targets, code.end);
    if operations.contains(&Operation::Return) {
        // Those who return do not pass what would follow.
        let end = positions[code.lines.len()];
        lowering.outline.template.labels_mut()[end].before = Err(NoInsertion::NoTextOfItsOwn);
    }
    for (number, line) in code.lines.iter().enumerate() {
        let target = targets[number].map_or(positions[code.lines.len()], |at| positions[at]);
        let way = Way { from: positions[number], next: positions[number + 1], target };
        lowering.line(line, way, needed[number]);
    }
    let initial = positions[0];
    told::cut_down(&mut lowering.outline, positions[code.lines.len()], code.end, context);
    lowering.outline.template.build(initial)
}

/// The lines that may follow a line.
fn successors(operation: Operation, line: usize, target: Option<usize>, end: usize) -> Vec<usize> {
    match operation {
        Operation::Return => vec![end],
        Operation::Jump => target.into_iter().collect(),
        Operation::JumpIf(_) => target.into_iter().chain([line + 1]).collect(),
        Operation::Move
        | Operation::Arithmetic(_)
        | Operation::Unary(_)
        | Operation::Shift(_)
        | Operation::Compare
        | Operation::Test
        | Operation::Exchange
        | Operation::UnlockedExchange
        | Operation::CompareExchange
        | Operation::ExchangeAdd
        | Operation::MoveIf(_)
        | Operation::SetIf(_)
        | Operation::Fence(_)
        | Operation::Nothing => vec![line + 1],
    }
}

/// Where an instruction begins and leads.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) from: LabelId,
    pub(super) next: LabelId,
    pub(super) target: LabelId,
}

pub(super) struct Lowering<'a> {
    pub(super) dialect: Dialect,
    pub(super) context: &'a Context<'a>,
    pub(super) errors: &'a mut Diagnostics,
    pub(super) outline: Outline,
    /// Whole registers and how many bits of them the model has.
    pub(super) registers: BTreeMap<&'static str, (RegisterId, u8)>,
    /// Generated registers by width.
    temporaries: BTreeMap<u8, RegisterId>,
    flags: BTreeMap<flags::Code, RegisterId>,
}

impl Lowering<'_> {
    fn line(&mut self, line: &Line, way: Way, needed: Codes) {
        match line.operation {
            Operation::JumpIf(condition) => self.branch(line, way, condition),
            Operation::Jump | Operation::Return => {
                // Text after a jump is not reached from it.
                let after = Err(NoInsertion::NoTextOfItsOwn);
                self.outline.edge(way.from, way.target, Instruction::Skip, line.span, after);
            }
            Operation::CompareExchange if !line.locked => {
                self.unlocked_compare_exchange(line, way, needed);
            }
            Operation::Move
            | Operation::Arithmetic(_)
            | Operation::Unary(_)
            | Operation::Shift(_)
            | Operation::Compare
            | Operation::Test
            | Operation::Exchange
            | Operation::UnlockedExchange
            | Operation::CompareExchange
            | Operation::ExchangeAdd
            | Operation::MoveIf(_)
            | Operation::SetIf(_)
            | Operation::Fence(_)
            | Operation::Nothing => {
                let mut steps = self.steps(line, needed);
                if steps.is_empty() {
                    steps.push(Instruction::Skip);
                }
                self.outline.emit((way.from, way.next), steps, line.span);
            }
        }
    }

    fn branch(&mut self, line: &Line, way: Way, condition: Condition) {
        let flag = Expr::Register(self.flag(condition.code));
        let clear = Expr::unary(UnaryOp::Not, flag.clone());
        let (taken, not_taken) = if condition.negated { (clear, flag) } else { (flag, clear) };
        let jump = Err(NoInsertion::NoTextOfItsOwn);
        self.outline.edge(way.from, way.target, Instruction::Assume(taken), line.span, jump);
        let after = insertion(line.span, line.span.end);
        self.outline.edge(way.from, way.next, Instruction::Assume(not_taken), line.span, after);
    }

    /// A whole register and how many bits the model has of it.
    pub(super) fn whole(&self, part: Part) -> (RegisterId, u8) {
        self.registers[part.whole]
    }

    /// The generated register for intermediate values of this width.
    pub(super) fn temporary(&mut self, bits: u8) -> RegisterId {
        *self.temporaries.entry(bits).or_insert_with(|| {
            self.outline.template.register(Register {
                name: format!("tmp{bits}"),
                initial: 0,
                domain: Domain::Wrapping(signed(bits)),
                generated: true,
            })
        })
    }

    /// The generated register that holds a condition code.
    pub(super) fn flag(&mut self, code: flags::Code) -> RegisterId {
        *self.flags.entry(code).or_insert_with(|| {
            self.outline.template.register(Register {
                name: code.name().to_owned(),
                initial: 0,
                domain: Domain::Wrapping(unsigned(1)),
                generated: true,
            })
        })
    }
}

/// The register that `cmpxchg` compares with.
pub(super) fn accumulator(dialect: Dialect) -> Part {
    match dialect {
        Dialect::Intel => Part { whole: "EAX", bits: 32, shift: 0 },
        Dialect::Att => Part { whole: "rax", bits: 64, shift: 0 },
    }
}
