//! Rounds of a loop whose updates write what they read: left out where that is exact, followed elsewhere.

use std::collections::BTreeSet;

use axiomatic::axioms::AccessesAcross;
use axiomatic::{
    Axioms, Execution, FinalState, Judgement, Limits, Model, NoAnswer, Outcomes, SilentUpdates,
    Violation, outcomes,
};
use frontend::{Language, Settings, load};
use program::{Program, Sources, Target};

fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    let program = load(&sources, source, Language::Fw, &Settings::default());
    program.unwrap_or_else(|errors| panic!("{errors:?} in {text}"))
}

fn answer(program: &Program, axioms: impl Axioms, unroll: Option<usize>) -> Outcomes {
    let limits = Limits { unroll, ..Limits::default() };
    outcomes(program, axioms, &limits).expect("programs are small")
}

/// The models under which rounds of silent updates are left out.
const LEAVES_OUT: [Model; 7] = [
    Model::Sc,
    Model::Tso,
    Model::Pso,
    Model::Rmo,
    Model::AArch64,
    Model::AArch64Lse,
    Model::RiscV,
];

/// A model that has such rounds followed.
struct Followed(Model);

impl Axioms for Followed {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn judge(&self, execution: &Execution) -> Result<Judgement, NoAnswer> {
        self.0.judge(execution)
    }
    fn why_not(&self, execution: &Execution) -> Option<Violation> {
        self.0.why_not(execution)
    }
    fn target(&self) -> Option<Target> {
        self.0.target()
    }
    fn accesses_across(&self) -> AccessesAcross {
        self.0.accesses_across()
    }
    fn keeps_reads_of_one_address(&self) -> bool {
        self.0.keeps_reads_of_one_address()
    }
    fn waits_for_addresses(&self) -> bool {
        self.0.waits_for_addresses()
    }
    fn is_monotone(&self) -> bool {
        self.0.is_monotone()
    }
    fn lets_threads_go_on(&self) -> bool {
        self.0.lets_threads_go_on()
    }
    fn judges_parts_alone(&self) -> bool {
        self.0.judges_parts_alone()
    }
    fn silent_updates(&self) -> SilentUpdates {
        SilentUpdates::Stay
    }
    fn raises_flags(&self) -> bool {
        self.0.raises_flags()
    }

    fn flags_depend_on_coherence(&self) -> bool {
        self.0.flags_depend_on_coherence()
    }
}

/// Two threads that take a test-and-set lock and count.
fn lock(order: &str) -> String {
    let thread = |name: &str| {
        format!(
            "thread {name} {{ local taken = 1, n
               while taken != 0 {{ taken = xchg(lock, 1, {order}) }}
               n = count; count = n + 1
               store(lock, 0, release) }}\n"
        )
    };
    format!("shared lock, count\n{}{}exists count != 2", thread("p"), thread("q"))
}

#[test]
fn a_test_and_set_lock_is_exact() {
    for model in LEAVES_OUT {
        let program = program(&lock("acquire"));
        let found = answer(&program, model, None);
        assert_eq!(found.bound, None, "{model}");
        assert!(!found.answer(&program).expect("asked").holds, "{model}");
    }
    // Of Power, ARMv7 and the models of languages it is not known, nor of updates that do not acquire.
    for model in [Model::Power, Model::ArmV7, Model::Imm, Model::Rc11] {
        assert!(answer(&program(&lock("acquire")), model, Some(2)).bound.is_some(), "{model}");
    }
    for model in [Model::AArch64, Model::AArch64Lse, Model::RiscV] {
        assert!(answer(&program(&lock("relaxed")), model, Some(2)).bound.is_some(), "{model}");
    }
}

/// The same as compilers turn it: the first try stands before the loop, and what was read is kept.
#[test]
fn a_loop_that_tries_again_is_exact() {
    let thread = |name: &str| {
        format!(
            "thread {name} {{ local taken, kept, n
               taken = xchg(lock, 1, acquire); kept = taken
               while kept != 0 {{ taken = xchg(lock, 1, acquire); kept = taken }}
               n = count; count = n + 1
               store(lock, 0, release) }}\n"
        )
    };
    let text = format!("shared lock, count\n{}{}exists count != 2", thread("p"), thread("q"));
    for model in LEAVES_OUT {
        let program = program(&text);
        let found = answer(&program, model, None);
        assert_eq!(found.bound, None, "{model}");
        assert!(!found.answer(&program).expect("asked").holds, "{model}");
        assert_eq!(found.states.len(), 2, "{model}: either thread comes first");
    }
}

