//! Lowering a thread: its registers, labels and control flow.

use std::collections::BTreeMap;

use program::{
    Diagnostic, Diagnostics, Domain, Edge, Expr, Insertion, InsertionPoint, Instruction, Label,
    LabelId, NoInsertion, Register, RegisterId, Span, Template, TemplateBuilder, UnaryOp,
};

use super::super::machine::{Context, signed, unsigned};
use super::super::parse::MAX_ERRORS;
use super::Dialect;
use super::flags::{self, Codes, Condition};
use super::register::Part;
use super::syntax::{Code, Line, Operation};
use crate::suggest::did_you_mean;
use crate::token::shortened;

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
        template: TemplateBuilder::new(&context.name.text, context.name.span),
        registers: BTreeMap::new(),
        temporaries: BTreeMap::new(),
        flags: BTreeMap::new(),
        inner_labels: 0,
        taken_labels: code.labels.iter().map(|(name, _)| name.text.clone()).collect(),
    };
    lowering.declare_registers(code);
    let targets = lowering.targets(code);
    let operations: Vec<Operation> = code.lines.iter().map(|line| line.operation).collect();
    let needed = flags::needed_after(&operations, |line| {
        successors(operations[line], line, targets[line], code.lines.len())
    });
    let positions = lowering.positions(code, &targets);
    for (number, line) in code.lines.iter().enumerate() {
        let target = targets[number].map_or(positions[code.lines.len()], |at| positions[at]);
        let way = Way { from: positions[number], next: positions[number + 1], target };
        lowering.line(line, way, needed[number]);
    }
    let initial = positions[0];
    lowering.template.build(initial)
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
    pub(super) template: TemplateBuilder,
    /// Whole registers and how many bits of them the model has.
    pub(super) registers: BTreeMap<&'static str, (RegisterId, u8)>,
    /// Generated registers by width.
    temporaries: BTreeMap<u8, RegisterId>,
    flags: BTreeMap<flags::Code, RegisterId>,
    inner_labels: usize,
    taken_labels: std::collections::BTreeSet<String>,
}

impl Lowering<'_> {
    /// For each line, the line it jumps to.
    fn targets(&mut self, code: &Code) -> Vec<Option<usize>> {
        let places: BTreeMap<&str, usize> =
            code.labels.iter().map(|(name, line)| (name.text.as_str(), *line)).collect();
        let mut targets = Vec::new();
        for line in &code.lines {
            let target = line.target.as_ref().and_then(|name| {
                let found = places.get(name.text.as_str()).copied();
                if found.is_none() {
                    let shown = shortened(&name.text);
                    let message = format!("this thread has no label `{shown}`");
                    let mut error = Diagnostic::new(name.span, message);
                    if self.errors.len() < MAX_ERRORS {
                        error.help = did_you_mean(&shown, places.keys().copied())
                            .map(|like| format!("did you mean `{like}`?"));
                    }
                    self.errors.push(error);
                }
                found
            });
            targets.push(target);
        }
        targets
    }

    /// A label before each line and one at the end.
    fn positions(&mut self, code: &Code, targets: &[Option<usize>]) -> Vec<LabelId> {
        let mut names: BTreeMap<usize, &str> = BTreeMap::new();
        for (name, line) in &code.labels {
            // Where several names stand, the one that is jumped to first is the interesting one.
            names.entry(*line).or_insert(&name.text);
        }
        for (line, target) in code.lines.iter().zip(targets) {
            if let (Some(name), Some(target)) = (&line.target, target) {
                names.insert(*target, &name.text);
            }
        }
        let mut labels = Vec::new();
        let returns = code.lines.iter().any(|line| line.operation == Operation::Return);
        for number in 0..=code.lines.len() {
            let end = Span { start: code.end.end, ..code.end };
            let (span, before) = match code.lines.get(number) {
                Some(line) => (line.span, insertion(line.span, line.span.start)),
                // Those who return do not pass what would follow.
                None if returns => (end, Err(NoInsertion::NoTextOfItsOwn)),
                None => (end, insertion(end, end.start)),
            };
            let name = names.get(&number).map(|name| (*name).to_owned());
            let generated = name.is_none();
            let name = name.unwrap_or_else(|| self.fresh_name());
            labels.push(self.template.label(Label {
                name,
                generated,
                waiting: false,
                span,
                before,
            }));
        }
        labels
    }

    fn fresh_name(&mut self) -> String {
        loop {
            self.inner_labels += 1;
            let name = format!("q{}", self.inner_labels);
            if !self.taken_labels.contains(&name) {
                return name;
            }
        }
    }

    fn line(&mut self, line: &Line, way: Way, needed: Codes) {
        match line.operation {
            Operation::JumpIf(condition) => self.branch(line, way, condition),
            Operation::Jump | Operation::Return => {
                // Text after a jump is not reached from it.
                let after = Err(NoInsertion::NoTextOfItsOwn);
                self.edge(way.from, way.target, Instruction::Skip, line.span, after);
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
                self.emit((way.from, way.next), steps, line.span);
            }
        }
    }

    fn branch(&mut self, line: &Line, way: Way, condition: Condition) {
        let flag = Expr::Register(self.flag(condition.code));
        let clear = Expr::unary(UnaryOp::Not, flag.clone());
        let (taken, not_taken) = if condition.negated { (clear, flag) } else { (flag, clear) };
        let jump = Err(NoInsertion::NoTextOfItsOwn);
        self.edge(way.from, way.target, Instruction::Assume(taken), line.span, jump);
        let after = insertion(line.span, line.span.end);
        self.edge(way.from, way.next, Instruction::Assume(not_taken), line.span, after);
    }

    /// Edges that do these steps one after the other, to the end of an instruction.
    pub(super) fn emit(
        &mut self,
        (from, to): (LabelId, LabelId),
        steps: Vec<Instruction>,
        span: Span,
    ) {
        self.chain((from, to), steps, span, insertion(span, span.end));
    }

    /// Edges that do these steps one after the other.
    pub(super) fn chain(
        &mut self,
        (from, to): (LabelId, LabelId),
        steps: Vec<Instruction>,
        span: Span,
        after: Insertion,
    ) {
        let last = steps.len().saturating_sub(1);
        let mut from = from;
        for (number, step) in steps.into_iter().enumerate() {
            if number == last {
                self.edge(from, to, step, span, after);
            } else {
                let inner = self.inner_label(span);
                self.edge(from, inner, step, span, Err(NoInsertion::InsideExpression));
                from = inner;
            }
        }
    }

    pub(super) fn edge(
        &mut self,
        from: LabelId,
        to: LabelId,
        instruction: Instruction,
        span: Span,
        after: Insertion,
    ) {
        self.template.edge(Edge { from, to, instruction, span, after });
    }

    /// A label in the middle of an instruction.
    pub(super) fn inner_label(&mut self, span: Span) -> LabelId {
        let name = self.fresh_name();
        let before = Err(NoInsertion::InsideExpression);
        self.template.label(Label { name, generated: true, waiting: false, span, before })
    }

    /// A whole register and how many bits the model has of it.
    pub(super) fn whole(&self, part: Part) -> (RegisterId, u8) {
        self.registers[part.whole]
    }

    /// The generated register for intermediate values of this width.
    pub(super) fn temporary(&mut self, bits: u8) -> RegisterId {
        *self.temporaries.entry(bits).or_insert_with(|| {
            self.template.register(Register {
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
            self.template.register(Register {
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

/// A place in the text of `span`'s source.
fn insertion(span: Span, offset: u32) -> Insertion {
    span.source.map(|source| InsertionPoint { source, offset }).ok_or(NoInsertion::NoSource)
}
