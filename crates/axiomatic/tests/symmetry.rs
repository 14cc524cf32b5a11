//! Threads that do the same: states and errors are those that are found if something that changes nothing tells
//! the threads apart.

use std::collections::BTreeSet;

use axiomatic::{Axioms, FinalState, Limits, Model, PossibleFault, outcomes};
use oracle::generate::straight::{Op, straight_line};
use program::Program;

/// The states and errors, and how often the axioms were asked. Each state has an execution that the model allows
/// and that belongs to it.
fn answer(program: &Program, model: Model) -> (BTreeSet<FinalState>, BTreeSet<PossibleFault>, u64) {
    let found = outcomes(program, model, &Limits::default()).expect("programs are small");
    for execution in found.states.values().chain(found.errors.values()) {
        assert!(model.judge(execution).is_ok_and(|said| said.is_allowed()), "{model}");
        let threads: Vec<_> = execution.events.iter().map(|event| event.thread).collect();
        assert!(threads.is_sorted(), "{threads:?}");
    }
    for (state, execution) in &found.states {
        let read = execution.events.iter().filter_map(|event| event.read().zip(event.thread));
        for ((_, value), thread) in read {
            assert!(
                state.registers[thread].iter().any(|held| *held == value),
                "{model}: {state:?}"
            );
        }
    }
    let candidates = found.candidates;
    (found.states.into_keys().collect(), found.errors.into_keys().collect(), candidates)
}

fn random_thread(rng: &mut fastrand::Rng) -> Vec<Op> {
    let value = |rng: &mut fastrand::Rng| i128::from(rng.u8(1..3));
    let mut ops = Vec::new();
    for _ in 0..rng.usize(1..4) {
        let cell = rng.usize(..2);
        ops.push(match rng.u8(..9) {
            0..=2 => Op::Load(cell),
            3..=5 => Op::Store(cell, value(rng)),
            6 => Op::StoreLast(cell),
            7 => Op::Exchange(cell, value(rng)),
            _ => Op::CompareAndSwap(cell, rng.u8(..2).into(), value(rng)),
        });
    }
    if rng.u8(..6) == 0 && matches!(ops.last(), Some(Op::Load(_))) {
        ops.push(Op::AssertLast(0));
    }
    ops
}

/// The same threads, each followed by another number of fences.
fn told_apart(threads: &[Vec<Op>]) -> Vec<Vec<Op>> {
    let with = |(number, ops): (usize, &Vec<Op>)| {
        let mut ops = ops.clone();
        ops.extend(std::iter::repeat_n(Op::FENCE, number));
        ops
    };
    threads.iter().enumerate().map(with).collect()
}

fn program(threads: &[Vec<Op>]) -> Program {
    let threads: Vec<&[Op]> = threads.iter().map(Vec::as_slice).collect();
    straight_line("twins", &threads)
}

#[test]
fn twins_do_what_they_would_do_if_they_were_told_apart() {
    let mut rng = fastrand::Rng::with_seed(3);
    let (mut less, mut failing) = (0, 0);
    for number in 0..60 {
        let (twin, other) = (random_thread(&mut rng), random_thread(&mut rng));
        let mut threads = vec![twin.clone(), other, twin.clone()];
        if twin.len() < 3 && number % 3 == 0 {
            threads.push(twin);
        }
        let (alike, apart) = (program(&threads), program(&told_apart(&threads)));
        for model in Model::MACHINES {
            let (states, errors, asked) = answer(&alike, model);
            let (expected, failures, all) = answer(&apart, model);
            assert_eq!(states, expected, "{model}: {threads:?}");
            let places = |faults: &BTreeSet<PossibleFault>| -> Vec<_> {
                faults.iter().map(|fault| (fault.thread, fault.edge)).collect()
            };
            assert_eq!(places(&errors), places(&failures), "{model}: {threads:?}");
            less += usize::from(asked < all);
            failing += usize::from(!errors.is_empty());
        }
    }
    assert!(less > 60 && failing > 10, "{less} with less work, {failing} with errors");
}

/// Eight stores and four loads of one cell: what is symmetric is looked at once.
#[test]
fn equal_writers_are_counted_once() {
    let writer = vec![Op::Store(0, 1), Op::Store(0, 2)];
    let mut threads = vec![writer; 4];
    threads.push(vec![Op::Load(0); 4]);
    for model in Model::MACHINES {
        let (states, _, asked) = answer(&program(&threads), model);
        let (expected, _, all) = answer(&program(&told_apart(&threads)), model);
        assert_eq!(states, expected, "{model}");
        assert!(asked * 4 < all, "{model}: {asked} of {all}");
    }
}
