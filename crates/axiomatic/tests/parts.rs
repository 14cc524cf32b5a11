//! Threads that share no memory: the final states are all combinations, and the work is a sum.

use std::collections::BTreeSet;

use axiomatic::{Axioms, Bound, FinalState, Limits, Model, Outcomes, outcomes};
use oracle::generate::straight::{Op, straight_line};
use program::Value;

fn answer(threads: &[Vec<Op>], model: Model) -> Outcomes {
    let threads: Vec<&[Op]> = threads.iter().map(Vec::as_slice).collect();
    let program = straight_line("parts", &threads);
    outcomes(&program, model, &Limits::default()).expect("programs are small")
}

/// Registers and cells.
type State = (Vec<Vec<Value>>, BTreeSet<(Value, Value)>);

fn states(found: &Outcomes) -> BTreeSet<State> {
    let of = |state: &FinalState| {
        let registers = state.registers.iter().map(|all| all.iter().copied().collect()).collect();
        (registers, state.cells.iter().map(|(address, value)| (*address, *value)).collect())
    };
    found.states.keys().map(of).collect()
}

fn random_thread(rng: &mut fastrand::Rng, cells: usize) -> Vec<Op> {
    let op = |rng: &mut fastrand::Rng| {
        let (cell, value) = (cells + rng.usize(..2), Value::from(rng.u8(1..3)));
        match rng.u8(..6) {
            0 | 1 => Op::Load(cell),
            2 | 3 => Op::Store(cell, value),
            4 => Op::Exchange(cell, value),
            _ => Op::FENCE,
        }
    };
    let length = rng.usize(1..4);
    let mut ops: Vec<Op> = (0..length).map(|_| op(rng)).collect();
    if rng.u8(..3) == 0 && matches!(ops.last(), Some(Op::Load(_))) {
        ops.push(Op::AssertLast(0));
    }
    ops
}

#[test]
fn parts_are_combined() {
    let mut rng = fastrand::Rng::with_seed(7);
    let (mut failing, mut many) = (0, 0);
    for _ in 0..60 {
        let left = [random_thread(&mut rng, 0), random_thread(&mut rng, 0)];
        let right = [random_thread(&mut rng, 2), random_thread(&mut rng, 2)];
        // The threads of one part need not stand together.
        let both = [&left[0], &right[0], &left[1], &right[1]].map(Clone::clone);
        for model in [Model::Sc, Model::Tso, Model::Power, Model::AArch64, Model::RiscV, Model::Imm]
        {
            let (of_left, of_right) = (answer(&left, model), answer(&right, model));
            let found = answer(&both, model);
            let combined: BTreeSet<State> = states(&of_left)
                .iter()
                .flat_map(|(one, cells)| {
                    states(&of_right).into_iter().map(move |(other, more)| {
                        let registers = [&one[0], &other[0], &one[1], &other[1]];
                        (registers.map(Clone::clone).to_vec(), cells | &more)
                    })
                })
                .collect();
            assert_eq!(states(&found), combined, "{model}: {both:?}");
            assert_eq!(found.errors.len(), of_left.errors.len() + of_right.errors.len());
            assert!(found.candidates <= of_left.candidates + of_right.candidates, "{model}");
            for execution in found.states.values().chain(found.errors.values()) {
                assert!(model.judge(execution).is_ok_and(|said| said.is_allowed()), "{model}");
                assert!(execution.is_coherent() && execution.is_atomic());
                assert!(execution.events.iter().map(|event| event.thread).is_sorted());
                let sources = execution.rf.inverse();
                let has_source = |read: usize| sources.successors(read).iter().count() == 1;
                assert!(execution.reads.iter().all(has_source));
            }
            failing += usize::from(!found.errors.is_empty());
            many += usize::from(combined.len() > 3);
        }
    }
    assert!(failing > 20 && many > 100, "{failing} with errors, {many} with several states");
}

/// Ten threads that exchange two cells in pairs: five parts with four states each.
#[test]
fn the_work_is_a_sum() {
    let pair = |cell: usize| {
        let thread = |one, other| vec![Op::Store(one, 1), Op::Load(other)];
        [thread(cell, cell + 1), thread(cell + 1, cell)]
    };
    let one = answer(&pair(0), Model::AArch64);
    let all: Vec<Vec<Op>> = (0..5).flat_map(|number| pair(2 * number)).collect();
    let found = answer(&all, Model::AArch64);
    assert_eq!((one.states.len(), found.states.len()), (4, 1024));
    assert!(found.candidates <= 5 * one.candidates, "{} {}", found.candidates, one.candidates);
}

/// Executions may have more events than two machine words have bits, but not any number.
#[test]
fn long_executions() {
    let stores = |count: Value| (1..=count).map(|value| Op::Store(0, value)).collect::<Vec<_>>();
    let found = answer(&[stores(150), vec![Op::Load(0)]], Model::AArch64);
    assert_eq!((found.bound, found.states.len()), (None, 151));
    let found = answer(&[stores(300), vec![Op::Load(1)]], Model::AArch64);
    assert_eq!(found.bound, Some(Bound::Events));
}
