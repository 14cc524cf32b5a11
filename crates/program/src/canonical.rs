//! Comparing programs up to spans, insertion points and generated names: what must survive
//! printing a program and parsing it again.

use std::collections::BTreeMap;

use crate::build::TemplateBuilder;
use crate::condition::{Observable, Question};
use crate::expr::Expr;
use crate::goal::Watched;
use crate::index::{Idx, IndexVec, LabelId, RegisterId, TemplateId};
use crate::instruction::{Instruction, Update};
use crate::memory::{Location, Memory};
use crate::source::{NoInsertion, Span};
use crate::template::{Identity, Label, Template};
use crate::whole::Program;

/// What differs between two programs, if anything does. Spans, insertion points, the order in
/// which labels and registers are numbered, the programs' names, and names that `left` generated do
/// not count.
pub fn difference(left: &Program, right: &Program) -> Option<String> {
    if erase_spans(left.memory()) != erase_spans(right.memory()) {
        return Some(format!("memory: {:?} against {:?}", left.memory(), right.memory()));
    }
    if left.templates().len() != right.templates().len() {
        return Some("the number of threads".to_owned());
    }
    if renumbered_question(left) != renumbered_question(right) {
        return Some(format!("question: {:?} against {:?}", left.question(), right.question()));
    }
    for (left, right) in left.templates().iter().zip(right.templates()) {
        let ((left, _), (right, _)) = (renumber(left), renumber(right));
        if erase_names(&left) != erase_names(&right) {
            return Some(format!("thread {}: {left:#?} against {right:#?}", left.name()));
        }
        let labels = left.labels().iter().zip(right.labels());
        if let Some((a, b)) =
            labels.into_iter().find(|(a, b)| !a.generated && (b.generated || a.name != b.name))
        {
            return Some(format!("label {} against {}", a.name, b.name));
        }
        let registers = left.registers().iter().zip(right.registers());
        if let Some((a, b)) =
            registers.into_iter().find(|(a, b)| !a.generated && (b.generated || a.name != b.name))
        {
            return Some(format!("register {} against {}", a.name, b.name));
        }
    }
    None
}

fn erase_spans(memory: &Memory) -> Memory {
    let erase =
        |location: &Location| Location { generated: false, span: Span::NONE, ..location.clone() };
    Memory::new(memory.locations().iter().map(erase).collect(), memory.outside())
}

/// Labels numbered in the order in which they are reached from the initial one (unreachable ones
/// after them, in their own order), registers in the order in which edges then mention them
/// (unused ones after them), and all spans erased.
fn renumber(template: &Template) -> (Template, BTreeMap<RegisterId, RegisterId>) {
    let order = label_order(template);
    let mut builder = TemplateBuilder::new(template.name(), Span::NONE);
    builder.count(template.count());

    let mut registers: BTreeMap<RegisterId, RegisterId> = BTreeMap::new();
    let mentioned = order
        .iter()
        .flat_map(|label| template.outgoing(*label))
        .flat_map(|edge| mentioned_registers(&template.edge(edge).instruction));
    for register in mentioned.chain(template.registers().indices()) {
        registers
            .entry(register)
            .or_insert_with(|| builder.register(template.registers()[register].clone()));
    }
    if let Some(identity) = template.identity() {
        builder.identity(Identity { register: registers[&identity.register], ..identity });
    }

    let mut labels: BTreeMap<LabelId, LabelId> = BTreeMap::new();
    for label in &order {
        let bare = Label {
            span: Span::NONE,
            before: Err(NoInsertion::NoSource),
            ..template.labels()[*label].clone()
        };
        labels.insert(*label, builder.label(bare));
    }
    for edge in order.iter().flat_map(|label| template.outgoing(*label)) {
        let edge = template.edge(edge);
        let instruction = rename_registers(&edge.instruction, &registers);
        builder.bare_edge(labels[&edge.from], labels[&edge.to], instruction);
    }
    for (label, boundary) in template.boundaries() {
        let renamed =
            |expr: &Expr| expr.substitute(&mut |register| Expr::Register(registers[&register]));
        builder.boundary(labels[label], boundary.with_expressions(&renamed));
    }
    (builder.build(labels[&template.initial()]), registers)
}