/// A thread that has written what it finds does read something else than what it found: its own write, which on
/// Arm is forwarded before the update is ordered. So without the round `d == 0` would be lost.
#[test]
fn an_update_that_does_not_acquire_can_be_seen_through_its_own_write() {
    let text = |order: &str| {
        format!(
            "shared data, flag
             thread p {{ data = 1; fence; store(flag, 1, relaxed) }}
             thread q {{ local more = 1, ignored, v, d
               while more == 1 {{
                 more = choose(0..2)
                 if more == 1 {{ ignored = cas(flag, 1, 1, {order}); ignored = 0 }}
               }}
               v = load(flag, relaxed)
               d = mem[&data + (v & 0)] }}
             exists q.v == 1 && q.d == 0"
        )
    };
    for model in [Model::AArch64, Model::AArch64Lse] {
        for (order, allowed) in [("relaxed", true), ("acquire", false)] {
            let program = program(&text(order));
            let found = answer(&program, model, Some(3));
            let holds = found.answer(&program).expect("asked").holds;
            assert_eq!(holds, allowed, "{model} {order}");
        }
    }
}

/// A round that leaves its thread as it was, and memory not.
#[test]
fn an_update_that_writes_something_else_counts() {
    let program = program(
        "shared l
         thread p { local more = 1, ignored
           while more == 1 {
             more = choose(0..2)
             if more == 1 { ignored = fetch_xor(l, 1, acquire); ignored = 0 }
           } }
         exists l == 1",
    );
    for model in LEAVES_OUT {
        let found = answer(&program, model, Some(3));
        assert!(found.answer(&program).expect("asked").holds, "{model}");
        assert!(found.bound.is_some(), "{model}");
    }
}

/// A thread with a loop around an update that may be silent, and accesses around the loop.
fn random_thread(rng: &mut fastrand::Rng, name: char) -> String {
    let pick = |rng: &mut fastrand::Rng, from: &[&str]| from[rng.usize(..from.len())].to_owned();
    let access = |rng: &mut fastrand::Rng, register: &str| {
        let cell = pick(rng, &["l", "x"]);
        let (value, order) = (rng.u8(0..2), pick(rng, &["relaxed", "release"]));
        match rng.u8(..4) {
            0 => format!("store({cell}, {value}, {order})"),
            1 => format!("{register} = load({cell}, relaxed)"),
            2 => format!("{register} = load(mem[&{cell} + (a & 0)], relaxed)"),
            _ => "fence".to_owned(),
        }
    };
    let order = pick(rng, &["relaxed", "acquire", "acq_rel", "seq_cst"]);
    let update = match rng.u8(..3) {
        0 => format!("t = xchg(l, 1, {order})"),
        1 => format!("t = fetch_or(l, 1, {order})"),
        _ => format!("t = fetch_max(l, 1, {order})"),
    };
    let (first, inside, last) = (access(rng, "a"), access(rng, "u"), access(rng, "b"));
    let inside = if inside.contains("store") || rng.bool() { "skip".to_owned() } else { inside };
    // The first try may stand before the loop, and what was read may be kept.
    let (tried, kept) = if rng.bool() { (update.as_str(), "k = t") } else { ("skip", "skip") };
    format!(
        "thread {name} {{ local t = 1, u, k, a, b
           {first}
           {tried}
           while t == 1 {{ {inside}; u = 0; {update}; {kept} }}
           {last} }}\n"
    )
}

/// Following such rounds adds no final state.
#[test]
fn rounds_that_are_left_out_add_nothing() {
    let mut rng = fastrand::Rng::with_seed(19);
    let (mut exact, mut followed) = (0, 0);
    for _ in 0..16 {
        let threads = ['p', 'q'].map(|name| random_thread(&mut rng, name));
        let freed = "thread r { store(l, 0, release) }\n";
        let program = program(&format!("shared l = 1, x\n{}{}{freed}", threads[0], threads[1]));
        for model in LEAVES_OUT {
            let ours = answer(&program, model, Some(2));
            let theirs = answer(&program, Followed(model), Some(2));
            let states =
                |found: Outcomes| -> BTreeSet<FinalState> { found.states.into_keys().collect() };
            exact += usize::from(ours.bound.is_none());
            followed += usize::from(theirs.bound.is_some());
            assert_eq!(states(ours), states(theirs), "{model}: {threads:?}");
        }
    }
    assert!(exact > 15 && followed > 60, "{exact} exact, {followed} followed to a bound");
}
