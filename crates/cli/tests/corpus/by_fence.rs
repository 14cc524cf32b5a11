//! `fence` agrees with the manifests on the least number of fences: each thread by itself, and at any
//! label, as the papers count.

use std::ops::ControlFlow;

use analysis::{Criterion, Limits, Options};
use program::index::Idx;
use program::{LabelId, NoInsertion, Program, Template, TemplateBuilder};
use repair::checkers::Exact;
use repair::decision::fences;
use repair::{Outcome, Positions, Problem, cheapest_repair, costs};

use crate::{for_each_instance, load_with, suites};

/// What one search may take: small enough for all instances to be tried in seconds.
const LIMITS: Limits =
    Limits { memory: Some(1 << 30), process: None, deadline: None, states: Some(50_000) };

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
    let problem = Problem { program, decisions: &decisions, costs: &costs, preferences: &[] };
    let options = Options { limits: LIMITS, ..Options::default() };
    let watch = |_: &_| ControlFlow::Continue(());
    let mut checker = Exact { criterion, options: &options, watch };
    let solved = cheapest_repair(&problem, &mut checker, false).expect("a definite program");
    match solved.outcome {
        Outcome::Repaired { sets, .. } => Some(sets[0].len()),
        Outcome::Unrepairable(_) => panic!("{}: fences everywhere do not help", program.name()),
        Outcome::Undecided { .. } => None,
    }
}

/// One cheapest repair of a program or all, as sets of decisions.
fn all_cheapest(
    program: &Program,
    criterion: Criterion,
    decisions: &[repair::Decision],
    all: bool,
) -> Option<Vec<Vec<usize>>> {
    let costs = costs::uniform(decisions);
    let problem = Problem { program, decisions, costs: &costs, preferences: &[] };
    let options = Options { limits: LIMITS, ..Options::default() };
    let watch = |_: &_| ControlFlow::Continue(());
    let mut checker = Exact { criterion, options: &options, watch };
    let solved = cheapest_repair(&problem, &mut checker, all).expect("a definite program");
    match solved.outcome {
        Outcome::Repaired { sets, .. } => Some(sets),
        Outcome::Unrepairable(_) => Some(Vec::new()),
        Outcome::Undecided { .. } => None,
    }
}

/// ESOP'15, §11: but for Lamport's fast mutex 2 with two threads, what persistence needs is part of what
/// robustness needs: some cheapest repair for the one is a subset of some cheapest for the other.
#[test]
fn persistence_needs_part_of_what_robustness_needs() {
    let mut exceptions = Vec::new();
    let mut asked = 0;
    let entries = suites().into_iter().flat_map(|(folder, suite)| {
        suite.program.into_iter().map(move |entry| (folder.join(&entry.file), entry))
    });
    let of_table = entries.filter(|(_, entry)| entry.origin.contains("ESOP'15 Table 1"));
    for (path, instance) in of_table.flat_map(|(path, entry)| {
        entry.instance.into_iter().map(move |instance| (path.clone(), instance))
    }) {
        let wanted =
            instance.fences.as_ref().and_then(|said| said.persistence.zip(said.robustness));
        if wanted.is_none_or(|(persistence, _)| persistence == 0) {
            continue;
        }
        let program = load_with(&path, &instance.set).expect("a program of the corpus");
        let decisions = fences(&program, Positions::AfterInstructions, true);
        let cheapest =
            |criterion, decisions: &[_], all| all_cheapest(&program, criterion, decisions, all);
        let Some(of_robustness) = cheapest(Criterion::Robustness, &decisions, true) else {
            continue;
        };
        let Some(least) = cheapest(Criterion::Persistence, &decisions, false) else { continue };
        asked += 1;
        let has_subset = of_robustness.iter().any(|set| {
            let offered: Vec<_> = set.iter().map(|at| decisions[*at].clone()).collect();
            let within = cheapest(Criterion::Persistence, &offered, false);
            within.and_then(|sets| sets.first().map(Vec::len)) == least.first().map(Vec::len)
        });
        if !has_subset {
            exceptions.push(format!("{} {:?}", path.file_name().unwrap().display(), instance.set));
        }
    }
    assert!(asked > 20, "{asked}");
    // `pgsql.fw` is not the program of the table, which the paper does not print. In ours a worker's
    // store to its work (line 30) is overtaken by the load of its latch (line 26) while another one
    // sets the latch: that is in no cycle, so robustness does not need a fence there.
    let expected = [
        "lamport-fast-2.fw {\"N\": 2}",
        "lamport-fast-2-fenced.fw {\"N\": 2}",
        "pgsql.fw {\"N\": 2}",
        "pgsql.fw {\"N\": 3}",
        "pgsql.fw {\"FENCED\": 1, \"N\": 2}",
    ];
    assert_eq!(exceptions, expected);
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