fn renumbered_question(program: &Program) -> Question {
    let registers: IndexVec<TemplateId, BTreeMap<RegisterId, RegisterId>> =
        program.templates().iter().map(|template| renumber(template).1).collect();
    let mut question = program.question().map(&|observable| match observable {
        memory @ (Observable::Cell(_) | Observable::Across(..)) => memory,
        Observable::Register { template, copy, register } => {
            Observable::Register { template, copy, register: registers[template][&register] }
        }
    });
    // In which order types are given does not matter.
    question.told_as.sort_unstable();
    let orders: IndexVec<TemplateId, Vec<LabelId>> =
        program.templates().iter().map(label_order).collect();
    question.forbidden = question.forbidden.map(|forbidden| {
        forbidden.map(&|watched| match watched {
            Watched::Label { template, copy, label } => {
                let at = orders[template].iter().position(|one| *one == label);
                let label = LabelId::new(at.expect("the order has all labels"));
                Watched::Label { template, copy, label }
            }
            Watched::Value(_) => watched,
        })
    });
    question
}

/// The labels of a template in the order in which they are reached from the initial one, then
/// those that are not reached, in their own order.
pub fn label_order(template: &Template) -> Vec<LabelId> {
    let mut seen: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    let mut order = Vec::new();
    for root in std::iter::once(template.initial()).chain(template.labels().indices()) {
        let mut next = order.len();
        if !seen[root] {
            seen[root] = true;
            order.push(root);
        }
        while let Some(label) = order.get(next).copied() {
            next += 1;
            for edge in template.outgoing(label) {
                let to = template.edge(edge).to;
                if !seen[to] {
                    seen[to] = true;
                    order.push(to);
                }
            }
        }
    }
    order
}

fn mentioned_registers(instruction: &Instruction) -> Vec<RegisterId> {
    let read = instruction.expressions().into_iter().flat_map(Expr::registers);
    instruction.written_register().into_iter().chain(read).collect()
}

fn rename_registers(
    instruction: &Instruction,
    names: &BTreeMap<RegisterId, RegisterId>,
) -> Instruction {
    let expr = |expr: &Expr| expr.substitute(&mut |register| Expr::Register(names[&register]));
    match instruction {
        Instruction::Skip => Instruction::Skip,
        Instruction::Assign { register, value } => {
            Instruction::Assign { register: names[register], value: expr(value) }
        }
        Instruction::Choose { register, low, high } => {
            Instruction::Choose { register: names[register], low: *low, high: *high }
        }
        Instruction::Assume(condition) => Instruction::Assume(expr(condition)),
        Instruction::Assert(condition) => Instruction::Assert(expr(condition)),
        Instruction::Load { register, address, access } => {
            Instruction::Load { register: names[register], address: expr(address), access: *access }
        }
        Instruction::Store { address, value, access } => {
            Instruction::Store { address: expr(address), value: expr(value), access: *access }
        }
        Instruction::StoreExclusive { status, address, value, access } => {
            Instruction::StoreExclusive {
                status: names[status],
                address: expr(address),
                value: expr(value),
                access: *access,
            }
        }
        Instruction::Update { result, address, update, access } => Instruction::Update {
            result: result.map(|register| names[&register]),
            address: expr(address),
            update: match update {
                Update::Exchange(value) => Update::Exchange(expr(value)),
                Update::Fetch { op, operand } => Update::Fetch { op: *op, operand: expr(operand) },
                Update::CompareAndSwap { expected, new } => {
                    Update::CompareAndSwap { expected: expr(expected), new: expr(new) }
                }
                Update::BlockingReadWrite { expected, new } => {
                    Update::BlockingReadWrite { expected: expr(expected), new: expr(new) }
                }
            },
            access: *access,
        },
        Instruction::Fence(kind) => Instruction::Fence(*kind),
        Instruction::Lock => Instruction::Lock,
        Instruction::Unlock => Instruction::Unlock,
    }
}

fn erase_names(template: &Template) -> Template {
    let mut template = template.clone();
    for label in &mut template.labels {
        label.name.clear();
        label.generated = false;
    }
    for register in &mut template.registers {
        register.name.clear();
        register.generated = false;
    }
    template
}
