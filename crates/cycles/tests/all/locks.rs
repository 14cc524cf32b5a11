//! Locks of models: accesses under one lock communicate by the lock alone. Random programs with locks against all
//! traces: none without a delay is violated, and none with the fences that are placed.

use std::fmt::Write;

use ::cycles::{Arch, Reference};
use ::oracle::{Criterion, Limits, holds};
use axiomatic::Respected;
use fastrand::Rng;
use frontend::{Language, Settings, load};
use program::{Program, Sources};

use crate::common::{fenced, is_robust, placed};
use crate::locked::check_random as check_random_locks;
use crate::ports::Decided;
use crate::spinning::{MACHINES, Seen, check};

fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("random.fw", text.to_owned());
    load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:?} in {text}"))
}

/// Two threads with accesses in and beside sections of one lock.
fn random_text(rng: &mut Rng) -> String {
    let mut text = "shared x, y, l\n".to_owned();
    for name in ["p", "q"] {
        let _ = write!(text, "thread {name} {{\n  local r\n");
        let mut is_held = false;
        for number in 0..rng.usize(2..5) {
            if !is_held && number < 3 && rng.u8(..3) == 0 {
                text.push_str("  arw(l, 0, 1)\n");
                is_held = true;
            }
            let variable = if rng.bool() { "x" } else { "y" };
            let access = if rng.bool() {
                format!("  r = {variable}\n")
            } else {
                format!("  {variable} = {}\n", number + 1)
            };
            text.push_str(&access);
            if is_held && rng.u8(..3) == 0 {
                text.push_str("  l = 0\n");
                is_held = false;
            }
        }
        if is_held {
            text.push_str("  l = 0\n");
        }
        text.push_str("}\n");
    }
    text
}

#[test]
fn locks_order_what_is_under_them() {
    let (mut robust, mut repaired) = (0, 0);
    let mut rng = Rng::with_seed(41);
    for _ in 0..400 {
        let text = random_text(&mut rng);
        let program = program(&text);
        let is_static = is_robust(&program, Arch::X86);
        let is_really = |program: &Program| holds(program, Criterion::Robust, &Limits::default());
        let Ok(expected) = is_really(&program) else { continue };
        assert!(expected || !is_static, "a violation without a delay: {text}");
        robust += usize::from(is_static && text.contains("arw"));
        if !expected {
            let (graph, placement) = placed(&program, Arch::X86);
            let changed = fenced(&program, &graph, &placement.fences);
            assert_eq!(is_really(&changed), Ok(true), "not repaired: {text}");
            repaired += 1;
        }
    }
    assert!(robust > 50 && repaired > 10, "{robust} {repaired}");
}

#[test]
fn locks_order_where_programs_are_compared_with_tso() {
    let mut seen = Seen::default();
    for arch in MACHINES {
        check_random_locks(29, 40, arch, &mut seen);
    }
    assert!(seen.weak > 20 && seen.robust > 60 && seen.changed > 20 && seen.open < 60, "{seen:?}");
    // Two accesses in each order under one lock: nothing else has to be in order.
    let sections = |left: &str, right: &str| {
        format!(
            "shared x, y, l, m\n\
             thread t0 {{ local a, b; arw({left}, 0, 1, acquire); store(x, 1, relaxed); \
             store(y, 1, relaxed); store({left}, 0, release) }}\n\
             thread t1 {{ local a, b; arw({right}, 0, 1, acquire); a = load(y, relaxed); \
             b = load(x, relaxed); store({right}, 0, release) }}\n"
        )
    };
    for arch in MACHINES {
        let mut seen = Seen::default();
        for right in ["l", "m"] {
            let how = (arch, Reference::Tso);
            check(&sections("l", right), how, Respected::All, Decided::Orders, &mut seen);
        }
        assert_eq!((seen.robust, seen.weak), (1, 1), "{} {seen:?}", arch.name());
    }
}

/// Store buffering under one lock is none; under two it is, and if only one thread takes the lock.
#[test]
fn one_lock_for_both_is_enough() {
    let sections = |left: &str, right: &str| {
        program(&format!(
            "shared x, y, l, m\n\
             thread p {{ local r; arw({left}, 0, 1); x = 1; r = y; {left} = 0 }}\n\
             thread q {{ local r; arw({right}, 0, 1); y = 1; r = x; {right} = 0 }}\n"
        ))
    };
    assert!(is_robust(&sections("l", "l"), Arch::X86));
    assert!(!is_robust(&sections("l", "m"), Arch::X86));
    // Who gives back what it does not hold makes it no lock.
    let broken = program(
        "shared x, y, l\n\
         thread p { local r; arw(l, 0, 1); x = 1; r = y; l = 0 }\n\
         thread q { local r; arw(l, 0, 1); y = 1; r = x; l = 0 }\n\
         thread b { l = 0 }\n",
    );
    assert!(!is_robust(&broken, Arch::X86));
    // Orders count elsewhere.
    assert!(!is_robust(&sections("l", "l"), Arch::Power));
}

/// A read of what the thread itself has written since is no delay on x86; a write on one of two ways is none.
#[test]
fn what_is_written_in_between_is_in_order() {
    let threads = |left: &str| {
        program(&format!(
            "shared x, y\n\
             thread p {{ local r; {left} }}\n\
             thread q {{ local r; y = 2; fence; r = x }}\n"
        ))
    };
    assert!(is_robust(&threads("x = 1; y = 1; r = y"), Arch::X86));
    assert!(!is_robust(&threads("x = 1; if r == 0 { y = 1 }; r = y"), Arch::X86));
    assert!(!is_robust(&threads("y = 1; x = 1; r = y"), Arch::X86));
    assert!(!is_robust(&threads("x = 1; y = 1; r = y"), Arch::Pso));
}
