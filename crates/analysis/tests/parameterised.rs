//! Answers for any number of threads against the exact search of instances.

#[path = "common/buffered.rs"]
mod buffered;
#[path = "common/families.rs"]
mod families;
#[path = "common/owners.rs"]
mod owners;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use analysis::parameterised::{Instance, Unknown, by_coverability, check, per_attack, reach};
use analysis::{Basis, Criterion, Execution, Limits, Options, Query, Reason, Verdict};
use families::{Tally, compare, random_families};
use frontend::{Language, Settings, load};
use oracle::generate::random::Shape;
use owners::random_owners;
use program::{Program, Sources};
use semantics::Model;

fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("program", text);
    load(&sources, source, Language::Fw, &Settings::default()).expect("a valid program")
}

#[test]
fn random_families_without_loops_are_as_their_instances() {
    let shape = Shape { max_threads: 2, max_accesses: 6, typed: true, ..Shape::LOOP_FREE };
    let mut tally = Tally::default();
    random_families(1, shape).take(120).for_each(|program| compare(&program, 4, &mut tally));
    assert!(tally.holds > 80 && tally.violated > 80 && tally.smallest[2] > 15, "{tally:?}");
    assert!(tally.compared[4] > 80 && tally.unknown < 60, "{tally:?}");
}

