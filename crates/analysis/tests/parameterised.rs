//! Answers for any number of threads against the exact search of instances.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use analysis::parameterised::{by_coverability, check, is_parameterised, reach};
use analysis::{Basis, Criterion, Limits, Options, Query, Reason, Verdict};
use frontend::{Language, Settings, load};
use oracle::generate::random::{Shape, random_programs};
use program::{Count, Program, Question, Sources, TemplateId};
use semantics::Model;

const CRITERIA: [Criterion; 4] =
    [Criterion::Drf, Criterion::Trf, Criterion::Robustness, Criterion::Persistence];

fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("program", text);
    load(&sources, source, Language::Fw, &Settings::default()).expect("a valid program")
}

fn any(program: &Program) -> Vec<TemplateId> {
    let all = program.templates().enumerate();
    all.filter(|(_, template)| template.count() == Count::Any).map(|(id, _)| id).collect()
}

/// Whether a criterion holds of an instance.
fn holds(program: &Program, counts: &[(TemplateId, u32)], criterion: Criterion) -> Option<bool> {
    let with = |program: Program, (id, count): &(TemplateId, u32)| program.with_count(*id, *count);
    let instance = counts.iter().fold(program.clone(), with);
    let options = Options::default();
    let checked = analysis::check(&instance, &[criterion], &options, |_| ControlFlow::Continue(()));
    match checked.expect("it is definite").swap_remove(0).verdict {
        Verdict::Holds(_) => Some(true),
        Verdict::Violated(_) => Some(false),
        Verdict::Undecided(_) => None,
    }
}

