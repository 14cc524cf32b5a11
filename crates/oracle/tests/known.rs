//! Programs whose verdicts are known from the literature or by hand.

use oracle::generate::straight::Op::{self, *};
use oracle::generate::straight::straight_line;
use oracle::{
    Answer, Candidate, Criterion, Exceeded, Limits, MemoryModel, Place, Position, Verdicts, answer,
    edge_candidates, final_states, has_fragility_pattern, has_triangular_race, label_candidates,
    minimum_fences, reachable_faults, verdicts,
};
use program::index::Idx;
use program::{
    Access, BinaryOp, Count, Expr, Fault, FenceKind, Identity, Instruction, LabelId, Location,
    Observable, Outside, Program, ProgramBuilder, Proposition, Quantifier, Question, Span,
    TemplateBuilder, ThreadId, UnaryOp, Value,
};

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;
const FENCE: Op = Op::FENCE;

fn verdicts_of(program: &Program) -> Verdicts {
    let verdicts = verdicts(program, &Limits::default()).unwrap();
    for criterion in Criterion::ALL {
        assert_eq!(
            oracle::holds(program, criterion, &Limits::default()),
            Ok(verdicts.holds(criterion)),
            "{criterion:?}"
        );
    }
    let race = has_triangular_race(program, &Limits::default()).unwrap();
    assert_eq!(race, !verdicts.triangular_race_free, "the pattern of a triangular race");
    let fragile = has_fragility_pattern(program, &Limits::default()).unwrap();
    assert_eq!(fragile, !verdicts.persistent, "the pattern of fragility");
    verdicts
}

/// Data-race free, triangular-race free, robust, persistent, same states, same final states.
fn check(name: &str, threads: &[&[Op]], expected: &str) {
    let verdicts = verdicts_of(&straight_line(name, threads));
    let mark = |letter: &'static str, holds: bool| if holds { letter } else { "-" };
    let found = [
        mark("D", verdicts.data_race_free),
        mark("T", verdicts.triangular_race_free),
        mark("R", verdicts.robust),
        mark("P", verdicts.persistent),
        mark("S", verdicts.same_states),
        mark("F", verdicts.same_ends),
    ]
    .concat();
    assert_eq!(found, expected, "{name}");
}

/// The least number of fences at labels and after edges, per criterion in the order of
/// `Criterion::ALL`.
fn check_fences(threads: &[&[Op]], expected: [usize; 5]) {
    let program = straight_line("fences", threads);
    let limits = Limits::default();
    for (criterion, expected) in Criterion::ALL.into_iter().zip(expected) {
        for candidates in [label_candidates(&program), edge_candidates(&program)] {
            let set = minimum_fences(&program, criterion, &candidates.unwrap(), |_| 1, &limits);
            assert_eq!(set.unwrap().map(|set| set.len()), Some(expected), "{criterion:?}");
        }
    }
}

#[test]
fn store_buffering() {
    let plain: &[&[Op]] = &[&[Store(X, 1), Load(Y)], &[Store(Y, 1), Load(X)]];
    check("SB", plain, "------");
    check_fences(plain, [2; 5]);
    check("SB, one fence", &[plain[0], &[Store(Y, 1), FENCE, Load(X)]], "------");
    let other: &[Op] = &[Store(Y, 1), FENCE, Load(X)];
    check("SB, fences", &[&[Store(X, 1), FENCE, Load(Y)], other], "-TRPSF");
    check("SB, locked stores", &[&[StoreSeqCst(X, 1), Load(Y)], other], "-TRPSF");
    check("SB, exchanges", &[&[Exchange(X, 1), Load(Y)], other], "-TRPSF");
    let failing = CompareAndSwap(Z, 5, 1);
    check("SB, failing", &[&[Store(X, 1), failing, Load(Y)], other], "-TRPSF");
    let exclusive = StoreExclusive(Z, 1);
    check("SB, exclusive", &[&[Store(X, 1), exclusive, Load(Y)], other], "-TRPSF");
    let section: &[Op] = &[Store(X, 1), Lock, Unlock, Load(Y)];
    check("SB, empty section", &[section, other], "-TRPSF");
    for kind in FenceKind::ALL {
        let expected = if kind.orders_store_before_load() { "-TRPSF" } else { "------" };
        check("SB, a fence", &[&[Store(X, 1), Fence(kind), Load(Y)], other], expected);
    }
}

