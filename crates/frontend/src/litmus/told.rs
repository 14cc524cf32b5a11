//! In which types the values of registers are told and compared.
//!
//! A register is told and compared as the initial state declares it, and one that is not declared
//! is an `int`, as herd and litmus7 have it: of a wider register only the lower bits count. So the
//! last thing that a thread does is to cut such registers down, where a value could be too large.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    AccessWidth, Domain, Edge, Expr, Instruction, IntType, LabelId, NoInsertion, Observable,
    Program, RegisterId, Span, Template, TemplateBuilder, TemplateId, Value,
};

use super::machine::{Context, Globals, Machine, RegisterUse, held, signed};
use super::outline::Outline;

/// The types of the registers that the end of a test asks about, by the names of whole registers.
pub(super) fn types<M: Machine>(machine: &M, uses: &[RegisterUse]) -> BTreeMap<String, IntType> {
    let whole = |used: &RegisterUse| machine.register(&used.name.text).map(|(whole, _)| whole);
    let declared = |name: &str| {
        let set = uses.iter().filter(|used| used.initial.is_some());
        set.filter(|used| whole(used).as_deref() == Some(name)).find_map(|used| used.declared)
    };
    let asked = uses.iter().filter(|used| used.initial.is_none()).filter_map(whole);
    asked
        .map(|name| {
            let told = declared(&name).unwrap_or(signed(32));
            (name, told)
        })
        .collect()
}

/// What is told of a template in other types than it is held in.
pub(super) fn registers(
    id: TemplateId,
    template: &Template,
    types: &BTreeMap<String, IntType>,
) -> Vec<(Observable, IntType)> {
    let told = template.registers().enumerate().filter_map(|(register, data)| {
        let told = *types.get(&data.name)?;
        let held = held(data.domain);
        let differs = told != held && told.bits() <= held.bits() && !data.generated;
        differs.then_some((Observable::Register { template: id, copy: 0, register }, told))
    });
    told.collect()
}

/// What is told of memory in other types than it is held in.
pub(super) fn locations(globals: &Globals) -> Vec<(Observable, IntType)> {
    let told = globals.declared.iter().filter(|(id, told)| globals.held(**id) != **told);
    told.map(|(id, told)| (Observable::Cell(globals.locations[*id].base), *told)).collect()
}

/// Cuts registers down at the end of a thread, which `end` is.
pub(super) fn cut_down(outline: &mut Outline, end: LabelId, span: Span, context: &Context<'_>) {
    let mut steps = Vec::new();
    // By their names, since numbers depend on what a test mentions first.
    let mut registers: Vec<_> = outline.template.registers().enumerate().collect();
    registers.sort_by(|(_, one), (_, other)| one.name.cmp(&other.name));
    for (register, data) in registers {
        let Some(told) = context.told.get(&data.name).copied() else { continue };
        let range = Range { low: told.min(), high: told.max() };
        let narrower = told.bits() < held(data.domain).bits() && !data.generated;
        let exceeds =
            |edge: &Edge| !writes(edge, register, context.globals).is_none_or(|it| it.is_in(range));
        let initially = !(range.low..=range.high).contains(&data.initial);
        if narrower && (initially || outline.template.edges().iter().any(exceeds)) {
            let value = Expr::Cast(told, Box::new(Expr::Register(register)));
            steps.push(Instruction::Assign { register, value });
        }
    }
    if !steps.is_empty() {
        let done = outline.inner_label(Span { start: span.end, ..span });
        outline.chain((end, done), steps, span, Err(NoInsertion::NoTextOfItsOwn));
    }
}

/// The program without what [`cut_down`] added, since its test will say the same.
pub(super) fn without_cuts(program: &Program) -> Program {
    let templates = program.templates().enumerate();
    let templates = templates.map(|(id, template)| whole(program, id, template)).collect();
    program.with_templates(templates)
}

