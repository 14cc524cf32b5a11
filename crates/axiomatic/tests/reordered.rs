//! Pairs of accesses that executions show reordered, and pairs that only look as if they could be.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use axiomatic::{
    Compared, Does, Limits, Looking, Model, NOTHING_ADDED, Pair, Reordered, Respected, reordered,
};
use frontend::{Language, Settings, load};
use program::{EdgeId, Instruction, Program, Sources, ThreadId};

fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:?} in {text}"))
}

/// The accesses of a thread, in the order of the text. An update is its read and its write.
fn accesses(program: &Program, thread: ThreadId) -> Vec<(EdgeId, Does)> {
    let threads = program.threads().expect("a number of threads");
    let edges = program.template(threads[thread].template).edges();
    let of = |(id, edge): (EdgeId, &program::Edge)| match &edge.instruction {
        Instruction::Load { .. } => vec![(id, Does::Reads)],
        Instruction::Store { .. } => vec![(id, Does::Writes)],
        Instruction::Update { .. } => vec![(id, Does::Reads), (id, Does::Writes)],
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::StoreExclusive { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => vec![],
    };
    edges.enumerate().flat_map(of).collect()
}

/// What is said of the last two accesses of each thread.
fn asked(text: &str, machine: Model, compared: Compared, respected: Respected) -> Reordered {
    let program = program(text);
    let threads = program.threads().expect("a number of threads");
    let pair = |thread: ThreadId| {
        let all = accesses(&program, thread);
        let (first, second) = (all[all.len().saturating_sub(2)], all[all.len() - 1]);
        Pair { threads: vec![thread], first, second }
    };
    let pairs: Vec<Pair> = threads.indices().map(pair).collect();
    let go_on = &mut || ControlFlow::Continue(());
    let looking = Looking { machine, compared, respected, added: NOTHING_ADDED };
    reordered(&program, looking, &pairs, &Limits::default(), go_on).expect("an answer")
}

/// Which pairs are confirmed, if nothing is open.
#[track_caller]
fn check(text: &str, machine: Model, compared: Compared, expected: [bool; 2]) {
    let found = asked(text, machine, compared, Respected::All);
    assert_eq!(found.bound, None, "{text}");
    let confirmed: Vec<bool> = found.pairs.iter().map(Option::is_some).collect();
    assert_eq!(confirmed, expected, "{machine}, {compared:?}: {text}");
    assert_eq!(found.weak.is_some(), expected.contains(&true), "{machine}: {text}");
}

const MESSAGE: &str = "shared data, flag
    thread p { data = 1; flag = 1 }
    thread q { local f, d; f = flag; d = data }";

const BUFFERED: &str = "shared x, y
    thread p { local r; x = 1; r = y }
    thread q { local r; y = 1; r = x }";

#[test]
fn what_a_machine_shows_is_confirmed() {
    use Compared::{WithSc, WithTso};
    for machine in [Model::Power, Model::ArmV7, Model::AArch64, Model::AArch64Lse, Model::RiscV] {
        check(MESSAGE, machine, WithSc, [true, true]);
        check(MESSAGE, machine, WithTso, [true, true]);
        check(BUFFERED, machine, WithSc, [true, true]);
        // That x86 has, too.
        check(BUFFERED, machine, WithTso, [false, false]);
    }
    check(MESSAGE, Model::Tso, WithSc, [false, false]);
    check(MESSAGE, Model::Pso, WithTso, [true, true]);
}

/// Nobody writes 2, so the second read is never reached.
#[test]
fn what_only_a_value_makes_impossible_is_refuted() {
    let text = "shared data, flag
        thread p { data = 1; flag = 1 }
        thread q { local f, d; f = flag; if f == 2 { d = data } }";
    check(text, Model::AArch64, Compared::WithSc, [false, false]);
    let possible = text.replace("f == 2", "f == 1");
    check(&possible, Model::AArch64, Compared::WithSc, [true, true]);
}

/// On x86 the store and the exchange are locked; what they are compiled to for Arm lets the load pass.
#[test]
fn the_reference_is_asked_about_the_text_and_not_about_what_is_compiled() {
    let stores = "shared x, y
        thread p { local r; store(x, 1, seq_cst); r = load(y, relaxed) }
        thread q { local r; store(y, 1, seq_cst); r = load(x, relaxed) }";
    check(stores, Model::AArch64, Compared::WithTso, [true, true]);
    let exchanges = "shared x, y
        thread p { local o, r; o = xchg(x, 1, relaxed); r = load(y, relaxed) }
        thread q { local o, r; o = xchg(y, 1, relaxed); r = load(x, relaxed) }";
    for machine in [Model::AArch64, Model::AArch64Lse, Model::Power, Model::RiscV] {
        check(exchanges, machine, Compared::WithTso, [true, true]);
    }
    check(exchanges, Model::Tso, Compared::WithSc, [false, false]);
    // A fence of the text that orders nothing on x86 is a full one on Arm.
    let fenced = "shared x, y
        thread p { local r; x = 1; fence(lightweight); r = y }
        thread q { local r; y = 1; fence(lightweight); r = x }";
    check(fenced, Model::AArch64, Compared::WithSc, [false, false]);
}

#[test]
fn what_a_bound_hides_is_not_refuted() {
    let text = "shared x, y
        thread p { while 1 == 1 { x = 1; y = 1 } }
        thread q { local r; r = x }";
    let found = asked(text, Model::AArch64, Compared::WithSc, Respected::All);
    assert!(found.bound.is_some() && found.weak.is_none());
    let reader = text.replace("r = x", "r = y; r = x");
    let found = asked(&reader, Model::AArch64, Compared::WithSc, Respected::All);
    assert!(found.bound.is_some() && found.pairs.iter().all(Option::is_some));
}

/// A compiler may load what it guesses a pointer to be before the pointer: then the reader's loads are confirmed too.
#[test]
fn a_dependency_of_a_load_counts_only_where_it_is_respected() {
    let text = "shared fresh[2], current
        thread p { fresh[1] = 1; current = 1 }
        thread q { local c, d; c = current; d = fresh[c] }";
    for machine in [Model::Power, Model::ArmV7, Model::AArch64, Model::RiscV] {
        let confirmed = |respected: Respected| -> Vec<bool> {
            let found = asked(text, machine, Compared::WithTso, respected);
            assert_eq!(found.bound, None, "{machine}");
            found.pairs.iter().map(Option::is_some).collect()
        };
        assert_eq!(confirmed(Respected::All), [true, true], "{machine}");
        let fenced = text.replace("fresh[1] = 1;", "fresh[1] = 1; fence;");
        let weak = |text: &str, respected: Respected| {
            asked(text, machine, Compared::WithTso, respected).weak.is_some()
        };
        // With the stores in order, the dependency is all that keeps the loads in order.
        assert!(!weak(&fenced, Respected::All), "{machine}");
        assert!(weak(&fenced, Respected::IntoWrites), "{machine}");
        // What an acquire is compiled to is no dependency of the text.
        let acquired = fenced.replace("c = current", "c = load(current, acquire)");
        assert!(!weak(&acquired, Respected::IntoWrites), "{machine}");
        // A store is not made before it is known that it will be.
        let stores = "shared x, y
            thread p { local r; r = x; if r == 1 { y = 1 } }
            thread q { local r; r = y; x = r }";
        assert!(!weak(stores, Respected::IntoWrites), "{machine}");
    }
}

/// A node is pushed by an update and taken by another: its contents come before the update's write, and after the
/// read of the one that takes it. That x86 has them before the one's read, and after the other's write, nobody sees.
#[test]
fn of_updates_only_what_orders_can_order_is_asked() {
    let text = "shared node, top
        thread p { local o; node = 1; o = xchg(top, 1, relaxed) }
        thread q { local o, d; o = xchg(top, 0, relaxed); d = node }";
    let program = program(text);
    let threads = program.threads().expect("a number of threads");
    let [p, q] = threads.indices().collect::<Vec<_>>()[..] else { panic!("two threads") };
    let pair = |thread: ThreadId, first: usize, second: usize| {
        let all = accesses(&program, thread);
        Pair { threads: vec![thread], first: all[first], second: all[second] }
    };
    let pairs = [pair(p, 0, 2), pair(p, 0, 1), pair(q, 0, 2), pair(q, 1, 2)];
    for machine in [Model::Power, Model::ArmV7, Model::AArch64, Model::AArch64Lse, Model::RiscV] {
        let looking = Looking {
            machine,
            compared: Compared::WithTso,
            respected: Respected::IntoWrites,
            added: NOTHING_ADDED,
        };
        let go_on = &mut || ControlFlow::Continue(());
        let found = reordered(&program, looking, &pairs, &Limits::default(), go_on);
        let found = found.expect("an answer");
        let confirmed: Vec<bool> = found.pairs.iter().map(Option::is_some).collect();
        assert_eq!(confirmed, [true, false, true, false], "{machine}");
    }
}

/// Store buffering with a locked access in one thread, and in the other a fence that x86 has or has not.
#[test]
fn fences_that_were_added_are_none_of_the_reference() {
    let text = "shared x, y, l
        thread p { local r; x = 1; xchg(l, 1, relaxed); r = y }
        thread q { local r; y = 1; fence; r = x }";
    let program = program(text);
    let mut added = BTreeSet::new();
    for (template, data) in program.templates().enumerate() {
        let is_fence = |edge: &program::Edge| matches!(edge.instruction, Instruction::Fence(_));
        let fences = data.edges().enumerate().filter(|(_, edge)| is_fence(edge));
        added.extend(fences.map(|(edge, _)| (template, edge)));
    }
    assert_eq!(added.len(), 1);
    for machine in [Model::Power, Model::ArmV7, Model::AArch64, Model::RiscV] {
        for (added, is_weak) in [(NOTHING_ADDED, true), (&added, false)] {
            let (compared, respected) = (Compared::WithTso, Respected::All);
            let looking = Looking { machine, compared, respected, added };
            let go_on = &mut || ControlFlow::Continue(());
            let found = reordered(&program, looking, &[], &Limits::default(), go_on);
            assert_eq!(found.expect("an answer").weak.is_some(), is_weak, "{machine}");
        }
    }
}

/// x86 keeps a store before a later load where a locked access to other memory stands between them.
#[test]
fn what_locked_accesses_keep_apart_is_confirmed() {
    let threads = |first: &str, second: &str| {
        program(&format!(
            "shared x, y, l, m
thread p {{ local r; store(x, 1, relaxed); {first}; r = load(y, relaxed) }}
thread q {{ local r; store(y, 1, relaxed); {second}; r = load(x, relaxed) }}
"
        ))
    };
    let exchange = |lock: &str| format!("xchg({lock}, 1, relaxed)");
    for (program, expected) in [
        (threads(&exchange("l"), &exchange("m")), true),
        (threads(&exchange("l"), "store(m, 1, relaxed)"), false),
    ] {
        let ids = program.threads().expect("a number of threads");
        let pair = |thread: ThreadId| {
            let all = accesses(&program, thread);
            Pair { threads: vec![thread], first: all[0], second: all[all.len() - 1] }
        };
        let pairs: Vec<Pair> = ids.indices().map(pair).collect();
        for machine in [Model::Power, Model::AArch64, Model::RiscV] {
            let (compared, respected) = (Compared::WithTso, Respected::All);
            let looking = Looking { machine, compared, respected, added: NOTHING_ADDED };
            let go_on = &mut || ControlFlow::Continue(());
            let found = reordered(&program, looking, &pairs, &Limits::default(), go_on);
            let found = found.expect("an answer");
            let confirmed: Vec<bool> = found.pairs.iter().map(Option::is_some).collect();
            assert_eq!((found.weak.is_some(), &confirmed[..]), (expected, &[expected; 2][..]));
        }
    }
}
