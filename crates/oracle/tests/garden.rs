//! What grows in the random programs with loops, questions, types and waiting: enough of everything
//! that the tests of other crates rely on.

use oracle::generate::random::{Shape, random_programs};
use oracle::{
    Census, Exceeded, Feature, Limits, MemoryModel, answer, has_deadlock, reachable_faults,
};
use program::{Fault, FenceKind, FetchOp, Program, Quantifier};

const LIMITS: Limits = Limits { max_states: 20_000, max_length: 80 };

/// Counts what is found out about a program by enumerating its states.
fn explore(program: &Program, census: &mut Census) -> Result<(), Exceeded> {
    let (sc, tso) = (MemoryModel::Sc, MemoryModel::Tso);
    let faults = reachable_faults(program, sc, &LIMITS)?;
    let is_range = |fault: &Fault| matches!(fault, Fault::OutOfRange { .. });
    census.note(Feature::OutOfRange, faults.iter().any(|(_, fault)| is_range(fault)));
    census.note(Feature::OtherFault, faults.iter().any(|(_, fault)| !is_range(fault)));
    let deadlock = has_deadlock(program, sc, &LIMITS)?;
    census.note(Feature::Deadlock, deadlock);
    let claim = |model| {
        let answered = answer(program, model, &LIMITS)?;
        let asked = program.question().condition.as_ref().map(|(quantifier, _)| *quantifier);
        Ok(answered.filter(|_| asked != Some(Quantifier::Exists)).map(|answer| answer.holds))
    };
    let under_sc = claim(sc)?;
    census.note(Feature::ClaimHolds, under_sc == Some(true));
    census.note(Feature::ClaimBroken, under_sc == Some(false));
    let faults_of_tso = match reachable_faults(program, tso, &LIMITS) {
        Err(Exceeded::States) => {
            census.note(Feature::GrowingBuffers, true);
            return Ok(());
        }
        other => other?,
    };
    census.note(Feature::FaultOfTsoOnly, faults.is_empty() && !faults_of_tso.is_empty());
    census.note(Feature::DeadlockOfTsoOnly, !deadlock && has_deadlock(program, tso, &LIMITS)?);
    let broken = under_sc == Some(true) && claim(tso)? == Some(false);
    census.note(Feature::ClaimBrokenByTsoOnly, broken);
    Ok(())
}

/// What a text can show.
const TEXT: &[(Feature, usize)] = &[
    (Feature::Loop, 200),
    (Feature::CopiesWithIdentities, 80),
    (Feature::EqualCopies, 80),
    (Feature::Await, 150),
    (Feature::Section, 40),
    (Feature::Exclusive, 40),
    (Feature::RangedRegister, 300),
    (Feature::WrappingRegister, 300),
    (Feature::RangedCell, 300),
    (Feature::WrappingCell, 300),
    (Feature::Exchange, 20),
    (Feature::CompareAndSwap, 50),
    (Feature::BlockingReadWrite, 20),
    (Feature::Asks(Quantifier::Never), 100),
    (Feature::Asks(Quantifier::Always), 100),
    (Feature::Asks(Quantifier::Exists), 100),
    (Feature::Filter, 100),
];

/// Counts what is in so many random programs.
fn census(shape: Shape, programs: usize) -> Census {
    let mut census = Census::default();
    let mut enumerated = 0;
    for program in random_programs(1, shape).take(programs) {
        census.count(&program);
        enumerated += usize::from(explore(&program, &mut census).is_ok());
    }
    assert!(enumerated * 100 > programs * 99, "{enumerated} of {programs}");
    census
}

fn check(shape: Shape, found_out: &[(Feature, usize)]) {
    let programs = 800;
    let fences = FenceKind::ALL.map(|kind| (Feature::Fence(kind), 2));
    let fetches = FetchOp::ALL.map(|op| (Feature::Fetch(op), 2));
    let floors = [TEXT, &fences, &fetches, found_out].concat();
    census(shape, programs).assert_at_least(programs, &floors);
}

#[test]
fn programs_with_counted_loops_have_everything() {
    check(
        Shape::COUNTED,
        &[
            (Feature::ClaimHolds, 300),
            (Feature::ClaimBroken, 100),
            (Feature::ClaimBrokenByTsoOnly, 5),
            (Feature::OutOfRange, 60),
            (Feature::OtherFault, 40),
            (Feature::FaultOfTsoOnly, 5),
            (Feature::Deadlock, 80),
            (Feature::DeadlockOfTsoOnly, 8),
        ],
    );
}

#[test]
fn programs_with_free_loops_have_everything() {
    check(
        Shape::LOOPING,
        &[
            (Feature::NoEnd, 150),
            (Feature::ClaimHolds, 300),
            (Feature::ClaimBroken, 60),
            (Feature::ClaimBrokenByTsoOnly, 2),
            (Feature::OutOfRange, 100),
            (Feature::OtherFault, 40),
            (Feature::FaultOfTsoOnly, 3),
            (Feature::Deadlock, 80),
            (Feature::DeadlockOfTsoOnly, 2),
            (Feature::GrowingBuffers, 30),
        ],
    );
}
