//! Nets whose answers are known by hand, and random ones against enumeration.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use coverability::{
    Answer, Direction, Initial, Marking, Net, Transition, cover, smallest, spec, tts,
};
use explore::{Limit, Limits};

const DIRECTIONS: [Direction; 2] = [Direction::Both, Direction::Backward];

fn ask(net: &Net, direction: Direction) -> Answer {
    cover(net, direction, &Limits::default(), &mut |_| ControlFlow::Continue(())).0
}

/// Two critical sections behind one lock, for any number of threads.
const LOCK: &str = "
vars free held out in
rules
  free >= 1, out >= 1 -> free' = free - 1, out' = out - 1, held' = held + 1, in' = in + 1;
  held >= 1, in >= 1 -> free' = free + 1, out' = out + 1, held' = held - 1, in' = in - 1;
init free = 1, out >= 0
target in >= 2
";

#[test]
fn a_lock_keeps_all_others_out() {
    let net = spec::read(LOCK).expect("a net");
    for direction in DIRECTIONS {
        assert_eq!(ask(&net, direction), Answer::NotCoverable);
    }
}

#[test]
fn two_locks_do_not() {
    let net = spec::read(&LOCK.replace("free = 1", "free = 2")).expect("a net");
    for direction in DIRECTIONS {
        let Answer::Coverable(run) = ask(&net, direction) else { panic!("two fit in") };
        assert_eq!(run.transitions, [0, 0]);
        assert_eq!(run.size(&net), 2);
        assert!(run.replay(&net).is_some());
    }
}

#[test]
fn a_target_in_the_beginning_is_covered_without_a_step() {
    let net = spec::read("vars p rules init p = 1 target p >= 1").expect("a net");
    for direction in DIRECTIONS {
        let Answer::Coverable(run) = ask(&net, direction) else { panic!("it is there") };
        assert_eq!(run.transitions, []);
    }
}

#[test]
fn tokens_of_derived_places_are_made_first() {
    // Three tokens of `c` take six of `b`, each of which takes one of `a`.
    let text = "vars a b c d rules
        a >= 1 -> a' = a - 1, b' = b + 1;
        b >= 2 -> b' = b - 2, c' = c + 1;
        c >= 3, d >= 1 -> c' = c - 3, d' = d - 1;
        init a >= 0, d = 1 target c >= 3, d >= 1";
    let net = spec::read(text).expect("a net");
    let Answer::Coverable(run) = ask(&net, Direction::Backward) else { panic!("it is coverable") };
    assert_eq!(run.size(&net), 6);
    assert_eq!(run.transitions, [0, 0, 0, 0, 0, 0, 1, 1, 1]);
}

#[test]
fn a_system_may_start_threads() {
    let text = "2 3\n0 0 +> 1 1\n1 1 -> 1 2\n";
    let mut net = tts::read(text).expect("a system");
    net.targets.push(tts::read_property("1|0,2", &net).expect("a property"));
    let Answer::Coverable(run) = ask(&net, Direction::Both) else { panic!("it is reachable") };
    assert_eq!((run.size(&net), run.transitions), (1, vec![0, 1]));
    net.targets = vec![tts::read_property("1|2,2", &net).expect("a property")];
    assert_eq!(ask(&net, Direction::Backward), Answer::NotCoverable);
}

#[test]
fn what_is_wrong_with_a_text_is_said_where_it_is() {
    let cases = [
        ("vars p p rules init target p >= 1", "`p` is declared twice", "p"),
        ("vars p rules q >= 1 -> ; init target p >= 1", "there is no place `q`", "q"),
        ("vars p rules -> p' = p - 1; init target p >= 1", "more is taken", "p'"),
        ("vars p q rules -> p' = q + 1; init target p >= 1", "only `x' = x + n`", "q"),
        ("vars p rules init p = x target p >= 1", "`x` is no number", "x"),
        ("vars p rules init target p = 1", "expected `>=`, found `=`", "="),
        ("vars p rules init target p >= 1 & p >= 1", "`&` has no meaning here", "&"),
        ("vars p rules", "found the end", ""),
    ];
    for (text, message, at) in cases {
        let error = spec::read(text).expect_err(text);
        assert!(error.message.contains(message), "{text}: {}", error.message);
        assert_eq!(&text[error.at], at, "{text}");
    }
    let error = tts::read("2 2\n0 0 -> 2 0").expect_err("there is no shared state 2");
    assert!(error.message.contains("there is no state 2"), "{}", error.message);
}

#[test]
fn claims_are_used_only_if_they_are_true() {
    // The sum of `a` and `b` stays, so `b` never has three; `c` is made of nothing.
    let text = "vars a b c rules
        a >= 1 -> a' = a - 1, b' = b + 1;
        b >= 1 -> a' = a + 1, b' = b - 1, c' = c + 1;
        init a = 2 target b >= 3 c >= 3 invariants a = 1, b = 1 c = 1";
    let net = spec::read(text).expect("a net");
    assert_eq!(net.claims.len(), 2);
    let Answer::Coverable(run) = ask(&net, Direction::Backward) else { panic!("`c` grows") };
    assert_eq!(run.target, 1);
    let bounded = Net { targets: net.targets[..1].to_vec(), ..net };
    assert_eq!(ask(&bounded, Direction::Backward), Answer::NotCoverable);
}

