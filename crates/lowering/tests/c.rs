//! Small C programs and what can be seen of them under SC and TSO.
//!
//! Each file in `tests/c` says in its first lines what is expected:
//! - `//! see x y`: the variables that are looked at in final states;
//! - `//! sc 0,1 1,0`, `//! tso 0,1`: all final values of these, in order;
//! - `//! entry producer*2`, `//! entry worker(&x, 3)`: threads, if not those of `main`;
//! - `//! error 12 text`: an error at this line whose message contains the text;
//! - `//! unknown f`: these functions have no body;
//! - `//! assume f returns 1`, `//! args a b`: what is said of a function, what `main` is given;
//! - `//! fault sc`, `//! fault tso`: a fault can be reached, under TSO only or under both;
//! - `//! freed checked`, `//! freed reused`: what is made of memory that is given back;
//! - `//! hangs sc`, `//! hangs tso`, `//! hangs never`: threads can spin for ever;
//! - `//! limit text`: a limit of the tool can be reached, and there is one that contains this text.

mod tools;

use std::collections::BTreeSet;
use std::fmt::Write;

use lowering::{Entry, Environment, Lifetimes, Lowered, Summary};
use oracle::{Exceeded, Limits, MemoryModel};
use program::index::{EdgeId, Idx};
use program::{Diagnostics, Domain, IntType, Observable, Program, Sources, Value};

use crate::tools::{Workshop, lower, lower_in, shown};

const LIMITS: Limits = Limits { max_states: 3_000_000, max_length: 400 };

/// What a file expects.
#[derive(Debug, Default)]
struct Expected {
    see: Vec<String>,
    sc: BTreeSet<String>,
    tso: BTreeSet<String>,
    entries: Vec<Entry>,
    errors: Vec<(usize, String)>,
    unknown: Vec<String>,
    environment: Environment,
    fault: Option<String>,
    hangs: Option<String>,
    limit: Option<String>,
}

fn expected(name: &str, text: &str) -> Expected {
    let mut all = Expected::default();
    for line in text.lines().filter_map(|line| line.strip_prefix("//! ")) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words = || rest.split_whitespace().map(str::to_owned);
        match word {
            "see" => all.see = words().collect(),
            "sc" => all.sc = words().collect(),
            "tso" => all.tso = words().collect(),
            "entry" => all.entries.push(tools::thread(rest)),
            "error" => {
                let (line, message) = rest.split_once(' ').expect("a line and a message");
                all.errors.push((line.parse().expect("a line"), message.to_owned()));
            }
            "unknown" => all.unknown = words().collect(),
            "assume" => {
                let summary =
                    Summary::parse(rest).unwrap_or_else(|error| panic!("{name}: {error}"));
                all.environment.summaries.push(summary);
            }
            "threads" => all.environment.bounds.threads = rest.parse().expect("a number"),
            "args" => all.environment.arguments = Some(words().collect()),
            "fault" => all.fault = Some(rest.to_owned()),
            "hangs" => {
                all.environment.spinning_is_waiting = true;
                all.hangs = Some(rest.to_owned());
            }
            "freed" => {
                all.environment.lifetimes = match rest {
                    "checked" => Lifetimes::Checked,
                    "reused" => Lifetimes::Reused,
                    _ => panic!("{name}: {rest}?"),
                };
            }
            "limit" => all.limit = Some(rest.to_owned()),
            _ => panic!("{name}: {word}?"),
        }
    }
    all
}

fn observable(program: &Program, name: &str) -> Observable {
    let location = program.memory().locations().iter().find(|one| one.name == name);
    let names = || program.memory().locations().iter().map(|one| one.name.clone());
    let location =
        location.unwrap_or_else(|| panic!("{name} is not among {:?}", names().collect::<Vec<_>>()));
    // What is divided into cells is seen as a whole.
    match location.domain {
        Domain::Wrapping(part) if location.parts > 1 => {
            let whole = IntType::new(part.bits() * location.parts, part.signed());
            Observable::Across(location.base, whole.expect("at most 64 bits"))
        }
        Domain::Wrapping(_) | Domain::Integer | Domain::Range { .. } => {
            Observable::Cell(location.base)
        }
    }
}

