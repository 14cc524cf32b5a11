//! A fence that is put into the text is where the program says that it would be.
//!
//! For every insertion point of the programs in `tests/c`: the text with a fence there, compiled and
//! translated again, is the program with a fence after every edge that has this point. Where the change
//! of the text adds more than a fence (a condition is put into a variable first), the two programs are
//! compared by what they can reach.

mod tools;

use std::collections::{BTreeMap, BTreeSet};

use oracle::{Configuration, Limits, MemoryModel};
use patch::{Change, FenceText, Language};
use program::index::IndexVec;
use program::{
    Edge, FenceKind, InsertionPoint, Instruction, LabelId, NoInsertion, Program, Span, Template,
    TemplateBuilder, Value,
};

use crate::tools::{Workshop, lower, shown};

const LIMITS: Limits = Limits { max_states: 400_000, max_length: 400 };

/// All points of a program.
fn points(program: &Program) -> BTreeSet<InsertionPoint> {
    let edges = program.templates().iter().flat_map(|template| template.edges().iter());
    edges.filter_map(|edge| edge.after.ok()).collect()
}

/// The program with fences after all edges with this point.
fn fenced(program: &Program, point: InsertionPoint) -> Program {
    let template = |template: &Template| {
        let mut builder = TemplateBuilder::like(template);
        let labels: Vec<LabelId> = template.labels().indices().collect();
        let mut added = Vec::new();
        for edge in template.edges() {
            if edge.after != Ok(point) {
                builder.edge(edge.clone());
                continue;
            }
            let between = builder.named_label(format!("fence{}", added.len()));
            builder.edge(Edge { to: between, ..edge.clone() });
            added.push((between, edge.to));
        }
        for (from, to) in added {
            builder.bare_edge(from, to, Instruction::Fence(FenceKind::Full));
        }
        assert!(labels.len() <= builder.labels().len());
        builder.build(template.initial())
    };
    program.with_templates(program.templates().iter().map(template).collect())
}

/// The program without steps that do nothing, where nothing else can be done instead.
fn without_skips(program: &Program) -> Program {
    let template = |template: &Template| {
        let next = |label: LabelId| -> Option<LabelId> {
            let mut leaving = template.outgoing(label);
            let edge = template.edge(leaving.next()?);
            let is_alone = leaving.next().is_none();
            (is_alone && edge.instruction == Instruction::Skip).then_some(edge.to)
        };
        let target = |label: LabelId| {
            let mut at = label;
            for _ in template.labels().indices() {
                match next(at) {
                    Some(to) => at = to,
                    None => break,
                }
            }
            at
        };
        let mut builder = TemplateBuilder::new(template.name(), Span::NONE);
        builder.count(template.count());
        for register in template.registers() {
            builder.register(register.clone());
        }
        if let Some(identity) = template.identity() {
            builder.identity(identity);
        }
        // Only labels that are reached.
        let mut new: BTreeMap<LabelId, LabelId> = BTreeMap::new();
        let mut waiting = vec![target(template.initial())];
        let mut edges = Vec::new();
        while let Some(label) = waiting.pop() {
            if new.contains_key(&label) {
                continue;
            }
            let name = format!("L{}", new.len());
            new.insert(label, builder.named_label(name));
            for edge in template.outgoing(label).map(|edge| template.edge(edge)) {
                waiting.push(target(edge.to));
                edges.push((label, target(edge.to), edge.instruction.clone()));
            }
        }
        for (from, to, instruction) in edges {
            builder.edge(Edge {
                from: new[&from],
                to: new[&to],
                instruction,
                span: Span::NONE,
                after: Err(NoInsertion::NoSource),
            });
        }
        builder.build(new[&target(template.initial())])
    };
    let templates: IndexVec<_, Template> = program.templates().iter().map(template).collect();
    program.with_templates(templates)
}

/// What memory can hold when all buffers are empty, and which faults there are; nothing if there are
/// too many states.
fn reachable(program: &Program) -> Option<Vec<BTreeSet<BTreeMap<Value, Value>>>> {
    let mut all = Vec::new();
    for model in [MemoryModel::Sc, MemoryModel::Tso] {
        let memory = |one: Configuration| one.cells;
        let plain = oracle::plain_configurations(program, model, &LIMITS).ok()?;
        all.push(plain.into_iter().map(memory).collect());
        let last = oracle::final_states(program, model, &LIMITS).ok()?;
        all.push(last.into_iter().map(memory).collect());
        let faults = oracle::reachable_faults(program, model, &LIMITS).ok()?;
        all.push(BTreeSet::from([BTreeMap::from([(0, Value::from(faults.len() as u64))])]));
    }
    Some(all)
}

/// How many points were compared: exactly, by what can be reached, not at all.
#[derive(Debug, Default)]
struct Compared {
    exactly: usize,
    by_states: usize,
    too_large: usize,
}

fn compare(name: &str, text: &str, workshop: &Workshop, compared: &mut Compared) {
    let entries = tools::entries(text);
    let modules = [workshop.module(name, text)];
    let Ok(lowered) = lower(&modules, &[(name, text)], &entries).0 else { return };
    for point in points(&lowered.program) {
        let offset = usize::try_from(point.offset).expect("an offset");
        let around = || {
            let line = text[..offset].lines().count();
            format!("{name}:{line}: fence after `{}`", text[..offset].lines().last().unwrap_or(""))
        };
        let changes = [Change::FenceAfter(offset, FenceText::MFENCE)];
        let patched = patch::edit(text, Language::C, &changes)
            .unwrap_or_else(|refused| panic!("{}: {refused:?}", around()));
        let modules = [workshop.module(name, &patched)];
        let (again, sources) = lower(&modules, &[(name, &patched)], &entries);
        let again = again.unwrap_or_else(|errors| {
            panic!("{}: {}\n{patched}", around(), shown(&errors, &sources))
        });
        let expected = without_skips(&fenced(&lowered.program, point));
        let found = without_skips(&again.program);
        if program::canonical::difference(&expected, &found).is_none() {
            compared.exactly += 1;
            continue;
        }
        // Only a value that is fenced before it is used gets a variable.
        assert!(patched.contains("({"), "{}: another program\n{patched}", around());
        match (reachable(&expected), reachable(&found)) {
            (Some(expected), Some(found)) => {
                assert_eq!(expected, found, "{}\n{patched}", around());
                compared.by_states += 1;
            }
            (Some(_) | None, _) => compared.too_large += 1,
        }
    }
}

#[test]
fn fences_in_the_text_are_where_the_program_has_them() {
    let workshop = Workshop::new("insertion");
    let mut compared = Compared::default();
    for (name, text) in tools::programs() {
        compare(&name, &text, &workshop, &mut compared);
    }
    assert!(compared.exactly > 50 && compared.by_states > 5, "{compared:?}");
    assert!(compared.too_large < 10, "{compared:?}");
}
