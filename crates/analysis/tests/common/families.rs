//! Random programs with any number of threads against the exact search of their instances.
//!
//! A violation stays one with more copies, which need not take a step. So that a criterion holds of all instances
//! up to some numbers of copies is known from the largest of them alone, and that an instance is a smallest
//! that violates it from those with one copy less: two or three searches, and not one for each instance.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use analysis::parameterised::{by_coverability, check, is_parameterised};
use analysis::{Criterion, Limits, Options, Verdict};
use oracle::generate::random::{Shape, random_programs};
use program::{Count, Program, Question, TemplateId};

pub(crate) const CRITERIA: [Criterion; 4] =
    [Criterion::Drf, Criterion::Trf, Criterion::Robustness, Criterion::Persistence];

/// Instances with more states are not searched to the end.
const MOST_STATES: u64 = 100_000;

fn any(program: &Program) -> Vec<TemplateId> {
    let all = program.templates().enumerate();
    all.filter(|(_, template)| template.count() == Count::Any).map(|(id, _)| id).collect()
}

/// Whether a criterion holds of an instance, if that is known.
fn holds(program: &Program, counts: &[(TemplateId, u32)], criterion: Criterion) -> Option<bool> {
    let with = |program: Program, (id, count): &(TemplateId, u32)| program.with_count(*id, *count);
    let instance = counts.iter().fold(program.clone(), with);
    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let checked = analysis::check(&instance, &[criterion], &options, |_| ControlFlow::Continue(()));
    match checked.expect("it is definite").swap_remove(0).verdict {
        Verdict::Holds(_) => Some(true),
        Verdict::Violated(_) => Some(false),
        Verdict::Undecided(_) => None,
    }
}

/// All instances with so many copies in all.
fn of_size(program: &Program, size: u32) -> Vec<Vec<(TemplateId, u32)>> {
    let mut all: Vec<(Vec<(TemplateId, u32)>, u32)> = vec![(Vec::new(), size)];
    for id in any(program) {
        let longer = |(counts, left): &(Vec<(TemplateId, u32)>, u32)| {
            let with = |count| ([&counts[..], &[(id, count)]].concat(), left - count);
            (0..=*left).map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.into_iter().filter(|(_, left)| *left == 0).map(|(counts, _)| counts).collect()
}

/// How often what was answered.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Criteria that hold of any number by coverability,
    pub(crate) holds: usize,
    /// and of these how many were compared with instances with so many copies of each.
    pub(crate) compared: [usize; 5],
    /// Criteria that coverability says are violated.
    pub(crate) violated: usize,
    /// Violations whose smallest instance has so many copies; more in the last.
    pub(crate) smallest: [usize; 5],
    /// Criteria of which coverability knows nothing.
    pub(crate) unknown: usize,
}

/// Compares the answer by coverability, and the whole answer, with instances with up to `most` copies of each
/// thread.
pub(crate) fn compare(program: &Program, most: u32, tally: &mut Tally) {
    let options = || {
        let deadline = Some(Instant::now() + Duration::from_secs(2));
        Options { limits: Limits { deadline, ..Limits::default() }, ..Options::default() }
    };
    let checked = check(program, &CRITERIA, &options(), &mut |_| ControlFlow::Continue(()));
    for (criterion, checked) in CRITERIA.into_iter().zip(checked) {
        assert_eq!(criterion, checked.criterion);
        let by_net = by_coverability(program, criterion, &options());
        match &by_net {
            Ok(None) => tally.holds += 1,
            Ok(Some(_)) => tally.violated += 1,
            Err(_) => tally.unknown += 1,
        }
        match &checked.verdict {
            Verdict::Holds(_) => {
                assert!(!matches!(by_net, Ok(Some(_))), "{criterion}:\n{program:#?}");
                // The largest that can be searched.
                for copies in (0..=most).rev() {
                    let counts: Vec<_> = any(program).iter().map(|id| (*id, copies)).collect();
                    if let Some(holds) = holds(program, &counts, criterion) {
                        assert!(holds, "{criterion} with {copies} each:\n{program:#?}");
                        tally.compared[copies as usize] += 1;
                        break;
                    }
                }
            }
            Verdict::Violated(_) => {
                assert_ne!(by_net, Ok(None), "{criterion}:\n{program:#?}");
                let instance = checked.instance.as_ref().expect("there is one");
                let copies: u32 = instance.counts.iter().map(|(_, count)| count).sum();
                assert!(instance.is_smallest, "{criterion}:\n{program:#?}");
                tally.smallest[copies.min(4) as usize] += 1;
                for smaller in
                    copies.checked_sub(1).map_or_else(Vec::new, |one| of_size(program, one))
                {
                    let holds = holds(program, &smaller, criterion);
                    assert_ne!(holds, Some(false), "{criterion}: {smaller:?} of\n{program:#?}");
                }
                if let Ok(Some(size)) = by_net {
                    assert!(copies <= size, "{criterion} with {size} copies:\n{program:#?}");
                }
            }
            Verdict::Undecided(_) => {}
        }
    }
}

/// Random programs in which there is any number of some threads.
pub(crate) fn random_families(seed: u64, shape: Shape) -> impl Iterator<Item = Program> {
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
