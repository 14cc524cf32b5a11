//! Lowering a thread: its labels, its control flow and its flags.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    Diagnostics, Domain, Expr, Instruction, LabelId, NoInsertion, Register as ModelRegister,
    RegisterId, Template, UnaryOp, Value,
};

use super::super::condition_code::Code as ConditionCode;
use super::super::machine::{Context, Globals, signed, unsigned};
use super::super::outline::{self, Outline, OutlineLine, insertion};
use super::super::told;
use super::InstructionSet;
use super::code::{self, CodeAddresses};
use super::syntax::{Code, Condition, Flag, Flow, Line, Step, Term};

/// The template of a thread.
pub(super) fn template(
    isa: &impl InstructionSet,
    code: &Code,
    context: &Context<'_>,
    errors: &mut Diagnostics,
) -> Template {
    code::check(code, errors);
    let mut lowering = Lowering {
        globals: context.globals,
        errors,
        outline: Outline::new(context.name, &code.labels),
        registers: BTreeMap::new(),
        generated: BTreeMap::new(),
        used_flags: used_flags(code),
        code: CodeAddresses::of(code),
        initial_codes: isa.initial_codes(),
    };
    lowering.outline.counts_lines = code.counts_lines;
    lowering.declare_registers(isa, code, context);
    let lines = code.lines.iter();
    let lines: Vec<OutlineLine<'_>> =
        lines.map(|line| OutlineLine { span: line.span, target: target(line) }).collect();
    let targets = outline::targets(&code.labels, &lines, lowering.errors);
    let positions = lowering.outline.positions(&code.labels, &lines, &targets, code.end);
    let end = positions[code.lines.len()];
    for (number, line) in code.lines.iter().enumerate() {
        let target = targets[number].map_or(end, |at| positions[at]);
        let way = Way { from: positions[number], next: positions[number + 1], target };
        match &line.flow {
            Flow::Computed { address, link } => {
                let next = code::address_of(number + 1);
                let link = link.as_ref().map(|it| (it, next));
                lowering.computed(line, address, link, way.from, &positions);
            }
            Flow::Call { link, .. } => lowering.call(line, link, code::address_of(number + 1), way),
            Flow::Next | Flow::Jump(_) | Flow::Branch(..) | Flow::Return => {
                lowering.line(line, way);
            }
        }
    }
    told::cut_down(&mut lowering.outline, end, code.end, context);
    lowering.outline.template.build(positions[0])
}

fn target(line: &Line) -> Option<&super::super::ast::Name> {
    match &line.flow {
        Flow::Jump(target) | Flow::Branch(_, target) | Flow::Call { to: target, .. } => {
            Some(target)
        }
        Flow::Next | Flow::Return | Flow::Computed { .. } => None,
    }
}

/// Assignments under a condition, as selections of the new or the old value; nothing for steps
/// that do more. A conditional move makes nothing after it depend on the condition but its
/// destination.
fn selection(steps: &[Step], guard: Condition) -> Option<Vec<Step>> {
    let one = |step: &Step| match step {
        Step::Assign { to, value } => {
            let old = super::term(to.clone());
            let value = Term::Select(Box::new([Term::Condition(guard), value.clone(), old]));
            Some(Step::Assign { to: to.clone(), value })
        }
        Step::Load { .. }
        | Step::Store { .. }
        | Step::StoreExclusive { .. }
        | Step::Update { .. }
        | Step::Compare { .. }
        | Step::Fence(_) => None,
    };
    steps.iter().map(one).collect()
}

/// The flags that some instruction of a thread asks for.
fn used_flags(code: &Code) -> BTreeSet<Flag> {
    let mut used: BTreeSet<Flag> = BTreeSet::new();
    for line in &code.lines {
        used.extend(line.guard.map(|condition| condition.flag));
        let mut terms: Vec<&Term> = line.steps.iter().flat_map(|step| step.terms()).collect();
        match &line.flow {
            Flow::Branch(term, _) | Flow::Computed { address: term, .. } => terms.push(term),
            Flow::Next | Flow::Jump(_) | Flow::Call { .. } | Flow::Return => {}
        }
        for term in terms {
            term.visit(&mut |part| {
                if let Term::Condition(condition) = part {
                    used.insert(condition.flag);
                }
            });
        }
    }
    used
}

/// Where an instruction begins and leads.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) from: LabelId,
    next: LabelId,
    pub(super) target: LabelId,
}

