//! Insertion points are exact: a fence inserted into the text at the point of an edge is a fence
//! right after the edges with that point and nowhere else; one inserted at the point of a label is
//! a fence before everything that leaves the label.

use std::collections::BTreeSet;
use std::path::Path;

use frontend::{Language, Settings, load};
use program::index::Idx;
use program::{
    Edge, FenceKind, IndexVec, InsertionPoint, Instruction, Label, LabelId, NoInsertion, Program,
    Sources, Span, Template, TemplateBuilder, canonical,
};

const EVERYTHING: &str = "
shared x, y, a[3]
thread p[i in 0..2] {
  local r, s = 2
  x = 1 ; y = 2
  r = x + a[y] // a comment
  if r == 1 { x = 2 } else if x == 1 && y == 2 { y = 1; r = 3 } else { r = 2 }
  if x == 1 || y == 1 { }
  while x == 1 { r = r - 1 }
  while r == 1 { if x == 2 { break }; if y == 2 { continue } }
  again: loop {
    r = x
    if r == 1 { break }
    either { x = 1 } or { r = 5; y = 1 } or { } or { goto again }
  }
  for k in 0..s { x = k; if x == 1 { continue } }
  for k in r..=3 { if y == 1 { break } }
  loop { inner: y = 1; if y == 2 { break } }
  await x == 1 && y == 2
  await x == 1
  atomic { x = x + 1; r = x }
  r = cas(x, 0, 1)
  xchg(x, 2)
  r = x && y
  r = r ? x : y
  assert x == 1
  assume r == 1
  either { while x == 2 { } } or { await y == 1 } or { skip } or { stop }
  goto last
  x = 7
  one: two: y = 3
  if x == 1 { goto two }
  quiet: if 0 { x = 1 }
  last: fence
  local t = x, u = y
  t = 1
}
thread q { loop { } }
thread e { }
";

fn parse(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test.fw", text);
    load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"))
}

/// The template with a fence after the edges that `is_here` picks, which all lead to one label.
fn fence_after(template: &Template, is_here: impl Fn(&Edge) -> bool) -> Template {
    let fence = Instruction::Fence(FenceKind::Full);
    let mut middle: Option<(LabelId, LabelId)> = None;
    rebuild(template, |builder, edge| {
        if !is_here(edge) {
            builder.bare_edge(edge.from, edge.to, edge.instruction.clone());
        } else if stands_for_nothing(edge) {
            builder.bare_edge(edge.from, edge.to, fence.clone());
        } else {
            let (label, to) = *middle.get_or_insert_with(|| {
                let label = fresh(builder);
                builder.bare_edge(label, edge.to, fence.clone());
                (label, edge.to)
            });
            assert_eq!(to, edge.to);
            builder.bare_edge(edge.from, label, edge.instruction.clone());
        }
    })
}

/// Whether a step stands for no statement (an empty branch, the way into a loop): it gives way to
/// the first statement that is inserted there.
fn stands_for_nothing(edge: &Edge) -> bool {
    edge.instruction == Instruction::Skip
        && edge.after.is_ok_and(|point| point.offset != edge.span.end)
}

/// The template with a fence before everything that leaves a label.
fn fence_before(template: &Template, label: LabelId) -> Template {
    let behind = LabelId::new(template.labels().len());
    let mut first = true;
    rebuild(template, |builder, edge| {
        let mut from = edge.from;
        let same_place = template.labels()[label].before == edge.after;
        if from == label && same_place && stands_for_nothing(edge) {
            return builder.bare_edge(from, edge.to, Instruction::Fence(FenceKind::Full));
        }
        if from == label {
            if std::mem::take(&mut first) {
                fresh(builder);
                builder.bare_edge(label, behind, Instruction::Fence(FenceKind::Full));
            }
            from = behind;
        }
        builder.bare_edge(from, edge.to, edge.instruction.clone());
    })
}

fn fresh(builder: &mut TemplateBuilder) -> LabelId {
    builder.label(Label {
        name: format!("fresh{}", builder.labels().len()),
        generated: true,
        waiting: false,
        span: Span::NONE,
        before: Err(NoInsertion::NoSource),
    })
}

fn rebuild(template: &Template, mut edge: impl FnMut(&mut TemplateBuilder, &Edge)) -> Template {
    let mut builder = TemplateBuilder::new(template.name(), template.span());
    builder.count(template.count());
    if let Some(identity) = template.identity() {
        builder.identity(identity);
    }
    for register in template.registers() {
        builder.register(register.clone());
    }
    for label in template.labels() {
        builder.label(label.clone());
    }
    for one in template.edges() {
        edge(&mut builder, one);
    }
    builder.build(template.initial())
}

fn check(
    program: &Program,
    text: &str,
    offset: u32,
    inserted: &str,
    expected: IndexVec<program::TemplateId, Template>,
) {
    let offset = offset as usize;
    let edited = format!("{}{inserted}{}", &text[..offset], &text[offset..]);
    let difference = canonical::difference(&program.with_templates(expected), &parse(&edited));
    assert_eq!(difference, None, "{edited}");
}

/// The program with everything in it, and all of the corpus.
fn texts() -> Vec<String> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let folders = std::fs::read_dir(corpus).expect("the corpus");
    let folders = folders.map(|entry| entry.expect("an entry").path()).filter(|it| it.is_dir());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).expect("a suite"));
    let files = files.map(|entry| entry.expect("an entry").path());
    let programs = files.filter(|file| file.extension().is_some_and(|it| it == "fw"));
    let texts = programs.map(|file| std::fs::read_to_string(file).expect("a program"));
    std::iter::once(EVERYTHING.to_owned()).chain(texts).collect()
}

#[test]
fn a_fence_in_the_text_is_a_fence_after_its_edges() {
    let mut checked = 0;
    for text in texts() {
        let program = parse(&text);
        let points: BTreeSet<InsertionPoint> = program
            .templates()
            .iter()
            .flat_map(Template::edges)
            .filter_map(|edge| edge.after.ok())
            .collect();
        for point in points {
            let expected = program
                .templates()
                .iter()
                .map(|template| fence_after(template, |edge| edge.after == Ok(point)))
                .collect();
            // Behind a label a statement begins; elsewhere one may have to be ended first.
            let behind_label = text[..point.offset as usize].trim_end().ends_with(':');
            let inserted = if behind_label { "fence; " } else { "; fence; " };
            check(&program, &text, point.offset, inserted, expected);
            checked += 1;
        }
    }
    assert!(checked > 900, "{checked}");
}

#[test]
fn a_fence_in_the_text_is_a_fence_before_its_label() {
    let mut checked = 0;
    for text in texts() {
        let program = parse(&text);
        for (id, template) in program.templates().enumerate() {
            for (label, data) in template.labels().enumerate() {
                let Ok(point) = data.before else { continue };
                // At the end of a thread nothing leaves the label, and a fence leads on from it.
                if template.outgoing(label).len() == 0 {
                    continue;
                }
                let mut templates: IndexVec<_, Template> =
                    program.templates().iter().cloned().collect();
                templates[id] = fence_before(template, label);
                let ends_block = text[point.offset as usize..].starts_with('}');
                let inserted = if ends_block { "; fence; " } else { "fence; " };
                check(&program, &text, point.offset, inserted, templates);
                checked += 1;
            }
        }
    }
    assert!(checked > 800, "{checked}");
}