/// What variables hold in all final states.
fn outcomes(
    program: &Program,
    see: &[String],
    model: MemoryModel,
) -> Result<BTreeSet<String>, Exceeded> {
    let see: Vec<Observable> = see.iter().map(|name| observable(program, name)).collect();
    let states = oracle::final_states(program, model, &LIMITS)?;
    let one = |state: &oracle::Configuration| {
        let values: Vec<Value> = see.iter().map(|what| state.see(program, *what)).collect();
        values.iter().map(Value::to_string).collect::<Vec<_>>().join(",")
    };
    Ok(states.iter().map(one).collect())
}

fn faults(program: &Program) -> Result<Option<String>, Exceeded> {
    for (model, name) in [(MemoryModel::Sc, "sc"), (MemoryModel::Tso, "tso")] {
        if !oracle::reachable_faults(program, model, &LIMITS)?.is_empty() {
            return Ok(Some(name.to_owned()));
        }
    }
    Ok(None)
}

/// Under which model threads can wait for ever.
fn hanging(program: &Program) -> Result<String, Exceeded> {
    for (model, name) in [(MemoryModel::Sc, "sc"), (MemoryModel::Tso, "tso")] {
        if oracle::has_deadlock(program, model, &LIMITS)? {
            return Ok(name.to_owned());
        }
    }
    Ok("never".to_owned())
}

fn check(name: &str, text: &str, found: &Result<Lowered, Diagnostics>, sources: &Sources) {
    let expected = expected(name, text);
    let lowered = match found {
        Err(errors) => {
            let lines = shown(errors, sources);
            assert!(!expected.errors.is_empty(), "{name}: {lines}");
            for (line, message) in &expected.errors {
                let at = format!(":{line}: ");
                let is_there = |one: &str| one.contains(&at) && one.contains(message.as_str());
                assert!(lines.lines().any(is_there), "{name} has no error {message}: {lines}");
            }
            return;
        }
        Ok(lowered) => lowered,
    };
    assert!(expected.errors.is_empty(), "{name}: no error");
    assert_eq!(lowered.unknown, expected.unknown, "{name}");
    let stated: Vec<&String> = expected.environment.summaries.iter().map(|one| &one.text).collect();
    assert_eq!(lowered.assumed.iter().collect::<Vec<_>>(), stated, "{name}");
    let program = &lowered.program;
    let bounds: Vec<&str> = program
        .templates()
        .iter()
        .flat_map(|one| (0..one.edges().len()).filter_map(|at| one.bound(EdgeId::new(at))))
        .collect();
    if let Some(text) = &expected.limit {
        let found = outcomes(program, &expected.see, MemoryModel::Sc);
        assert_eq!(found, Err(Exceeded::Overflow), "{name} reaches a limit");
        assert!(bounds.iter().any(|bound| bound.contains(text)), "{name}: {text}: {bounds:?}");
        return;
    }
    if let Some(hangs) = &expected.hangs {
        let found = hanging(program);
        assert_eq!(found.as_deref(), Ok(hangs.as_str()), "{name} hangs");
        return;
    }
    for (model, expected_of_model) in
        [(MemoryModel::Sc, &expected.sc), (MemoryModel::Tso, &expected.tso)]
    {
        let found = outcomes(program, &expected.see, model);
        assert_eq!(found.as_ref(), Ok(expected_of_model), "{name} under {model:?}");
    }
    assert_eq!(faults(program), Ok(expected.fault), "{name}: faults");
}

#[test]
fn programs_end_as_their_first_lines_say() {
    let workshop = Workshop::new("c");
    let programs = tools::programs();
    assert!(programs.len() > 10, "programs are found");
    for (name, text) in programs {
        let modules = [workshop.module(&name, &text)];
        let Expected { entries, environment, .. } = expected(&name, &text);
        let (found, sources) = lower_in(&modules, &[(&name, &text)], &entries, &environment);
        check(&name, &text, &found, &sources);
    }
}

