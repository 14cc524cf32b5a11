//! The SC and TSO axioms allow exactly the final states that machines with and without store
//! buffers reach, on all tiny programs and on random ones.

use std::collections::BTreeSet;

use axiomatic::{FinalState, Limits, Model, outcomes};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::straight::{Op, straight_line};
use oracle::generate::tiny::{Alphabet, tiny_programs};
use oracle::{Exceeded, MemoryModel, final_states};
use program::{FenceKind, Program};

/// The final states of the machine, unless they are too many.
fn reached(program: &Program, model: MemoryModel) -> Option<BTreeSet<FinalState>> {
    let states = match final_states(program, model, &oracle::Limits::default()) {
        Ok(states) => states,
        Err(Exceeded::States | Exceeded::Overflow) => return None,
        Err(Exceeded::Length | Exceeded::AnyNumberOfCopies { .. } | Exceeded::AccessAcross) => {
            panic!("not asked for")
        }
    };
    let state = |state: oracle::Configuration| FinalState {
        registers: state.threads.iter().map(|thread| thread.registers.clone()).collect(),
        cells: state.cells,
    };
    Some(states.into_iter().map(state).collect())
}

/// Compares the two; says whether the machine decided.
fn check(program: &Program) -> bool {
    for (axioms, machine) in [(Model::Sc, MemoryModel::Sc), (Model::Tso, MemoryModel::Tso)] {
        let Some(reached) = reached(program, machine) else { return false };
        let allowed = outcomes(program, axioms, &Limits::default());
        let allowed: BTreeSet<FinalState> =
            allowed.expect("small programs have few executions").states.into_keys().collect();
        assert_eq!(allowed, reached, "{axioms}: {program:#?}");
    }
    true
}

fn check_random(seed: u64, count: usize, shape: Shape) {
    let decided = random_programs(seed, shape).take(count).filter(check).count();
    assert!(decided * 100 >= count * 99, "only {decided} of {count} programs were decided");
}

const SMALL: Shape = Shape { max_threads: 3, max_accesses: 6, sections: false, ..Shape::LOOP_FREE };

#[test]
fn tiny_programs_agree() {
    assert!(tiny_programs(Alphabet::SIMPLE, 4).all(|program| check(&program)));
    assert!(tiny_programs(Alphabet::RICH, 3).all(|program| check(&program)));
}

#[test]
fn random_programs_agree() {
    check_random(1, 2000, SMALL);
}

#[test]
fn reservations_of_buffered_stores_agree() {
    // The exclusive load reads its own thread's buffered store, the load of `y` says when it did,
    // and the other thread writes `x` between that and the buffered store.
    let left = [Op::Store(0, 1), Op::LoadExclusive(0), Op::Load(1), Op::StoreExclusive(0, 2)];
    let right = [Op::Store(1, 1), Op::Store(0, 3)];
    assert!(check(&straight_line("buffered", &[&left, &right])));
    let fenced = [Op::Store(1, 1), Op::LoadExclusive(0), Op::StoreExclusive(0, 3), Op::Load(1)];
    assert!(check(&straight_line("both", &[&left, &fenced])));
}

/// Threads that access both scalars, with every instruction in between that could matter.
fn two_accesses() -> impl Iterator<Item = Vec<Op>> {
    let mut middles: Vec<Vec<Op>> =
        FenceKind::ALL.into_iter().map(|kind| vec![Op::Fence(kind)]).collect();
    middles.push(vec![Op::CompareAndSwap(2, 0, 1)]);
    middles.push(vec![Op::CompareAndSwap(2, 1, 2)]);
    middles.push(vec![Op::Exchange(2, 1)]);
    middles.push(vec![Op::StoreSeqCst(2, 1)]);
    middles.push(vec![Op::LoadExclusive(2), Op::StoreExclusive(2, 1)]);
    let store_or_load = |scalar| [Op::Store(scalar, 1), Op::Load(scalar)];
    let ends = [(0, 1), (1, 0)].into_iter().flat_map(move |(first, second)| {
        let pairs = store_or_load(first).map(|first| store_or_load(second).map(|op| (first, op)));
        pairs.into_iter().flatten()
    });
    ends.flat_map(move |(first, last)| {
        let with = move |middle: &Vec<Op>| [&[first], middle.as_slice(), &[last]].concat();
        middles.iter().map(with).collect::<Vec<_>>()
    })
}

#[test]
fn everything_between_two_accesses_agrees() {
    for left in two_accesses() {
        for right in two_accesses().filter(|right| *right <= left) {
            let name = format!("{left:?} | {right:?}");
            assert!(check(&straight_line(&name, &[&left, &right])));
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn many_random_programs_agree() {
    check_random(2, 60_000, SMALL);
    let larger = Shape { max_threads: 4, max_accesses: 9, ..SMALL };
    check_random(3, 40_000, larger);
}