#[test]
fn litmus_tests_without_store_buffering_are_robust() {
    check("MP", &[&[Store(X, 1), Store(Y, 1)], &[Load(Y), Load(X)]], "-TRPSF");
    check("LB", &[&[Load(X), Store(Y, 1)], &[Load(Y), Store(X, 1)]], "-TRPSF");
    check("S", &[&[Store(X, 2), Store(Y, 1)], &[Load(Y), Store(X, 1)]], "-TRPSF");
    check("2+2W", &[&[Store(X, 2), Store(Y, 1)], &[Store(Y, 2), Store(X, 1)]], "-TRPSF");
    let readers: [&[Op]; 2] = [&[Load(X), Load(Y)], &[Load(Y), Load(X)]];
    check("IRIW", &[&[Store(X, 1)], &[Store(Y, 1)], readers[0], readers[1]], "-TRPSF");
    check("WRC", &[&[Store(X, 1)], &[Load(X), Store(Y, 1)], readers[1]], "-TRPSF");
}

#[test]
fn one_delayed_store_is_enough() {
    let r: &[&[Op]] = &[&[Store(X, 1), Store(Y, 1)], &[Store(Y, 2), Load(X)]];
    check("R", r, "------");
    check_fences(r, [1; 5]);
    let rwc: &[&[Op]] = &[&[Store(X, 1)], &[Load(X), Load(Y)], &[Store(Y, 1), Load(X)]];
    check("RWC", rwc, "------");
    check_fences(rwc, [1; 5]);
    // Reading its own store does not make a thread wait for it.
    let own: &[Op] = &[Store(X, 1), Load(X), Load(Y)];
    check("SB+rfi", &[own, &[Store(Y, 1), Load(Y), Load(X)]], "------");
    let three: &[&[Op]] =
        &[&[Store(X, 1), Load(Y)], &[Store(Y, 1), Load(Z)], &[Store(Z, 1), Load(X)]];
    check("3.SB", three, "------");
    check_fences(three, [3; 5]);
}

#[test]
fn criteria_differ() {
    // A triangular race, but no cycle: Trencher's trf.txt.
    let trf: &[&[Op]] = &[&[Store(X, 1), Load(Y)], &[Store(Y, 1)]];
    check("trf", trf, "--R-SF");
    check_fences(trf, [1, 0, 1, 0, 0]);
    // The same with an atomic write, which the pattern of ESOP'15 does not mention.
    check("trf, arw", &[&[Store(X, 1), Load(Y)], &[BlockingReadWrite(Y, 0, 1)]], "--R-SF");
    // The same, but the write does not change the value.
    check("trf, same value", &[&[Store(X, 1), Load(Y)], &[Store(Y, 0)]], "--RPSF");
    // A cycle, but no read sees anything of it.
    let blind: &[&[Op]] = &[&[Store(X, 0), Load(Y)], &[Store(Y, 0), Load(X)]];
    check("SB, same values", blind, "---PSF");
    check_fences(blind, [2, 2, 0, 0, 0]);
    // No data race: nothing but locked operations on what is shared.
    let lock: &[Op] = &[CompareAndSwap(X, 0, 1), Store(Y, 1)];
    check("locked", &[lock, &[Exchange(X, 1), Store(Z, 1), Load(Z)]], "DTRPSF");
    // States that no final state shows: the second thread blocks.
    let blocked: &[Op] = &[Store(Y, 1), Load(X), AssumeLast(0), Load(Z), AssumeLast(7)];
    check("SB, blocked", &[&[Store(X, 1), Load(Y)], blocked], "-----F");
}

