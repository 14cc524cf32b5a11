//! From program to text.
//!
//! What is written reads back as the same program if it is one that the language can express as
//! it is; any other is translated first ([`super::translate`]). Registers and labels that no
//! transition mentions are not written: the language has no declarations.

use std::fmt::Write;

use program::{
    Diagnostics, Expr, IndexVec, Instruction, LabelId, Location, Program, RegisterId, Template,
    UnaryOp,
};

use super::translate::translate;
use super::{declared_size, words};

/// The text of a program, or all that cannot be expressed.
pub fn print(program: &Program) -> Result<String, Diagnostics> {
    let translated = translate(program)?;
    let mut text = String::new();
    if let Some(size) = declared_size(translated.memory()) {
        push(&mut text, format_args!("memory_size {size}\n"));
    } else {
        for location in program.memory().locations() {
            push(&mut text, format_args!("# {}\n", layout(location)));
        }
    }
    let mut edges = program.templates().iter().flat_map(Template::edges);
    if edges.any(|edge| matches!(edge.instruction, Instruction::Assert(_))) {
        text.push_str("# left out: that assertions fail; a check that is false blocks instead\n");
    }
    for line in crate::unasked_question(program) {
        push(&mut text, format_args!("# {line}\n"));
    }
    for template in translated.templates() {
        if !text.is_empty() {
            text.push('\n');
        }
        write_thread(&mut text, template);
    }
    Ok(text)
}

/// Where a location is, for people.
fn layout(location: &Location) -> String {
    // A name with a line break would end the comment.
    let name: String =
        location.name.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    match location.length {
        None => format!("{name} is at {}", location.base),
        Some(length) if location.stride == 1 => {
            format!("{name} has {length} cells from {}", location.base)
        }
        Some(length) => {
            format!("{name} has {length} cells from {}, every {}", location.base, location.stride)
        }
    }
}

fn write_thread(text: &mut String, template: &Template) {
    let label = |label| &template.labels()[label].name;
    push(text, format_args!("thread {}\n", template.name()));
    push(text, format_args!("initial {}\n", label(template.initial())));
    for edge in reading_order(template).into_iter().flat_map(|label| template.outgoing(label)) {
        let edge = template.edge(edge);
        push(text, format_args!("transition {} {} ", label(edge.from), label(edge.to)));
        write_instruction(text, template, &edge.instruction);
        text.push('\n');
    }
    text.push_str("end\n");
}

/// All labels in their order, but each generated one right after what leads to it.
fn reading_order(template: &Template) -> Vec<LabelId> {
    let is_generated = |label: LabelId| template.labels()[label].generated;
    let (generated, named): (Vec<_>, Vec<_>) =
        template.labels().indices().partition(|label| is_generated(*label));
    let mut seen: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    let mut order = Vec::new();
    let start = Some(template.initial()).filter(|label| is_generated(*label));
    for root in start.into_iter().chain(named).chain(generated) {
        let mut next = vec![root];
        while let Some(label) = next.pop() {
            if std::mem::replace(&mut seen[label], true) {
                continue;
            }
            order.push(label);
            let targets = template.outgoing(label).map(|edge| template.edge(edge).to);
            let mut targets: Vec<LabelId> = targets.filter(|to| is_generated(*to)).collect();
            // The first to be visited is the last put on the stack.
            targets.reverse();
            next.extend(targets);
        }
    }
    order
}

fn write_instruction(text: &mut String, template: &Template, instruction: &Instruction) {
    let name = |register: RegisterId| &template.registers()[register].name;
    let word = match instruction {
        Instruction::Skip => "noop",
        Instruction::Fence(_) => "mfence",
        Instruction::Lock => "lock",
        Instruction::Unlock => "unlock",
        Instruction::Assume(_) => "check",
        Instruction::Assign { register, .. } => {
            push(text, format_args!("local {}", name(*register)));
            ""
        }
        Instruction::Load { register, .. } => {
            push(text, format_args!("read {}", name(*register)));
            ""
        }
        Instruction::Store { .. } => "write",
        Instruction::Choose { .. }
        | Instruction::Assert(_)
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. } => unreachable!("translation leaves no {instruction:?}"),
    };
    text.push_str(word);
    let mut expressions = instruction.expressions();
    if let Instruction::Store { .. } = instruction {
        // The value comes before the address.
        expressions.reverse();
    }
    for expression in expressions {
        expression.visit(&mut |part| {
            text.push(' ');
            write_head(text, template, part);
        });
    }
}

/// An expression without its operands, which follow it.
fn write_head(text: &mut String, template: &Template, expr: &Expr) {
    match expr {
        Expr::Const(value) => push(text, format_args!("{value}")),
        Expr::Register(register) => text.push_str(&template.registers()[*register].name),
        Expr::Unary(UnaryOp::Not, _) => text.push_str(words::NOT),
        Expr::Binary(op, ..) => {
            let operator = words::binary_operator_text(*op);
            text.push_str(operator.expect("translation leaves only operators of the language"));
        }
        Expr::Unary(UnaryOp::Neg | UnaryOp::BitNot, _)
        | Expr::Element(..)
        | Expr::Select(_)
        | Expr::Cast(..) => unreachable!("translation leaves no {expr:?}"),
    }
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string succeeds");
}
