//! Changes of the model: what a changed text has to mean.

use program::index::Idx;
use program::{
    Edge, Expr, FenceKind, IndexVec, InsertionPoint, Instruction, Label, LabelId, NoInsertion,
    Program, Span, Template, TemplateBuilder, TemplateId,
};

/// The program with each template changed.
pub(super) fn each(program: &Program, change: impl Fn(&Template) -> Template) -> Program {
    program.with_templates(program.templates().iter().map(change).collect())
}

/// The program with one template changed.
pub(super) fn one(
    program: &Program,
    id: TemplateId,
    change: impl Fn(&Template) -> Template,
) -> Program {
    let mut templates: IndexVec<_, Template> = program.templates().iter().cloned().collect();
    templates[id] = change(&templates[id]);
    program.with_templates(templates)
}

/// The insertion points of all edges.
pub(super) fn points(program: &Program) -> Vec<InsertionPoint> {
    let edges = program.templates().iter().flat_map(Template::edges);
    let mut points: Vec<_> = edges.filter_map(|edge| edge.after.ok()).collect();
    points.sort_unstable();
    points.dedup();
    points
}

/// The labels with insertion points.
pub(super) fn labels(program: &Program) -> Vec<(TemplateId, LabelId, InsertionPoint)> {
    let mut found = Vec::new();
    for (id, template) in program.templates().enumerate() {
        for (label, data) in template.labels().enumerate() {
            found.extend(data.before.ok().map(|point| (id, label, point)));
        }
    }
    found
}

/// The spans of edges that do something.
pub(super) fn spans(program: &Program, is_it: impl Fn(&Instruction) -> bool) -> Vec<Span> {
    let edges = program.templates().iter().flat_map(Template::edges);
    let mut spans: Vec<_> =
        edges.filter(|edge| is_it(&edge.instruction)).map(|edge| edge.span).collect();
    spans.sort_unstable();
    spans.dedup();
    spans
}

/// Fences of these kinds from one label to another, one after the other.
fn fences(builder: &mut TemplateBuilder, from: LabelId, to: LabelId, kinds: &[FenceKind]) {
    let mut from = from;
    for (number, kind) in kinds.iter().enumerate() {
        let next = if number + 1 == kinds.len() { to } else { fresh(builder) };
        builder.bare_edge(from, next, Instruction::Fence(*kind));
        from = next;
    }
}

/// The template with fences after the edges with an insertion point, which all lead to one label.
pub(super) fn fence_after(
    template: &Template,
    point: InsertionPoint,
    kinds: &[FenceKind],
) -> Template {
    let mut middle: Option<(LabelId, LabelId)> = None;
    rebuild(template, |builder, edge| {
        if edge.after != Ok(point) {
            builder.edge(edge.clone());
        } else if stands_for_nothing(edge) {
            fences(builder, edge.from, edge.to, kinds);
        } else {
            let (label, to) = *middle.get_or_insert_with(|| {
                let label = fresh(builder);
                fences(builder, label, edge.to, kinds);
                (label, edge.to)
            });
            assert_eq!(to, edge.to, "{point:?}: {edge:?}");
            builder.edge(Edge { to: label, ..edge.clone() });
        }
    })
}

/// Whether a step stands for no statement (an empty branch, the way into a loop): it gives way to
/// the first statement that is inserted there.
fn stands_for_nothing(edge: &Edge) -> bool {
    edge.instruction == Instruction::Skip
        && edge.after.is_ok_and(|point| point.offset != edge.span.end)
}

/// The template with fences before everything that leaves a label.
pub(super) fn fence_before(template: &Template, label: LabelId, kinds: &[FenceKind]) -> Template {
    let mut behind: Option<LabelId> = None;
    let mut rebuilt = start(template);
    let mut put = |rebuilt: &mut TemplateBuilder| {
        *behind.get_or_insert_with(|| {
            let behind = fresh(rebuilt);
            fences(rebuilt, label, behind, kinds);
            rebuilt.move_boundary(label, behind);
            behind
        })
    };
    if template.outgoing(label).len() == 0 {
        put(&mut rebuilt);
    }
    for edge in template.edges() {
        let mut from = edge.from;
        let same_place = template.labels()[label].before == edge.after;
        if from == label && same_place && stands_for_nothing(edge) {
            fences(&mut rebuilt, from, edge.to, kinds);
            continue;
        }
        if from == label {
            from = put(&mut rebuilt);
        }
        rebuilt.edge(Edge { from, ..edge.clone() });
    }
    rebuilt.build(template.initial())
}

/// The template with other instructions, one after the other, for those that `change` picks.
pub(super) fn replace(
    template: &Template,
    change: impl Fn(&Edge) -> Option<Vec<Instruction>>,
) -> Template {
    rebuild(template, |builder, edge| {
        let Some(steps) = change(edge) else { return builder.edge(edge.clone()) };
        let last = steps.len() - 1;
        let mut from = edge.from;
        for (number, instruction) in steps.into_iter().enumerate() {
            let to = if number == last { edge.to } else { fresh(builder) };
            builder.edge(Edge { from, to, instruction, ..edge.clone() });
            from = to;
        }
    })
}