#[test]
fn a_bounded_variant_of_the_example_of_esop15() {
    const T: usize = 3;
    let second: &[Op] = &[Store(T, 1), Store(Y, 1), Load(T), StoreLast(X)];
    let first = |rounds: usize, fence: bool| {
        let mut ops = vec![Store(T, 1)];
        ops.extend(std::iter::repeat_n(Store(X, 2), rounds));
        ops.push(Store(Z, 1));
        ops.extend(fence.then_some(FENCE));
        ops.push(Load(X));
        ops
    };
    for rounds in 0..3 {
        check("simple", &[&first(rounds, false), second], "--R-SF");
        check("simple, fenced", &[&first(rounds, true), second], "--RPSF");
    }
    check_fences(&[&first(1, false), second], [2, 0, 1, 0, 0]);
}

#[test]
fn locked_sections_are_atomic() {
    let section: &[Op] = &[Lock, Store(Y, 1), Load(X), Unlock];
    check("both", &[&[Lock, Store(X, 1), Load(Y), Unlock], section], "DTRPSF");
    check("one", &[&[Store(X, 1), Load(Y)], section], "------");
    check("one, fenced", &[&[Store(X, 1), FENCE, Load(Y)], section], "-TRPSF");
    // A section that is never left keeps every other store from memory.
    let stuck: &[Op] = &[Lock, Store(Y, 1), Load(X), AssumeLast(7), Unlock];
    check("stuck", &[&[Store(X, 1), Load(Y)], stuck], "-TRPSF");
    // It is left only if the delayed store has not reached memory.
    let dependent: &[Op] = &[Lock, Load(X), AssumeLast(0), Store(Y, 1), Unlock];
    check("dependent", &[&[Store(X, 1), Load(Y)], dependent], "------");
}

#[test]
fn exclusive_stores_need_their_reservation() {
    let increment: &[Op] = &[LoadExclusive(X), StoreExclusive(X, 1)];
    let program = straight_line("LL/SC", &[increment, increment]);
    for model in [MemoryModel::Sc, MemoryModel::Tso] {
        let mut outcomes: Vec<Vec<Value>> = final_states(&program, model, &Limits::default())
            .unwrap()
            .iter()
            .map(|state| {
                let registers = state.threads.iter().flat_map(|thread| &thread.registers);
                registers.copied().collect()
            })
            .collect();
        outcomes.sort();
        // Value read and status of the first thread, then of the second.
        let expected = [
            [0, 0, 0, 1],
            [0, 0, 1, 0],
            [0, 0, 1, 1],
            [0, 1, 0, 0],
            [0, 1, 0, 1],
            [1, 0, 0, 0],
            [1, 1, 0, 0],
        ];
        assert_eq!(outcomes, expected, "{model:?}");
    }
}

#[test]
fn a_fault_only_under_tso() {
    let left: &[Op] = &[Store(X, 1), Load(Y), AssumeLast(0), Store(Z, 1)];
    let right: &[Op] = &[Store(Y, 1), Load(X), AssumeLast(0), Load(Z), AssertLast(0)];
    let program = straight_line("assertion", &[left, right]);
    let verdicts = verdicts_of(&program);
    assert!(!verdicts.sc_fault && verdicts.tso_fault);
    let faults = reachable_faults(&program, MemoryModel::Tso, &Limits::default()).unwrap();
    assert_eq!(
        faults.into_iter().collect::<Vec<_>>(),
        [(ThreadId::new(1), Fault::AssertionFailed)]
    );
}