#[test]
fn random_families_with_loops_are_as_their_instances() {
    let shape = Shape { max_threads: 2, max_accesses: 4, max_scalars: 2, ..Shape::LOOPING };
    let mut tally = Tally::default();
    random_families(2, shape).take(50).for_each(|program| compare(&program, 4, &mut tally));
    assert!(tally.holds > 30 && tally.violated > 30 && tally.compared[4] > 20, "{tally:?}");
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

/// One thread searches and proves in turn, two do so side by side.
const THREADS: [usize; 2] = [1, 2];

type Reached = (Verdict<Execution>, Option<Box<Instance>>);

/// What a query comes to, with any number of threads; whoever takes turns says the same.
fn reached(program: &Program, query: &Query, model: Model) -> Reached {
    let [one, two] = THREADS.map(|threads| {
        let options = Options { threads, ..Options::default() };
        let (report, instance) =
            reach(program, query, model, &options, &mut |_| ControlFlow::Continue(()));
        (report.verdict, instance)
    });
    let kind = |verdict: &Verdict<Execution>| match verdict {
        Verdict::Holds(_) => "holds".to_owned(),
        Verdict::Violated(_) => "violated".to_owned(),
        Verdict::Undecided(reason) => reason.to_string(),
    };
    assert_eq!(kind(&one.0), kind(&two.0));
    let counts = |instance: &Option<Box<Instance>>| instance.as_ref().map(|it| it.counts.clone());
    assert_eq!(counts(&one.1), counts(&two.1));
    two
}

fn goal(program: &Program, text: &str) -> Query {
    let mut sources = Sources::new();
    let source = sources.add("--goal", text);
    let goal = frontend::fw::goal(&sources, source, program).expect("a goal");
    Query { goal: Some(goal), ..Query::default() }
}

/// How many copies the smallest instance has that reaches a goal; nothing if none does.
fn copies(program: &Program, query: &Query, model: Model) -> Option<u32> {
    let (verdict, instance) = reached(program, query, model);
    match verdict {
        Verdict::Holds(_) => None,
        Verdict::Violated(_) => {
            let instance = instance.expect("there is one");
            assert!(instance.is_smallest);
            Some(instance.counts.iter().map(|(_, count)| count).sum())
        }
        Verdict::Undecided(reason) => panic!("{reason}"),
    }
}

#[test]
fn goals_are_reached_by_any_number_of_threads_or_by_none() {
    let lock = program(
        "shared locked: 0..=1, turns: 0..=3
         thread p[*] { local r
           outside: while xchg(locked, 1) == 1 { }
           critical: if turns < 3 { turns = turns + 1 }
           leave: xchg(locked, 0) }
         thread q[i in 1..3] { local s; wait: s = turns; done: stop }",
    );
    let ask = |text: &str| copies(&lock, &goal(&lock, text), Model::Sc);
    assert_eq!(ask("p[0]@critical && p[1]@critical"), None);
    assert_eq!(ask("p[0]@critical && p[1]@leave"), None);
    assert_eq!(ask("p[0]@critical && p[1]@outside"), Some(2));
    assert_eq!(ask("p[0]@critical && turns == 2"), Some(3));
    assert_eq!(ask("p[0]@critical && !(locked == 1)"), None);
    assert_eq!(ask("turns == 3 || turns < 0"), Some(3));
    assert_eq!(ask("q[1]@wait && q[2]@done && q[2].s == 1"), Some(1));
    assert_eq!(ask("q[1].s == 2 && turns < 2"), None);
    // What is robust is the same under TSO.
    assert_eq!(copies(&lock, &goal(&lock, "p[0]@critical && p[1]@critical"), Model::Tso), None);
}

#[test]
fn final_states_are_excluded_or_found_in_instances() {
    let query = Query { question: true, ..Query::default() };
    let ask = |text: &str| reached(&program(text), &query, Model::Sc);
    let sum = |condition: &str| {
        ask(&format!(
            "shared x: 0..=3, y: 0..=1
             thread p[*] {{ local r: 0..=3
               atomic {{ r = x; if r < 3 {{ x = r + 1 }} }}
               y = 1 }}
             thread forever[*] {{ loop {{ y = 1; y = 0 }} }}
             {condition}"
        ))
    };
    // Who never ends is not there in the end; who has counted stores to `y` then.
    assert!(sum("never (x == 1 && y == 0)").0.holds());
    let (verdict, instance) = sum("never (x == 2 && y == 1)");
    assert!(matches!(verdict, Verdict::Violated(_)), "{verdict:?}");
    let instance = instance.expect("there is one");
    assert_eq!(instance.counts, [("p".to_owned(), 2), ("forever".to_owned(), 0)]);
    // Who waits for another to be seen: somebody waits, or `x` is 0.
    let seen = ask("shared x: 0..=1
         thread p[*] { if xchg(x, 0) == 0 { xchg(x, 1); await x == 0 } }
         never (x == 1)");
    assert!(seen.0.holds(), "{:?}", seen.0);
    // All count both, so both are equal in the end; on the way they need not be.
    let pairs = ask("shared a: u2, b: u2
         thread p[*] { fetch_add(a, 1); fetch_add(b, 1) }
         never (a == 0 && b == 1)");
    let Verdict::Undecided(Reason::AnyNumber(Unknown::FinalStates)) = pairs.0 else {
        panic!("{:?}", pairs.0)
    };
}

#[test]
fn deadlocks_are_excluded_or_found_in_instances() {
    let query = Query { deadlocks: true, ..Query::default() };
    let ask = |text: &str| reached(&program(text), &query, Model::Sc);
    // Somebody holds the lock as long as others wait for it, and gives it back.
    let lock = "shared l: 0..=1
        thread p[*] { loop {
          again: await l == 0
          if xchg(l, 1) == 1 { goto again }
          xchg(l, 0) } }";
    assert!(ask(lock).0.holds());
    // Two locks in one order.
    let ordered = "shared a: 0..=1, b: 0..=1
        thread p[*] { loop {
          one: await a == 0; if xchg(a, 1) == 1 { goto one }
          two: await b == 0; if xchg(b, 1) == 1 { goto two }
          b = 0; a = 0 } }
        thread q[*] { loop {
          only: await b == 0; if xchg(b, 1) == 1 { goto only }
          b = 0 } }";
    assert!(ask(ordered).0.holds());
    // And in two.
    let crossed = "shared a: 0..=1, b: 0..=1
        thread p[*] { loop {
          one: await a == 0; if xchg(a, 1) == 1 { goto one }
          two: await b == 0; if xchg(b, 1) == 1 { goto two }
          b = 0; a = 0 } }
        thread q[*] { loop {
          two: await b == 0; if xchg(b, 1) == 1 { goto two }
          one: await a == 0; if xchg(a, 1) == 1 { goto one }
          a = 0; b = 0 } }";
    let (verdict, instance) = ask(crossed);
    assert!(matches!(verdict, Verdict::Violated(_)), "{verdict:?}");
    let instance = instance.expect("there is one");
    assert_eq!(instance.counts, [("p".to_owned(), 1), ("q".to_owned(), 1)]);
    // Nobody answers.
    let (verdict, instance) = ask("shared x: 0..=1; thread p[*] { await x == 1 }");
    assert!(matches!(verdict, Verdict::Violated(_)), "{verdict:?}");
    assert_eq!(instance.expect("there is one").counts, [("p".to_owned(), 1)]);
}

#[test]
fn counters_without_end_are_given_up_soon() {
    let counters = [
        "shared n, x; thread t[*] { local r; loop { r = fetch_add(n, 1); x = r; r = x } }",
        "shared n, l; thread t[*] { local r; loop { while xchg(l, 1) == 1 { }; n = n + 1; r = n; l = 0 } }",
        "shared head, tail, s[2]; thread p[*] { local h, t; loop { t = tail; h = head; s[t % 2] = h; tail = t + 1; h = s[0]; head = h + 1 } }",
    ];
    for text in counters {
        let program = program(text);
        let started = Instant::now();
        let Err(Reason::AnyNumber(unknown)) =
            by_coverability(&program, Criterion::Persistence, &Options::default())
        else {
            panic!("it has no end: {text}")
        };
        assert!(matches!(unknown, Unknown::Values { .. }), "{unknown}");
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    }
}

#[test]
fn attacks_are_asked_about_one_by_one() {
    let program = program(
        "shared x, y, gate: 0..=2
         thread p[*] { local r; x = 1; r = y; fence; y = 1; r = x }
         thread q { local s; gate = 1; s = gate }",
    );
    let table = per_attack(&program, &Options::default(), &mut |_| ControlFlow::Continue(()));
    let instance = table.instance.as_ref().expect("threads are numbered in it");
    let threads = instance.threads().expect("it is definite");
    assert!(table.feasible.iter().all(|attack| threads[attack.thread].name == "p[0]"));
    // Two stores and two loads of `p`, one and one of `q`; nobody passes the fence, and `gate` is `q`'s own.
    assert_eq!((table.attacks, table.refuted_by_control_flow), (5, 2));
    assert_eq!((table.feasible.len(), table.refuted_by_search, table.undecided), (2, 1, 0));
}

#[test]
fn random_families_with_identities_are_as_their_instances() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut tally = Tally::default();
    for _ in 0..60 {
        compare(&program(&random_owners(&mut random, false)), 4, &mut tally);
    }
    assert!(tally.holds > 60 && tally.violated > 60 && tally.unknown == 0, "{tally:?}");
    assert!(tally.smallest[1] > 5 && tally.smallest[2] > 20 && tally.compared[4] > 40, "{tally:?}");
}

#[test]
fn assertions_with_identities_are_as_in_instances_under_both_models() {
    let mut random = fastrand::Rng::with_seed(4);
    let query = Query { faults: true, ..Query::default() };
    let (mut holds, mut fails, mut unknown) = ([0, 0], [0, 0], 0);
    for _ in 0..60 {
        let text = random_owners(&mut random, true);
        let program = program(&text);
        for (number, model) in [Model::Sc, Model::Tso].into_iter().enumerate() {
            let limits = Limits { states: Some(50_000), ..Limits::default() };
            let options = Options { limits, ..Options::default() };
            let nobody = &mut |_: &explore::Progress| ControlFlow::Continue(());
            let (report, instance) = reach(&program, &query, model, &options, nobody);
            let in_instance = |copies: u32| {
                let ids = program.templates().enumerate();
                let any = ids.filter(|(_, one)| one.count() == program::Count::Any);
                let instance = any.fold(program.clone(), |all, (id, _)| all.with_count(id, copies));
                let report = analysis::reach_under(&instance, &query, model, &options, |_| {
                    ControlFlow::Continue(())
                });
                report.expect("it is definite").verdict
            };
            match report.verdict {
                Verdict::Holds(_) => {
                    holds[number] += 1;
                    let of_three = in_instance(3);
                    assert!(!matches!(of_three, Verdict::Violated(_)), "{model:?}:\n{text}");
                }
                Verdict::Violated(_) => {
                    fails[number] += 1;
                    let instance = instance.expect("there is one");
                    let most = instance.counts.iter().map(|(_, count)| *count).max();
                    if let Some(fewer) = most.and_then(|most| most.checked_sub(1)) {
                        assert!(instance.is_smallest, "{model:?}:\n{text}");
                        let smaller = in_instance(fewer);
                        let is_one_template = instance.counts.len() == 1;
                        assert!(
                            !is_one_template || !matches!(smaller, Verdict::Violated(_)),
                            "{model:?}:\n{text}"
                        );
                    }
                }
                Verdict::Undecided(_) => unknown += 1,
            }
        }
    }
    assert!(holds.iter().all(|holds| *holds > 10), "{holds:?} {fails:?} {unknown}");
    assert!(fails.iter().all(|fails| *fails > 10) && unknown < 12, "{holds:?} {fails:?} {unknown}");
}

#[test]
fn who_holds_a_lock_is_known_to_its_holder_alone() {
    let lock = |leave: &str| {
        program(&format!(
            "shared owner, inside: 0..=1
             thread p[i in 1..*] {{ loop {{
               outside: while cas(owner, 0, i) == 0 {{ }}
               critical: assert owner == i
               inside = 1
               {leave}
             }} }}"
        ))
    };
    let right = lock("inside = 0; xchg(owner, 0)");
    let both = goal(&right, "p[1]@critical && p[2]@critical");
    assert_eq!(copies(&right, &both, Model::Sc), None);
    let errors = Query { faults: true, ..Query::default() };
    assert_eq!(copies(&right, &errors, Model::Sc), None);
    assert_eq!(copies(&right, &errors, Model::Tso), None);
    // Somebody gives back a lock that is another's.
    let wrong = lock("inside = 0; xchg(owner, 0); owner = 0");
    assert_eq!(copies(&wrong, &errors, Model::Sc), Some(2));
    // Which copy it is cannot be asked.
    let (verdict, _) = reached(
        &right,
        &goal(&right, "owner == 5 && p[1]@critical && inside == 1 && !(inside == 1)"),
        Model::Sc,
    );
    assert!(matches!(verdict, Verdict::Undecided(Reason::AnyNumber(Unknown::Who))), "{verdict:?}");
}

#[test]
fn whose_name_is_overwritten_does_not_find_itself_any_more() {
    // The first stores its identity, and the second stores its own.
    let overwritten = program(
        "shared owner, first: 0..=1, second: 0..=1, stage: 0..=2
         thread p[i in 1..*] {
           if xchg(first, 1) == 0 { owner = i; fence; stage = 1; await stage == 2; assert owner != i }
           else { await stage == 1; if xchg(second, 1) == 0 { owner = i; fence; stage = 2 } }
         }",
    );
    let errors = Query { faults: true, ..Query::default() };
    for model in [Model::Sc, Model::Tso] {
        assert_eq!(copies(&overwritten, &errors, model), None, "{model:?}");
    }
}

/// How many copies an instance has that is not persistent, by coverability.
fn not_persistent(text: &str) -> Option<u32> {
    let found = by_coverability(&program(text), Criterion::Persistence, &Options::default());
    found.expect("it is decided")
}

#[test]
fn identities_of_two_copies_are_two_values() {
    // Two copies get in. One loads its own identity, and the other stores another one there meanwhile.
    let two = "shared owner, x: 0..=1, a: 0..=1, b: 0..=1
        thread p[i in 1..*] { local r
          if cas(a, 0, 1) == 0 { if cas(b, 0, 1) == 0 { stop } }
          owner = i
          fence
          x = 1
          r = owner
        }";
    assert_eq!(not_persistent(two), Some(2));
    // Others load the identity of the first, which then stores it again, or something else.
    let again = |stored: &str| {
        not_persistent(&format!(
            "shared owner, x: 0..=1, first: 0..=1
             thread p[i in 1..*] {{ local r
               if xchg(first, 1) == 0 {{ owner = i; fence; owner = {stored} }}
               else {{ await owner != 0; x = 1; r = owner }}
             }}"
        ))
    };
    assert_eq!(again("i"), None);
    assert_eq!(again("0"), Some(2));
}

#[test]
fn goals_on_the_way_are_not_passed_by() {
    // Nobody touches memory at the label, and the sixth copy gets there.
    let sixth = program(
        "shared gate: 0..=6
         thread p[*] { local r: 0..=6
           atomic { r = gate; if r < 6 { gate = r + 1 } }
           if r == 5 { between: skip }
         }",
    );
    for model in [Model::Sc, Model::Tso] {
        assert_eq!(copies(&sixth, &goal(&sixth, "p[0]@between"), model), Some(6), "{model:?}");
    }
}

#[test]
fn what_two_cells_hold_at_once_is_met_by_who_has_been_there_for_long() {
    // The third copy stores while it holds the memory lock, so that the others see it only afterwards.
    let seen = program(
        "shared gate: 0..=3, x: 0..=1
         thread p[*] { local r: 0..=3, s: 0..=1
           atomic { r = gate; if r < 3 { gate = r + 1 } }
           if r == 2 { atomic { x = 1 } }
           s = x
           if s == 1 { seen: skip }
         }",
    );
    let query = goal(&seen, "p[0].r == 0 && p[0]@seen");
    assert_eq!(copies(&seen, &query, Model::Sc), Some(3));
}

#[test]
fn who_is_meant_by_its_identity_is_no_other_copy() {
    let second = program(
        "shared x: 0..=1
         thread p[*] { x = 1 }
         thread q[i in 1..3] { await x == 1; if i == 2 { second: skip } }",
    );
    assert_eq!(copies(&second, &goal(&second, "q[2]@second"), Model::Sc), Some(1));
    assert_eq!(copies(&second, &goal(&second, "q[1]@second"), Model::Sc), None);
}