/// A store, a load, and what stands between; whether both loads can miss both stores on x86.
const ACCESSES: &[(&str, &str, &str, bool)] = &[
    ("*a = 1", "*b", "", true),
    ("*(volatile int *)a = 1", "*(volatile int *)b", "", true),
    ("__atomic_store_n(a, 1, __ATOMIC_RELAXED)", "__atomic_load_n(b, __ATOMIC_RELAXED)", "", true),
    ("__atomic_store_n(a, 1, __ATOMIC_RELEASE)", "__atomic_load_n(b, __ATOMIC_ACQUIRE)", "", true),
    ("__atomic_store_n(a, 1, __ATOMIC_RELEASE)", "__atomic_load_n(b, __ATOMIC_SEQ_CST)", "", true),
    ("__atomic_store_n(a, 1, __ATOMIC_SEQ_CST)", "__atomic_load_n(b, __ATOMIC_RELAXED)", "", false),
    ("*(_Atomic int *)a = 1", "*(_Atomic int *)b", "", false),
    ("*a = 1", "*b", "__atomic_thread_fence(__ATOMIC_SEQ_CST)", false),
    ("*a = 1", "*b", "__atomic_thread_fence(__ATOMIC_ACQ_REL)", true),
    ("*a = 1", "*b", "__atomic_thread_fence(__ATOMIC_RELEASE)", true),
    ("*a = 1", "*b", "__atomic_signal_fence(__ATOMIC_SEQ_CST)", true),
    ("*a = 1", "*b", "__sync_synchronize()", false),
    ("__atomic_exchange_n(a, 1, __ATOMIC_RELAXED)", "*b", "", false),
    ("__atomic_fetch_add(a, 1, __ATOMIC_RELAXED)", "*b", "", false),
    ("__sync_lock_test_and_set(a, 1)", "*b", "", false),
    ("__sync_fetch_and_or(a, 1)", "*b", "", false),
    ("__sync_bool_compare_and_swap(a, 0, 1)", "*b", "", false),
    ("*a = 1", "__atomic_fetch_add(b, 0, __ATOMIC_RELAXED)", "", false),
    ("*a = 1", "__sync_val_compare_and_swap(b, 7, 8)", "", false),
    ("*a = 1", "*b", "__asm__ volatile(\"mfence\" ::: \"memory\")", false),
    ("*a = 1", "*b", "__asm__ volatile(\"lock; addl $0,0(%%rsp)\" ::: \"memory\")", false),
    ("*a = 1", "*b", "__asm__ volatile(\"\" ::: \"memory\")", true),
    ("*a = 1", "*b", "__asm__ volatile(\"sfence\" ::: \"memory\")", true),
    ("*a = 1", "*b", "__asm__ volatile(\"lfence\" ::: \"memory\")", true),
    ("*a = 1", "*b", "__asm__ volatile(\"pause\" ::: \"memory\")", true),
    ("__asm__ volatile(\"movl $1, %0\" : \"=m\"(*a))", "*b", "", true),
    ("__asm__ volatile(\"xchgl %0, %1\" : \"+m\"(*a), \"+r\"(one))", "*b", "", false),
    ("__asm__ volatile(\"incl %0\" : \"+m\"(*a))", "*b", "", true),
    ("__asm__ volatile(\"lock; incl %0\" : \"+m\"(*a))", "*b", "", false),
];

#[test]
fn store_buffering_with_every_kind_of_access() {
    let workshop = Workshop::new("accesses");
    // One text for all, so that the compiler runs once.
    let mut text = "int x[100], y[100], r[100], s[100];\n".to_owned();
    for (at, (store, load, between, _)) in ACCESSES.iter().enumerate() {
        for (side, a, b, r) in [("left", "x", "y", "r"), ("right", "y", "x", "s")] {
            writeln!(text, "void {side}{at}(void) {{ int *a = &{a}[{at}], *b = &{b}[{at}], one = 1; {store}; {between}; int seen = {load}; {r}[{at}] = seen; }}").expect("a string takes it");
        }
    }
    let modules = [workshop.module("accesses.c", &text)];
    for (at, (store, load, between, weak)) in ACCESSES.iter().enumerate() {
        let entries = ["left", "right"].map(|side| tools::entry(&format!("{side}{at}")));
        let (found, sources) = lower(&modules, &[("accesses.c", &text)], &entries);
        let lowered = found.unwrap_or_else(|errors| panic!("{}", shown(&errors, &sources)));
        let see = ["r", "s"].map(|name| format!("{name}[{at}]"));
        let missed = |model| {
            let outcomes = outcomes(&lowered.program, &see, model).expect("a tiny program");
            assert!(outcomes.contains("1,0") || outcomes.contains("0,1"), "{store}: {outcomes:?}");
            outcomes.contains("0,0")
        };
        assert!(!missed(MemoryModel::Sc), "{store}; {between}; {load}");
        assert_eq!(missed(MemoryModel::Tso), *weak, "{store}; {between}; {load}");
    }
}