/// The program without steps that do nothing, where that is clear: the only way on from a label,
/// or the only way to one. Labels nothing leads to are gone, and no label has a name.
pub(super) fn without_skips(program: &Program) -> Program {
    each(program, |template| {
        let mut template = forgotten(template);
        while let Some(shorter) = without_one_skip(&template) {
            template = shorter;
        }
        reachable(&template)
    })
}

fn is_nothing(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Skip => true,
        Instruction::Assume(condition) => *condition == Expr::Const(1),
        _ => false,
    }
}

fn without_one_skip(template: &Template) -> Option<Template> {
    let leads_to = |label| template.edges().iter().filter(move |edge| edge.to == label).count();
    let skip = template.edges().iter().position(|edge| {
        let only_way_on = template.outgoing(edge.from).len() == 1;
        let only_way_to = edge.to != template.initial() && leads_to(edge.to) == 1;
        // A call or a return stays where it is.
        let is_boundary = template.boundaries().contains_key(&edge.from);
        let only_way_to = only_way_to && !template.boundaries().contains_key(&edge.to);
        is_nothing(&edge.instruction)
            && !is_boundary
            && edge.from != edge.to
            && (only_way_on || only_way_to)
    })?;
    let (from, to) = {
        let edge = template.edges().iter().nth(skip)?;
        (edge.from, edge.to)
    };
    let merged = |label| if label == from { to } else { label };
    let mut builder = start(template);
    // In the order of the steps that leave the label: those of the skip come where it was.
    let leaving = |label: LabelId| template.outgoing(label).map(|edge| template.edge(edge));
    for label in template.labels().indices() {
        for edge in leaving(label) {
            let is_it = edge.from == from && edge.to == to && is_nothing(&edge.instruction);
            let edges: Vec<&Edge> = if label == to {
                continue;
            } else if is_it {
                leaving(to).collect()
            } else {
                vec![edge]
            };
            for edge in edges {
                let instruction = edge.instruction.clone();
                let origin = if label == from { to } else { edge.from };
                builder.bare_edge(origin, merged(edge.to), instruction);
            }
        }
    }
    Some(builder.build(merged(template.initial())))
}

/// Without names and without marks of waiting.
fn forgotten(template: &Template) -> Template {
    let mut builder = start(template);
    for label in builder.labels_mut().iter_mut() {
        label.generated = true;
        label.waiting = false;
    }
    for edge in template.edges() {
        let nothing = is_nothing(&edge.instruction);
        let instruction = if nothing { Instruction::Skip } else { edge.instruction.clone() };
        builder.bare_edge(edge.from, edge.to, instruction);
    }
    builder.build(template.initial())
}

fn reachable(template: &Template) -> Template {
    let mut seen = vec![template.initial()];
    let mut next = 0;
    while let Some(label) = seen.get(next).copied() {
        next += 1;
        for edge in template.outgoing(label) {
            let to = template.edge(edge).to;
            if !seen.contains(&to) {
                seen.push(to);
            }
        }
    }
    let mut builder = TemplateBuilder::new(template.name(), template.span());
    copy_registers(template, &mut builder);
    let number = |label: LabelId| {
        LabelId::new(seen.iter().position(|it| *it == label).expect("a label that is reached"))
    };
    for label in &seen {
        builder.label(template.labels()[*label].clone());
    }
    for edge in template.edges().iter().filter(|edge| seen.contains(&edge.from)) {
        builder.bare_edge(number(edge.from), number(edge.to), edge.instruction.clone());
    }
    for (label, boundary) in template.boundaries().iter().filter(|(label, _)| seen.contains(label))
    {
        builder.boundary(number(*label), boundary.clone());
    }
    builder.build(number(template.initial()))
}

pub(super) fn fresh(builder: &mut TemplateBuilder) -> LabelId {
    builder.label(Label {
        name: format!("fresh{}", builder.labels().len()),
        generated: true,
        waiting: false,
        span: Span::NONE,
        before: Err(NoInsertion::NoSource),
    })
}

fn copy_registers(template: &Template, builder: &mut TemplateBuilder) {
    builder.count(template.count());
    if let Some(identity) = template.identity() {
        builder.identity(identity);
    }
    for register in template.registers() {
        builder.register(register.clone());
    }
}

/// A template with everything but edges.
pub(super) fn start(template: &Template) -> TemplateBuilder {
    TemplateBuilder::like(template)
}

fn rebuild(template: &Template, mut edge: impl FnMut(&mut TemplateBuilder, &Edge)) -> Template {
    let mut builder = start(template);
    for one in template.edges() {
        edge(&mut builder, one);
    }
    builder.build(template.initial())
}
