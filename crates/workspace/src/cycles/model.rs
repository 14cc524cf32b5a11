//! Answers about models: programs whose graph is made of the program itself, which is closed.

use std::collections::BTreeSet;

use axiomatic::Respected;
use cycles::answer::{Asked, Repair, ShownFence};
use cycles::{Arch, Changed, Costs, NONE_GOES, NodeRef, Orders};
use events::{At, Graph, PlaceId, ProgramGraph};
use frontend::Language;
use frontend::edit::Change as TextChange;
use program::change::{Change, apply};
use program::{Diagnostic, Diagnostics, Order, Program, Span};
use web_time::Instant;

use super::refined::{Reread, proven, refined};
use super::texts::{Edges, NewTexts, Texts, nodes_of};
use super::{
    Audit, Cycles, CyclesAnswer, Executions, Figures, NoAudit, all_changes, audit, audited,
    confirmed, disagreement, graph, is_expressible, must_be_repaired,
};
use crate::inputs::Origin;
use crate::store::Subject;

/// An answer about a model.
pub(super) fn answer(
    subject: &Subject<'_, '_>,
    question: &Cycles,
) -> Result<CyclesAnswer, Diagnostics> {
    let start = Instant::now();
    let loaded = subject.loaded;
    let language = match &loaded.origin {
        Origin::Text(language, _) => *language,
        Origin::Compiled(_) => {
            let message = "critical cycles are those of whole programs, not of a translation";
            return Err(vec![Diagnostic::new(Span::NONE, message)]);
        }
    };
    if let Some(at) = loaded.program.access_across() {
        let message = "critical cycles do not know accesses of different sizes to the same memory";
        let help = "`fencewright outcomes` follows them by bytes";
        return Err(vec![Diagnostic::new(at, message).help(help)]);
    }
    let graph = graph(&loaded.program, question);
    let orders = super::orders(&loaded.program, question);
    let asked = super::asked(&graph.graph, orders, question, true);
    let kinds = question.priced(|kind| is_expressible(loaded, kind));
    let weights = question.weights(&graph.graph);
    let can_write = super::orders::in_model(loaded);
    let mut answer = CyclesAnswer::new(question, &asked, Figures::new(&loaded.sources, start));
    answer.premises = loaded.premises.clone();
    audited::fits(question)?;
    if question.executions == Executions::Asked && question.audit.is_none() {
        let (program, sources) = (&loaded.program, &loaded.sources);
        let confirmed = confirmed::confirmed(program, sources, question, Respected::All);
        if answer.found.is_robust() && confirmed.weak.is_some() {
            return Err(disagreement());
        }
        answer.confirmed = Some(confirmed);
    }
    if let Some(archs) = &question.audit {
        let known = (&graph.graph, orders, &*can_write);
        let (audit, texts) = audited(subject, language, (question, archs), known)?;
        answer.texts = texts;
        answer.audit = Some(audit);
        return Ok(answer);
    }
    let order = |node: NodeRef, order: Order| {
        super::orders::price(question, &graph.graph, (&*can_write, &|_| false), node, order)
    };
    let weight = |place: PlaceId| weights[place];
    let costs = Costs { kinds: &kinds, weight: &weight, order: &order, existing: NONE_GOES };
    if question.policies {
        answer.policies = asked.policies(&costs);
    }
    let written = |repair: &Repair| -> Result<Option<Reread>, Diagnostics> {
        let Some(changes) = all_changes(&graph.graph, repair) else { return Ok(None) };
        let new = NewTexts::of_model((loaded, language), &changes, question.needs_text)?;
        let Some(new) = new else { return Ok(None) };
        let (program, sources) = loaded.again(subject.host, &new.texts)?;
        let added = new.edges(&loaded.program, &program, &sources);
        Ok(Some(Reread { texts: new.texts, program, added }))
    };
    if let (Some(confirmed), true) =
        (&answer.confirmed, question.repair && !answer.found.is_robust())
        && let Some(exact) = refined(
            confirmed,
            (question, Respected::All),
            (&graph.graph, &loaded.sources),
            (&asked, &costs),
            &written,
        )?
    {
        answer.prove(exact);
        return Ok(answer);
    }
    answer.repair = question.repair.then(|| asked.repair(&costs));
    if let Some(Ok(repair)) = &answer.repair {
        let reread = written(repair)?;
        answer.texts = reread.as_ref().map(|reread| reread.texts.clone());
        let (changed, added) = match reread {
            Some(Reread { program, added, .. }) => (program, added),
            None => changed(&loaded.program, &graph, &repair.fences, &repair.changed),
        };
        let graph = self::graph(&changed, question);
        let ask = super::question(&graph.graph, super::orders(&changed, question), question, true);
        let asked = Asked::with_new_fences(ask, nodes_of(&added, &graph));
        must_be_repaired(&asked, repair, &kinds, &|_, _| None)?;
        if question.executions == Executions::Asked && repair.is_whole() {
            let proof = proven((&changed, &added), question, Respected::All);
            answer.proof = Some(proof.map_err(|_| disagreement())?);
        }
    }
    Ok(answer)
}