fn whole(program: &Program, id: TemplateId, template: &Template) -> Template {
    let cuts = |edge: &Edge| match &edge.instruction {
        Instruction::Assign { register, value: Expr::Cast(int, operand) } => {
            let seen = Observable::Register { template: id, copy: 0, register: *register };
            **operand == Expr::Register(*register) && program.told_as(seen) == Some(*int)
        }
        Instruction::Assign { .. }
        | Instruction::Skip
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => false,
    };
    // From the last label back, as long as the only way to the end is a cut.
    let mut gone = BTreeSet::new();
    let finals = template.labels().indices().filter(|label| template.outgoing(*label).len() == 0);
    for mut label in finals.collect::<Vec<_>>() {
        loop {
            let mut incoming = template.edges().iter().filter(|edge| edge.to == label);
            match (incoming.next(), incoming.next()) {
                (Some(edge), None) if cuts(edge) && template.outgoing(edge.from).len() == 1 => {
                    gone.insert(label);
                    label = edge.from;
                }
                (Some(_) | None, _) => break,
            }
        }
    }
    if gone.is_empty() {
        return template.clone();
    }
    let mut builder = TemplateBuilder::new(template.name(), template.span());
    builder.count(template.count());
    for register in template.registers() {
        builder.register(register.clone());
    }
    let mut kept = BTreeMap::new();
    for (id, label) in template.labels().enumerate().filter(|(id, _)| !gone.contains(id)) {
        kept.insert(id, builder.label(label.clone()));
    }
    for edge in template.edges() {
        if let (Some(from), Some(to)) = (kept.get(&edge.from), kept.get(&edge.to)) {
            builder.edge(Edge { from: *from, to: *to, ..edge.clone() });
        }
    }
    builder.build(kept.get(&template.initial()).copied().unwrap_or(template.initial()))
}

/// The least and the greatest value.
#[derive(Clone, Copy)]
struct Range {
    low: Value,
    high: Value,
}

impl Range {
    const ALL: Self = Self { low: Value::MIN, high: Value::MAX };

    const fn of(int: IntType) -> Self {
        Self { low: int.min(), high: int.max() }
    }

    const fn is_in(self, other: Self) -> bool {
        other.low <= self.low && self.high <= other.high
    }
}

/// What an edge may write to a register, if it writes to it.
fn writes(edge: &Edge, register: RegisterId, globals: &Globals) -> Option<Range> {
    if edge.instruction.written_register() != Some(register) {
        return None;
    }
    Some(match &edge.instruction {
        Instruction::Assign { value, .. } => range(value),
        Instruction::Load { access, .. } | Instruction::Update { access, .. } => {
            let bits = match access.width {
                AccessWidth::Cell => globals.common_bits,
                AccessWidth::Bytes(bytes) => bytes.checked_mul(8),
                AccessWidth::Across(int) => return Some(Range::of(int)),
            };
            bits.map_or(Range::ALL, |bits| Range::of(signed(bits)))
        }
        Instruction::StoreExclusive { .. } => Range { low: 0, high: 1 },
        Instruction::Choose { low, high, .. } => Range { low: *low, high: *high },
        Instruction::Skip
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Store { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => Range::ALL,
    })
}

/// The values that an expression can have, where that is plain.
fn range(expr: &Expr) -> Range {
    match expr {
        Expr::Const(value) => Range { low: *value, high: *value },
        Expr::Cast(int, _) => {
            let (low, high) = Domain::Wrapping(*int).bounds();
            Range { low, high }
        }
        Expr::Select(operands) => {
            let [_, then, otherwise] = &**operands;
            let (then, otherwise) = (range(then), range(otherwise));
            Range { low: then.low.min(otherwise.low), high: then.high.max(otherwise.high) }
        }
        Expr::Binary(op, ..) if op.negated().is_some() => Range { low: 0, high: 1 },
        Expr::Binary(..) | Expr::Unary(..) | Expr::Register(_) | Expr::Element(..) => Range::ALL,
    }
}