pub(super) struct Lowering<'a> {
    pub(super) globals: &'a Globals,
    pub(super) errors: &'a mut Diagnostics,
    pub(super) outline: Outline,
    /// Whole registers and how many bits the model has of them.
    pub(super) registers: BTreeMap<String, (RegisterId, u8)>,
    /// Generated registers by name.
    generated: BTreeMap<String, RegisterId>,
    /// The flags that the thread asks for somewhere.
    pub(super) used_flags: BTreeSet<Flag>,
    /// The lines whose addresses the thread takes.
    pub(super) code: CodeAddresses,
    initial_codes: &'static [ConditionCode],
}

impl Lowering<'_> {
    fn line(&mut self, line: &Line, way: Way) {
        match &line.flow {
            // These have edges of their own.
            Flow::Call { .. } | Flow::Computed { .. } => {}
            Flow::Jump(_) | Flow::Return => {
                // Text after a jump is not reached from it.
                let after = Err(NoInsertion::NoTextOfItsOwn);
                self.outline.edge(way.from, way.target, Instruction::Skip, line.span, after);
            }
            Flow::Branch(condition, _) => {
                let taken = self.expr(condition);
                let not_taken = taken.negated();
                let jump = Err(NoInsertion::NoTextOfItsOwn);
                let taken = Instruction::Assume(taken);
                self.outline.edge(way.from, way.target, taken, line.span, jump);
                let after = insertion(line.span, line.span.end);
                let not_taken = Instruction::Assume(not_taken);
                self.outline.edge(way.from, way.next, not_taken, line.span, after);
            }
            Flow::Next => {
                let selected = line.guard.and_then(|guard| selection(&line.steps, guard));
                let mut steps = Vec::new();
                for step in selected.as_ref().unwrap_or(&line.steps) {
                    self.step(step, line.span, &mut steps);
                }
                if steps.is_empty() {
                    steps.push(Instruction::Skip);
                }
                match line.guard.filter(|_| selected.is_none()) {
                    None => self.outline.emit((way.from, way.next), steps, line.span),
                    Some(guard) => self.branch_around(line, way, guard, steps),
                }
            }
        }
    }

    /// Does these steps only if a condition holds.
    fn branch_around(&mut self, line: &Line, way: Way, guard: Condition, steps: Vec<Instruction>) {
        let holds = self.condition(guard);
        let skipped = Instruction::Assume(holds.negated());
        let inner = self.outline.inner_label(line.span);
        let inside = Err(NoInsertion::InsideExpression);
        let entered = Instruction::Assume(holds);
        self.outline.edge(way.from, inner, entered, line.span, inside);
        self.outline.emit((inner, way.next), steps, line.span);
        let after = insertion(line.span, line.span.end);
        self.outline.edge(way.from, way.next, skipped, line.span, after);
    }

    pub(super) fn condition(&mut self, condition: Condition) -> Expr {
        let flag = Expr::Register(self.flag(condition.flag));
        if condition.negated { Expr::unary(UnaryOp::Not, flag) } else { flag }
    }

    /// The generated register for intermediate values of this width.
    pub(super) fn temporary(&mut self, bits: u8) -> RegisterId {
        self.generated(&format!("tmp{bits}"), Domain::Wrapping(signed(bits)))
    }

    /// The generated register for loaded values that nobody can see.
    pub(super) fn discarded(&mut self, bits: u8) -> RegisterId {
        let name = if bits > 32 { format!("discarded{bits}") } else { "discarded".to_owned() };
        self.generated(&name, Domain::Wrapping(signed(bits.max(32))))
    }

    /// The generated register that says whether an exclusive store failed.
    pub(super) fn failed(&mut self) -> RegisterId {
        self.generated("failed", Domain::Wrapping(unsigned(1)))
    }

    /// The generated register that holds a condition code.
    pub(super) fn flag(&mut self, flag: Flag) -> RegisterId {
        let name = match flag.field {
            0 => flag.code.name().to_owned(),
            field => format!("{}_{field}", flag.code.name()),
        };
        let initial = self.initial_codes.contains(&flag.code);
        self.generated_from(&name, Domain::Wrapping(unsigned(1)), initial.into())
    }

    /// The condition codes of a field that the thread asks for.
    pub(super) fn used_codes(&self, field: u8) -> Vec<ConditionCode> {
        let mine = self.used_flags.iter().filter(|flag| flag.field == field);
        mine.map(|flag| flag.code).collect()
    }

    fn generated(&mut self, name: &str, domain: Domain) -> RegisterId {
        self.generated_from(name, domain, 0)
    }

    fn generated_from(&mut self, name: &str, domain: Domain, initial: Value) -> RegisterId {
        if let Some(register) = self.generated.get(name) {
            return *register;
        }
        let register = self.outline.template.register(ModelRegister {
            name: name.to_owned(),
            initial,
            domain,
            generated: true,
        });
        self.generated.insert(name.to_owned(), register);
        register
    }
}