/// Which orders and fences can be weaker, by critical cycles or by executions, and the text in which they are.
fn audited(
    subject: &Subject<'_, '_>,
    language: Language,
    (question, archs): (&Cycles, &[Arch]),
    (graph, orders, can_write): (&Graph, Orders, &dyn Fn(TextChange) -> bool),
) -> Result<(Result<Audit, NoAudit>, Option<Texts>), Diagnostics> {
    let loaded = subject.loaded;
    let mut texts = None;
    let rereading = |changes: &[TextChange]| -> Result<Option<Program>, Diagnostics> {
        if changes.is_empty() {
            return Ok(Some(loaded.program.clone()));
        }
        let new = NewTexts::of_model((loaded, language), changes, false)?;
        let again = new.map(|new| loaded.again(subject.host, &new.texts)).transpose()?;
        Ok(again.map(|(program, _)| program))
    };
    let audit = if question.executions == Executions::Asked {
        let how = (question, Respected::All);
        audited::by_executions(graph, archs, how, can_write, &rereading)?
    } else {
        audit::audit(graph, archs, question, (orders, true), can_write)
    };
    if let Ok(audit) = &audit {
        let changes = audit.changes();
        let new = match &changes[..] {
            [] => None,
            some => NewTexts::of_model((loaded, language), some, question.needs_text)?,
        };
        if let Some(new) = new {
            if audit.executions.is_none() {
                let (changed, _) = loaded.again(subject.host, &new.texts)?;
                let graph = self::graph(&changed, question).graph;
                audit::must_be_robust(&graph, archs, question, (orders, true))?;
            }
            texts = Some(new.texts);
        }
    }
    Ok((audit, texts))
}

/// The program with fences and orders, and which of its fences are new.
fn changed(
    program: &Program,
    graph: &ProgramGraph,
    fences: &[ShownFence],
    orders: &Changed,
) -> (Program, Edges) {
    let orders = super::orders::in_program(program, graph, orders);
    let changes: Vec<_> = fences
        .iter()
        .flat_map(|fence| {
            graph.places[fence.place].iter().map(|(template, at)| {
                let change = match at {
                    At::Before(label) => Change::FenceBefore(*label, fence.kind),
                    At::After(edge) => Change::FenceAfter(*edge, fence.kind),
                };
                (*template, change)
            })
        })
        .chain(orders)
        .collect();
    let changed = apply(program, &changes);
    let mut added = BTreeSet::new();
    for (template, data) in changed.program.templates().enumerate() {
        let edges = data.edges().enumerate().map(|(edge, _)| edge);
        let new = edges.filter(|edge| changed.origin(template, *edge).is_none());
        added.extend(new.map(|edge| (template, edge)));
    }
    (changed.program, added)
}
