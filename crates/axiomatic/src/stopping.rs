//! Executions in which some threads never come to their end.
//!
//! A thread that waits for ever, or that a fault stops, has no final state, so no execution of it is
//! among those that lead to one. What a model flags may be there all the same: a data race before an
//! endless wait is a data race. So a model that raises flags is also asked about the program in which
//! each thread may stop wherever it could be stuck. Axioms about what happened before are not weakened by
//! what happens afterwards, so these prefixes are the executions that are missing.

use std::collections::BTreeSet;

use program::{
    Edge, EdgeId, Expr, IndexVec, Instruction, LabelId, NoInsertion, Program, Span, Template,
    TemplateBuilder, TemplateId, Thread, ThreadId, Update, index::Idx,
};

use crate::execution::Execution;
use crate::run::PossibleFault;

/// The program with the possibility to stop, if a thread could be stuck somewhere.
pub(crate) fn stopping(program: &Program, faults: &BTreeSet<PossibleFault>) -> Option<Program> {
    let threads = program.threads().ok()?;
    let mut any = false;
    let templates = program
        .templates()
        .enumerate()
        .map(|(id, template)| {
            let faulty = |fault: &&PossibleFault| {
                threads.get(fault.thread).is_some_and(|thread| thread.template == id)
            };
            let faulty = faults.iter().filter(faulty).map(|fault| template.edge(fault.edge).from);
            let stuck: BTreeSet<LabelId> = stuck(template).chain(faulty).collect();
            any |= !stuck.is_empty();
            with_stops(template, &stuck)
        })
        .collect::<IndexVec<TemplateId, Template>>();
    any.then(|| program.with_templates(templates))
}

/// Where a thread may have to wait.
fn stuck(template: &Template) -> impl Iterator<Item = LabelId> {
    template.labels().indices().filter(|label| {
        let edges: Vec<&Edge> = template.outgoing(*label).map(|edge| template.edge(edge)).collect();
        match edges.as_slice() {
            [] => false,
            [one, other] if are_alternatives(one, other) => false,
            several => several.iter().all(|edge| can_block(&edge.instruction)),
        }
    })
}

/// Whether one of two branches is always open.
fn are_alternatives(one: &Edge, other: &Edge) -> bool {
    let condition = |edge: &Edge| -> Option<Expr> {
        match &edge.instruction {
            Instruction::Assume(condition) => Some(condition.clone()),
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assert(_)
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => None,
        }
    };
    condition(one)
        .zip(condition(other))
        .is_some_and(|(one, other)| one.negated() == other || other.negated() == one)
}

const fn can_block(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Assume(_)
        | Instruction::Update { update: Update::BlockingReadWrite { .. }, .. } => true,
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => false,
    }
}

/// Gives the events of an execution of a program with stops the edges of the program without.
pub(crate) fn without_stops(
    program: &Program,
    stopping: &Program,
    threads: &IndexVec<ThreadId, Thread>,
    execution: &mut Execution,
) {
    for event in &mut execution.events {
        let Some((thread, edge)) = event.thread.zip(event.edge) else { continue };
        let Some(thread) = threads.get(thread) else { continue };
        let labels = program.template(thread.template).labels().len();
        let edges = stopping.template(thread.template).edges().enumerate();
        let is_stop = |edge: &Edge| edge.to.index() >= labels;
        let added = edges.filter(|(id, added)| *id < edge && is_stop(added)).count();
        event.edge = Some(EdgeId::new(edge.index() - added));
    }
}

fn with_stops(template: &Template, stuck: &BTreeSet<LabelId>) -> Template {
    let mut builder = TemplateBuilder::like(template);
    let stopped = builder.named_label("stopped");
    for edge in template.edges() {
        builder.edge(edge.clone());
    }
    for label in stuck {
        builder.edge(Edge {
            from: *label,
            to: stopped,
            instruction: Instruction::Skip,
            span: Span::NONE,
            after: Err(NoInsertion::NoSource),
        });
    }
    builder.build(template.initial())
}
