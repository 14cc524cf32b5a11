//! `fence` agrees with the manifests on the least number of fences: each thread by itself, and at any
//! label, as the papers count.

use std::ops::ControlFlow;

use analysis::{Criterion, Limits, Options};
use program::index::Idx;
use program::{LabelId, NoInsertion, Program, Template, TemplateBuilder};
use repair::checkers::Exact;
use repair::decision::fences;
use repair::{Outcome, Positions, Problem, cheapest_repair, costs};

use crate::{for_each_instance, load_with};

/// What one search may take: small enough for all instances to be tried in seconds.
const LIMITS: Limits = Limits { memory: Some(1 << 30), time: None, states: Some(50_000) };

/// The program without a text: every label of every thread is a place of its own.
fn without_text(program: &Program) -> Program {
    let without = |template: &Template| {
        let mut builder = TemplateBuilder::like(template);
        for label in 0..template.labels().len() {
            builder.labels_mut()[LabelId::new(label)].before = Err(NoInsertion::NoSource);
        }
        template.edges().iter().for_each(|edge| builder.edge(edge.clone()));
        builder.build(template.initial())
    };
    let apart = program.with_copies_apart().expect("a definite program");
    apart.with_templates(apart.templates().iter().map(without).collect())
}

/// The least number of fences; nothing if a search takes too long.
fn fewest(program: &Program, positions: Positions, criterion: Criterion) -> Option<usize> {
    let decisions = fences(program, positions, false);
    let costs = costs::uniform(&decisions);
    let problem = Problem { program, decisions: &decisions, costs: &costs };
    let options = Options { limits: LIMITS, ..Options::default() };
    let watch = |_: &_| ControlFlow::Continue(());
    let mut checker = Exact { criterion, options: &options, watch };
    let solved = cheapest_repair(&problem, &mut checker, false).expect("a definite program");
    match solved.outcome {
        Outcome::Repaired(sets) => Some(sets[0].len()),
        Outcome::Unrepairable(_) => panic!("{}: fences everywhere do not help", program.name()),
        Outcome::Undecided { .. } => None,
    }
}

#[test]
fn fence_agrees_with_the_manifests() {
    let (mut decided, mut known) = (0, 0);
    let mut different = Vec::new();
    for_each_instance(|path, instance| {
        let Some(said) = &instance.fences else { return };
        let program = load_with(path, &instance.set).expect("a program of the corpus");
        let apart = program.with_copies_apart().expect("a definite program");
        let bare = without_text(&program);
        for (criterion, said) in [
            (Criterion::Trf, said.trf),
            (Criterion::Robustness, said.robustness),
            (Criterion::Persistence, said.persistence),
        ] {
            let Some(said) = said else { continue };
            known += 1;
            let Some(found) = fewest(&bare, Positions::Labels, criterion) else { continue };
            decided += 1;
            let name = format!("{} {:?}, {criterion}", path.display(), instance.set);
            if u32::try_from(found) != Ok(said) {
                different.push(format!("{name}: {said}, but {found} are enough"));
            }
            // There is a place after every store, but not at every label.
            let in_text = fewest(&apart, Positions::AfterInstructions, criterion);
            assert!(in_text.is_none_or(|in_text| in_text >= found), "{name}: {in_text:?}");
        }
    });
    assert!(different.is_empty(), "{different:#?}");
    assert!(decided * 10 >= known * 9, "only {decided} of {known} are decided");
}