/// Copies of one thread that write their own cell and read that of the other.
fn copies() -> Program {
    let mut builder = ProgramBuilder::new("copies", Outside::Fault);
    let array = builder.location(Location { length: Some(2), ..Location::scalar("a", 0) });
    let mut template = TemplateBuilder::new("P", Span::NONE);
    let me = template.integer_register("me");
    let read = template.integer_register("r");
    template.identity(Identity { register: me, first: 0 });
    template.count(Count::Exactly(2));
    let [start, stored, end] = ["start", "stored", "end"].map(|name| template.named_label(name));
    let mine = Expr::Register(me);
    let other = Expr::binary(BinaryOp::Sub, Expr::Const(1), mine.clone());
    let store = Instruction::Store {
        address: Expr::Element(array, Box::new(mine)),
        value: Expr::Const(1),
        access: Access::PLAIN,
    };
    let load = Instruction::Load {
        register: read,
        address: Expr::Element(array, Box::new(other)),
        access: Access::PLAIN,
    };
    template.bare_edge(start, stored, store);
    template.bare_edge(stored, end, load);
    let template = builder.template(template.build(start));
    let zero = |copy| {
        let register = Observable::Register { template, copy, register: read };
        Box::new(Proposition::Equals(register, 0))
    };
    let condition = Some((Quantifier::Exists, Proposition::And(zero(0), zero(1))));
    builder.question(Question { condition, ..Question::default() });
    builder.build().unwrap()
}

#[test]
fn copies_are_fenced_apart_or_together() {
    let program = copies();
    let limits = Limits::default();
    let minimum = |candidates: &[Candidate]| {
        minimum_fences(&program, Criterion::Robust, candidates, |_| 1, &limits).unwrap()
    };
    assert_eq!(minimum(&label_candidates(&program).unwrap()).unwrap().len(), 2);
    assert_eq!(minimum(&edge_candidates(&program).unwrap()), Some(vec![0, 2]));
    let stored = Place::At(LabelId::new(1));
    let both: Candidate =
        [0, 1].map(|thread| Position { thread: ThreadId::new(thread), place: stored }).to_vec();
    assert_eq!(minimum(&[both]), Some(vec![0]));
    assert_eq!(minimum(&[]), None);
}

#[test]
fn questions_are_answered_per_memory_model() {
    let program = copies();
    let answered = |model| answer(&program, model, &Limits::default()).unwrap().unwrap();
    assert_eq!(answered(MemoryModel::Sc), Answer { holds: false, positive: 0, negative: 3 });
    assert_eq!(answered(MemoryModel::Tso), Answer { holds: true, positive: 1, negative: 3 });
}

#[test]
fn loops_have_states_but_no_end_of_traces() {
    let mut builder = ProgramBuilder::new("spin", Outside::Fault);
    let flag = builder.location(Location::scalar("flag", 0));
    let mut waiter = TemplateBuilder::new("waiter", Span::NONE);
    let read = waiter.integer_register("r");
    let [start, loaded, end] = ["start", "loaded", "end"].map(|name| waiter.named_label(name));
    let address = Expr::address(flag);
    let access = Access::PLAIN;
    waiter.bare_edge(
        start,
        loaded,
        Instruction::Load { register: read, address: address.clone(), access },
    );
    let is_set = Expr::Register(read);
    let is_clear = Expr::unary(UnaryOp::Not, is_set.clone());
    waiter.bare_edge(loaded, start, Instruction::Assume(is_clear));
    waiter.bare_edge(loaded, end, Instruction::Assume(is_set));
    builder.template(waiter.build(start));
    let mut setter = TemplateBuilder::new("setter", Span::NONE);
    let [start, end] = ["start", "end"].map(|name| setter.named_label(name));
    setter.bare_edge(start, end, Instruction::Store { address, value: Expr::Const(1), access });
    builder.template(setter.build(start));
    let program = builder.build().unwrap();

    let limits = Limits::default();
    assert_eq!(verdicts(&program, &limits), Err(Exceeded::Length));
    assert_eq!(oracle::holds(&program, Criterion::SameStates, &limits), Ok(true));
    assert_eq!(final_states(&program, MemoryModel::Tso, &limits).unwrap().len(), 1);
    let few = Limits { max_states: 3, ..limits };
    assert_eq!(oracle::holds(&program, Criterion::SameStates, &few), Err(Exceeded::States));
}