#[test]
fn limits_end_in_nothing_known() {
    // Nothing ends here: tokens come from nowhere, and none of them goes where it is looked for.
    let text = "vars p q r rules -> p' = p + 1; p >= 3 -> p' = p - 3, q' = q + 1;
        q >= 2, r >= 1 -> q' = q - 2, r' = r - 1; init r = 1 target r >= 2";
    let net = spec::read(text).expect("a net");
    let cancelled =
        cover(&net, Direction::Forward, &Limits::default(), &mut |_| ControlFlow::Break(()));
    assert_eq!(cancelled.0, Answer::Stopped(Limit::Cancelled));
    let limits = Limits { memory: Some(1 << 12), ..Limits::default() };
    let stopped = cover(&net, Direction::Forward, &limits, &mut |_| ControlFlow::Continue(()));
    assert_eq!(stopped.0, Answer::Stopped(Limit::Memory));
    assert_eq!(ask(&net, Direction::Backward), Answer::NotCoverable);
}

/// A net with few places; transitions take and put about as much, so that some nets are bounded.
fn random_net(random: &mut fastrand::Rng) -> Net {
    let mut net = Net::new();
    let places = random.u32(3..7);
    for place in 0..places {
        let or_more = random.u32(0..5) == 0;
        net.add_place(format!("p{place}"), Initial { least: random.u32(0..2), or_more });
    }
    let some = |random: &mut fastrand::Rng, most: u32| {
        let count = random.u32(0..=most);
        Marking::of(
            (0..count).map(|_| (random.u32(0..places), random.u32(1..3))).collect::<Vec<_>>(),
        )
    };
    for _ in 0..random.u32(2..8) {
        let take = some(random, 2);
        let mut put = some(random, 2);
        while put.sum() > take.sum() && random.u32(0..10) > 0 {
            put = some(random, 2);
        }
        net.transitions.push(Transition { take, put });
    }
    net.targets = vec![some(random, 3)];
    net
}

/// How many tokens beyond the least in unbounded places a run needs that covers the target, if it is at
/// most three; nothing if none does, and whether all of these instances were looked at.
fn enumerate(net: &Net) -> (Option<u64>, bool) {
    let unbounded: Vec<u32> = net.unbounded().collect();
    let mut complete = true;
    let mut instances = BTreeSet::from([(0u64, net.least_initial())]);
    for _ in 0..3 {
        for (size, instance) in instances.clone() {
            for place in &unbounded {
                let more = instance.tokens().iter().copied().chain([(*place, 1)]);
                instances.insert((size + 1, Marking::of(more)));
            }
        }
    }
    for (size, instance) in instances {
        let mut known = BTreeSet::from([instance.clone()]);
        let mut open = vec![instance];
        while let Some(marking) = open.pop() {
            if net.targets.iter().any(|target| marking.covers(target)) {
                return (Some(size), complete);
            }
            if known.len() > 2000 {
                complete = false;
                break;
            }
            for transition in &net.transitions {
                if let Some(next) = marking.after(transition)
                    && known.insert(next.clone())
                {
                    open.push(next);
                }
            }
        }
    }
    (None, complete)
}

#[test]
fn random_nets_are_decided_as_by_enumeration() {
    let (mut coverable, mut not, mut open) = (0, 0, 0);
    for seed in 0..3000 {
        let net = random_net(&mut fastrand::Rng::with_seed(seed));
        let (size, is_complete) = enumerate(&net);
        let backward = ask(&net, Direction::Backward);
        match (&backward, size) {
            (Answer::Coverable(run), Some(size)) => {
                coverable += 1;
                assert!(run.replay(&net).is_some(), "seed {seed}");
                assert!(!is_complete || run.size(&net) >= size, "seed {seed}");
                if is_complete {
                    let smallest = smallest(&net, run, &Limits::default()).expect("there is one");
                    assert_eq!(smallest.size(&net), size, "seed {seed}");
                }
            }
            (Answer::Coverable(run), None) => {
                assert!(run.replay(&net).is_some(), "seed {seed}");
                assert!(!is_complete || run.size(&net) > 3, "seed {seed}");
                open += 1;
            }
            (Answer::NotCoverable, None) => not += 1,
            (Answer::NotCoverable, Some(_)) => panic!("seed {seed}: a run was missed"),
            (Answer::Stopped(limit), _) => panic!("seed {seed}: {limit}"),
        }
    }
    assert!(coverable > 500 && not > 500 && open > 0, "{coverable} {not} {open}");
}