/// Files that are linked, the variables that are seen, and their final values or the error.
const LINKED: &[(&[&str], &str, Result<&str, &str>)] = &[
    (
        &[
            "static int one(void) { return 1; } int x; extern int two(void); int main(void) { x = one() * 10 + two(); return 0; }",
            "static int one(void) { return 2; } int two(void) { return one(); }",
        ],
        "x",
        Ok("12"),
    ),
    (
        &["int x = 1; int main(void) { x = 2; return 0; }", "int x = 3;"],
        "x",
        Err("`x` is defined in"),
    ),
    (
        &[
            "__attribute__((weak)) int f(void) { return 1; } int x; int main(void) { x = f(); return 0; }",
            "int f(void) { return 2; }",
        ],
        "x",
        Ok("2"),
    ),
    (
        &[
            "__attribute__((weak)) int f(void) { return 1; } int x; int main(void) { x = f(); return 0; }",
            "__attribute__((weak)) int f(void) { return 1; }",
        ],
        "x",
        Ok("1"),
    ),
    (
        &[
            "int x __attribute__((common)); extern int y; int main(void) { y = x; return 0; }",
            "int x = 5; int y;",
        ],
        "y",
        Ok("5"),
    ),
    (
        &[
            "extern int g(void) __attribute__((alias(\"h\"))); int h(void) { return 4; } int x; int main(void) { x = g(); return 0; }",
        ],
        "x",
        Ok("4"),
    ),
    (&["int f(void) { return 1; }"], "x", Err("there is no function `main`")),
    // Constructors run in the order of their priorities, then of the files; destructors the other way.
    (
        &[
            "int x; __attribute__((constructor)) static void first(void) { x = x * 10 + 2; } __attribute__((constructor(500))) static void early(void) { x = x * 10 + 1; } int main(void) { x = x * 10 + 4; return 0; }",
            "extern int x; __attribute__((constructor)) static void first(void) { x = x * 10 + 3; } __attribute__((destructor)) static void last(void) { x = x * 10 + 5; }",
        ],
        "x",
        Ok("12345"),
    ),
    (
        &[
            "extern void exit(int); int x; __attribute__((destructor)) static void last(void) { x = 5; } int main(void) { exit(x); return 0; }",
        ],
        "x",
        Err("`exit` would run the destructor `last`"),
    ),
];

#[test]
fn modules_are_linked_as_linkers_do_it() {
    let workshop = Workshop::new("linked");
    for (texts, see, expected) in LINKED {
        let named: Vec<(String, &str)> = texts
            .iter()
            .enumerate()
            .map(|(number, text)| (format!("part{number}.c"), *text))
            .collect();
        let texts: Vec<(&str, &str)> = named.iter().map(|(name, text)| (&**name, *text)).collect();
        let modules: Vec<_> =
            texts.iter().map(|(name, text)| workshop.module(name, text)).collect();
        let (found, sources) = lower(&modules, &texts, &[]);
        let found = match found {
            Ok(lowered) => outcomes(&lowered.program, &[(*see).to_owned()], MemoryModel::Tso)
                .map(|all| all.into_iter().collect::<Vec<_>>().join(" "))
                .map_err(|exceeded| exceeded.to_string()),
            Err(errors) => Err(shown(&errors, &sources)),
        };
        match (expected, found) {
            (Ok(expected), found) => assert_eq!(found.as_deref(), Ok(*expected), "{texts:?}"),
            (Err(expected), Err(found)) => assert!(found.contains(expected), "{found}"),
            (Err(expected), Ok(found)) => panic!("{found} and not {expected}"),
        }
    }
}