/// All instances with at most so many copies of each template, those with the fewest in all first.
fn instances(program: &Program, most: u32) -> Vec<Vec<(TemplateId, u32)>> {
    let mut all: Vec<Vec<(TemplateId, u32)>> = vec![Vec::new()];
    for id in any(program) {
        let longer = |counts: &Vec<_>| {
            (0..=most).map(|count| [&counts[..], &[(id, count)]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.sort_by_key(|counts| size(counts));
    all
}

fn size(counts: &[(TemplateId, u32)]) -> u32 {
    counts.iter().map(|(_, count)| count).sum()
}

/// How often what was answered.
#[derive(Debug, Default)]
struct Tally {
    holds: usize,
    violated: usize,
    needs_two: usize,
    unknown: usize,
}

/// Compares the answer by coverability, and the whole answer, with instances.
fn compare(program: &Program, most: u32, tally: &mut Tally) {
    let options = || {
        let deadline = Some(Instant::now() + Duration::from_secs(2));
        Options { limits: Limits { deadline, ..Limits::default() }, ..Options::default() }
    };
    let checked = check(program, &CRITERIA, &options(), &mut |_| ControlFlow::Continue(()));
    for (criterion, checked) in CRITERIA.into_iter().zip(checked) {
        assert_eq!(criterion, checked.criterion);
        let found = instances(program, most)
            .into_iter()
            .map(|counts| (holds(program, &counts, criterion), size(&counts)));
        let found: Vec<(Option<bool>, u32)> = found.collect();
        let least = found.iter().find(|(holds, _)| *holds == Some(false)).map(|(_, size)| *size);
        match by_coverability(program, criterion, &options()) {
            Ok(None) => {
                assert_eq!(least, None, "{criterion} by coverability:\n{program:#?}");
                let is_open = matches!(checked.verdict, Verdict::Undecided(_));
                assert!(checked.verdict.holds() || is_open, "{criterion}:\n{program:#?}");
                tally.holds += 1;
            }
            Ok(Some(size)) => {
                let is_it = least.is_some_and(|least| least <= size) || size > most;
                assert!(is_it, "{criterion} with {size} copies:\n{program:#?}");
                tally.violated += 1;
                tally.needs_two += usize::from(least.is_some_and(|least| least > 1));
            }
            Err(_) => tally.unknown += 1,
        }
        match &checked.verdict {
            Verdict::Holds(_) => assert_eq!(least, None, "{criterion}:\n{program:#?}"),
            Verdict::Violated(_) => {
                let instance = checked.instance.as_ref().expect("there is one");
                let copies: u32 = instance.counts.iter().map(|(_, count)| count).sum();
                assert!(instance.is_smallest);
                assert!(copies > most || least == Some(copies), "{criterion}:\n{program:#?}");
            }
            Verdict::Undecided(_) => {}
        }
    }
}

fn random_families(seed: u64, shape: Shape) -> impl Iterator<Item = Program> {
    let definite = random_programs(seed, Shape { questions: false, exclusives: false, ..shape });
    let mut random = fastrand::Rng::with_seed(seed);
    definite.filter_map(move |program| {
        let program = program.with_question(Question::default());
        let templates = program.templates().iter().map(|template| {
            let may_be_any = template.identity().is_none() && random.u32(0..3) > 0;
            if may_be_any { template.with_count(Count::Any) } else { template.clone() }
        });
        let program = program.with_templates(templates.collect());
        (is_parameterised(&program) && any(&program).len() <= 2).then_some(program)
    })
}

#[test]
fn random_families_without_loops_are_as_their_instances() {
    let shape = Shape { max_threads: 2, max_accesses: 6, typed: true, ..Shape::LOOP_FREE };
    let mut tally = Tally::default();
    random_families(1, shape).take(200).for_each(|program| compare(&program, 3, &mut tally));
    assert!(tally.holds > 150 && tally.violated > 150 && tally.needs_two > 30, "{tally:?}");
    assert!(tally.unknown < 100, "{tally:?}");
}

#[test]
fn random_families_with_loops_are_as_their_instances() {
    let shape = Shape { max_threads: 2, max_accesses: 4, max_scalars: 2, ..Shape::LOOPING };
    let mut tally = Tally::default();
    random_families(2, shape).take(80).for_each(|program| compare(&program, 2, &mut tally));
    assert!(tally.holds > 60 && tally.violated > 60 && tally.needs_two > 10, "{tally:?}");
}

#[test]
fn three_copies_may_be_needed() {
    // Two copies take two turns to get past the gate; the third is the one that is overtaken.
    let text = "shared gate: 0..=3, x, y
        thread t[*] {
          local r
          either { assume gate < 2; fetch_add(gate, 1); stop }
          or { assume gate == 2; cas(gate, 2, 3); x = 1; r = y; stop }
        }
        thread u { local r; await gate == 3; y = 1; fence; r = x }";
    let program = program(text);
    let options = Options::default();
    let checked =
        check(&program, &[Criterion::Robustness], &options, &mut |_| ControlFlow::Continue(()));
    let instance = checked[0].instance.as_ref().expect("it is not robust");
    assert_eq!(instance.counts, [("t".to_owned(), 3)]);
    assert!(instance.is_smallest);
    let size = by_coverability(&program, Criterion::Robustness, &options).expect("it is decided");
    assert_eq!(size, Some(3));
}

#[test]
fn assertions_hold_of_any_number_of_threads_or_fail_in_the_smallest_instance() {
    let lock = |acquire: &str| {
        program(&format!(
            "shared locked, inside: 0..=1
             thread p[*] {{ loop {{
               {acquire}
               inside = inside + 1
               assert inside == 1
               inside = inside - 1
               locked = 0
             }} }}"
        ))
    };
    let query = Query { faults: true, ..Query::default() };
    let ask = |program: &Program, model| {
        reach(program, &query, model, &Options::default(), &mut |_| ControlFlow::Continue(()))
    };
    let right = lock("while xchg(locked, 1) == 1 { }");
    for model in [Model::Sc, Model::Tso] {
        let (report, _) = ask(&right, model);
        assert!(report.verdict.holds(), "{:?}", report.verdict);
    }
    let (report, instance) = ask(&lock("await locked == 0; locked = 1"), Model::Sc);
    assert!(matches!(report.verdict, Verdict::Violated(_)), "{:?}", report.verdict);
    assert_eq!(instance.expect("there is one").counts, [("p".to_owned(), 2)]);
}

#[test]
fn what_has_no_end_is_not_known_but_by_static_methods() {
    let limits = Limits { states: Some(2_000), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let ask = |program: &Program, criterion| {
        let checked = check(program, &[criterion], &options, &mut |_| ControlFlow::Continue(()));
        checked.into_iter().next().expect("one answer").verdict
    };
    let counter =
        program("shared n, x; thread t[*] { local r; loop { r = fetch_add(n, 1); x = r; r = x } }");
    match ask(&counter, Criterion::Drf) {
        // Two stores to `x` race.
        Verdict::Violated(_) => {}
        other @ (Verdict::Holds(_) | Verdict::Undecided(_)) => panic!("{other:?}"),
    }
    let locked = program(
        "shared n, l; thread t[*] { loop { while xchg(l, 1) == 1 { }; n = n + 1; xchg(l, 0) } }",
    );
    let Verdict::Undecided(Reason::AnyNumber(unknown)) = ask(&locked, Criterion::Drf) else {
        panic!("`n` has no end")
    };
    assert!(unknown.to_string().contains("`n`"), "{unknown}");
    let Verdict::Holds(proof) = ask(&locked, Criterion::Robustness) else {
        panic!("no load follows")
    };
    assert_eq!(*proof.basis(), Basis::ControlFlow);
}
