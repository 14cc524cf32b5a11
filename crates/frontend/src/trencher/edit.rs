//! Changing the text of a transition system.
//!
//! A fence is a transition of its own, `mfence`, between the labels of its neighbours and a fresh
//! one. The language has no locked store: a store is locked by `lock` before and `unlock` after it.

use std::collections::BTreeSet;
use std::ops::Range;

use program::{Diagnostic, Diagnostics, Instruction, SourceId, Sources, Span};

use super::words;
use crate::edit::patch::Comments;
use crate::edit::steps::{Kind, Places, Step, Steps, Style};
use crate::edit::{Edited, Plan, no_locked_store, no_store};

const STYLE: Style = Style {
    language: "Trencher's language",
    comments: Comments { line: "#", block: None },
    fence: "mfence",
    nothing: "noop",
    write: |from, to, action, _| format!("transition {from} {to} {action}"),
};

/// The text with changes, or why they cannot be made.
pub(crate) fn edit(
    sources: &Sources,
    source: SourceId,
    mut plan: Plan,
) -> Result<Edited, Diagnostics> {
    let text = sources.text(source);
    let program = super::load(sources, source)?;
    let tokens = words::tokens(text);
    let mut steps = Vec::new();
    for (thread, template) in program.templates().iter().enumerate() {
        for edge in template.edges() {
            let keyword = tokens.partition_point(|token| token.start < edge.span.start as usize);
            let [_, from, to, action, ..] = &tokens[keyword..] else { continue };
            let places = Places { from: range(from), to: range(to), action: range(action) };
            steps.push(Step::new(text, thread, kind(&edge.instruction), edge.span, places));
        }
    }
    // Sorted by label in the model, by place in the text.
    steps.sort_by_key(|step| step.span);
    let initial = program.templates().iter().map(|it| it.labels()[it.initial()].name.clone());
    let starts: Vec<String> = initial.collect();
    let mut steps = Steps::new(source, text, STYLE, steps, starts.iter().cloned());
    let held = held(&steps.list);
    steps.fences(&mut plan);
    for span in plan.unlock {
        unlock(&mut steps, span, &starts);
    }
    for span in plan.lock {
        lock(&mut steps, span, &held);
    }
    steps.finish()
}

fn range(token: &words::Token<'_>) -> Range<usize> {
    token.start..token.start + token.text.len()
}

const fn kind(instruction: &Instruction) -> Kind {
    match instruction {
        Instruction::Fence(_) => Kind::Fence,
        Instruction::Store { .. } => Kind::Store,
        Instruction::Lock => Kind::Lock,
        Instruction::Unlock => Kind::Unlock,
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. } => Kind::Other,
    }
}

/// Steps that may be made while their thread holds the lock.
fn held(steps: &[Step]) -> BTreeSet<Span> {
    let mut held: BTreeSet<Span> = BTreeSet::new();
    let mut labels: Vec<(usize, &str)> = steps
        .iter()
        .filter(|step| step.kind == Kind::Lock)
        .map(|step| (step.thread, step.to.as_str()))
        .collect();
    while let Some((thread, label)) = labels.pop() {
        for step in steps.iter().filter(|step| step.thread == thread && step.from == label) {
            if held.insert(step.span) && step.kind != Kind::Unlock {
                labels.push((thread, &step.to));
            }
        }
    }
    held
}

fn lock(steps: &mut Steps<'_>, span: Span, held: &BTreeSet<Span>) {
    let found = steps.list.iter().position(|step| step.span == span && step.kind == Kind::Store);
    let Some(store) = found else {
        steps.errors.push(no_store(span));
        return;
    };
    if held.contains(&span) {
        let error = Diagnostic::new(span, "this store may stand in a locked section already")
            .help("`unlock` waits until all stores before it have reached memory");
        steps.errors.push(error);
        return;
    }
    steps.first(store, "lock", "locked");
    steps.then(store, "unlock", "locked");
}

/// Takes `lock` and `unlock` away from a store that stands alone between them.
fn unlock(steps: &mut Steps<'_>, span: Span, initial: &[String]) {
    let found = steps.list.iter().position(|step| step.span == span && step.kind == Kind::Store);
    let Some(store) = found else {
        steps.errors.push(no_locked_store(span));
        return;
    };
    let Step { thread, from, to, .. } = &steps.list[store];
    let only = |leads: bool, label: &str| {
        let mut ways = steps.list.iter().enumerate().filter(|(_, step)| {
            step.thread == *thread && label == if leads { &step.to } else { &step.from }
        });
        let first = ways.next().map(|(number, _)| number);
        first.filter(|_| ways.next().is_none() && label != initial[*thread])
    };
    let alone = only(false, from) == Some(store) && only(true, to) == Some(store);
    let ends = only(true, from).zip(only(false, to)).filter(|(before, after)| {
        alone && steps.list[*before].kind == Kind::Lock && steps.list[*after].kind == Kind::Unlock
    });
    let Some((before, after)) = ends else {
        steps.errors.push(
            no_locked_store(span).help("a locked store stands alone between `lock` and `unlock`"),
        );
        return;
    };
    let (from, to) = (steps.list[before].from.clone(), steps.list[after].to.clone());
    steps.take_out(before);
    steps.take_out(after);
    steps.list[store].from = from;
    steps.list[store].to = to;
}
