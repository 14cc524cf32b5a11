//! What this machine shows is possible, and what is impossible would be noticed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use analysis::{Limits, Options, Outcome};
use confirm::{Ending, Failure, How, Judgement, Possible, Seen, generate, judge, run};
use frontend::{Language, Settings};
use program::{LabelId, Program, Sources, Template};

fn load(name: &str, text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add(name, text);
    let language = Language::detect(name, text).expect("a known language");
    frontend::load(&sources, source, language, &Settings::default())
        .unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

fn judged(program: &Program, seen: &Seen) -> Judgement {
    let limits =
        Limits { deadline: Some(Instant::now() + Duration::from_secs(20)), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    judge(program, seen, &options, |_| ControlFlow::Continue(())).expect("threads are counted")
}

/// Runs a program, unless this machine cannot run any.
fn seen(program: &Program, runs: u64) -> Option<Seen> {
    let test = generate(program).unwrap_or_else(|problem| panic!("{problem:?}"));
    let time = Duration::from_millis(500);
    let how = How { runs, time, processors: None, seed: 1, compiler: None };
    match run(program, &test, &how) {
        Ok(seen) => Some(seen),
        Err(Failure::OtherMachine | Failure::OneProcessor | Failure::NoCompiler { .. }) => None,
        Err(failure) => panic!("{}: {failure}", program.name()),
    }
}

/// Runs a program and demands that nothing impossible is seen.
fn consistent(program: &Program, runs: u64) -> Option<(Seen, Judgement)> {
    let seen = seen(program, runs)?;
    let judgement = judged(program, &seen);
    for (ending, count, judged) in &judgement.endings {
        assert!(
            !judged.is_impossible(),
            "{}: seen {count} times and impossible ({judged:?}): {ending:?}",
            program.name()
        );
    }
    Some((seen, judgement))
}

/// Whether every run of a thread passes every label once at most.
fn is_loop_free(template: &Template) -> bool {
    let mut left: BTreeSet<LabelId> = template.labels().indices().collect();
    loop {
        let leads_on = |label: &LabelId| {
            template.outgoing(*label).any(|edge| left.contains(&template.edge(edge).to))
        };
        let kept: BTreeSet<LabelId> = left.iter().copied().filter(leads_on).collect();
        if kept.len() == left.len() {
            return left.is_empty();
        }
        left = kept;
    }
}

/// Every litmus test and every shape of the corpus that is over soon.
#[test]
fn what_the_machine_shows_is_possible() {
    let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus"));
    let mut files: Vec<_> = ["litmus", "shapes"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(corpus.join(folder)).expect("a folder"))
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "litmus" || end == "fw"))
        .collect();
    files.sort();
    let (mut tried, mut different) = (0, 0);
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a program");
        let program = load(&file.display().to_string(), &text);
        if !program.templates().iter().all(is_loop_free) {
            continue;
        }
        tried += 1;
        let Some((seen, judgement)) = consistent(&program, 1000) else { return };
        let ended = seen.count(|ending| matches!(ending, Ending::Final(_)));
        assert!(ended > 0, "{}: {seen:?}", file.display());
        assert!(judgement.possible.is_some(), "{}: all states are known", file.display());
        different += judgement.endings.len();
    }
    assert!(tried > 35, "{tried}");
    assert!(different > tried, "programs end in more than one way");
}

/// The operators of the model and those of the generated C are two readings of one definition.
#[test]
fn values_are_computed_as_in_the_model() {
    let program = load(
        "operators.fw",
        "shared a: i8, b: u16, c: 0..=1000000, e\nshared d[3]: u8 = {7, 8, 250}\n\
         thread p {\n\
           local i: i8, r, s, t: u5, u\n\
           i = choose(-3..=3)\n\
           r = i * 1000003 - (i << 40) + (i >> 1) - i % 2 + (7 - i) / 2\n\
           s = (r & 255) ^ (i | 12) + ~i\n\
           t = r + s\n\
           u = min(i, s) + max(r, 5) + (i < 2 && r > 0) + (i == 1 || s != 3) + !i\n\
           a = r\n\
           b = r - s\n\
           c = 500000 + i\n\
           d[1 + (i > 0) - (i < 0)] = 300 + i\n\
           e = fetch_add(d[2], 10)\n\
           i = 100 + xchg(a, i)\n\
           s = cas(b, 65533, 1) + fetch_max(c, 500001)\n\
         }\n\
         thread q { local r; r = fetch_xor(b, 5); r = fetch_nand(d[0], 3) }\n",
    );
    let Some((seen, judgement)) = consistent(&program, 20_000) else { return };
    assert_eq!(seen.count(|ending| !matches!(ending, Ending::Final(_))), 0, "{seen:?}");
    // Seven choices, and more than one way to meet.
    assert!(judgement.endings.len() >= 7, "{}", judgement.endings.len());
    assert!(judgement.endings.iter().all(|(_, _, it)| it.possible == Possible::Yes));
}

#[test]
fn runs_that_fail_block_or_leave_the_model_are_told_apart() {
    let program = load(
        "ends.fw",
        "shared x, a[2]\n\
         thread p {\n\
           local r\n\
           r = choose(0..=3)\n\
           if r == 0 { assert x == 5 }\n\
           if r == 1 { a[r + 1] = 1 }\n\
           if r == 2 { assume x == 7 }\n\
           if r == 3 { r = 9223372036854775807 + r }\n\
         }\n\
         thread q { local s; s = x }\n",
    );
    let Some(seen) = seen(&program, 400) else { return };
    let judgement = judged(&program, &seen);
    let faults = judgement.endings.iter().filter(|(it, ..)| matches!(it, Ending::Fault { .. }));
    let faults: Vec<_> = faults.collect();
    assert_eq!(faults.len(), 2, "a false assertion and an index out of bounds: {seen:?}");
    for (_, _, judged) in faults {
        assert_eq!((judged.possible, judged.under_sc), (Possible::Yes, Some(true)));
        assert!(judged.is_wrong);
    }
    assert!(seen.endings.contains_key(&Ending::Stuck), "{seen:?}");
    assert!(seen.endings.contains_key(&Ending::Limit), "{seen:?}");
}

/// Threads that wait for each other come to their ends, on however few processors.
#[test]
fn threads_that_wait_go_on() {
    let program = load(
        "waiting.fw",
        "shared turn: 0..=3\n\
         thread p[i in 0..3] { await turn == i; turn = i + 1 }\n",
    );
    let Some((seen, judgement)) = consistent(&program, 200) else { return };
    assert!(seen.count(|ending| matches!(ending, Ending::Final(_))) > 0, "{seen:?}");
    assert_eq!(judgement.possible, Some(1));
}

const MESSAGE: &str = "shared data, flag\n\
     thread p { data = 1; flag = 1 }\n\
     thread q { local f, d; f = flag; d = data }\n";
const BUFFERING: &str = "shared x, y\n\
     thread p { local r; x = 1; r = y }\n\
     thread q { local r; y = 1; r = x }\n";

/// What would be known if these final registers of the threads were seen, with all cells 1.
fn if_seen(text: &str, registers: [&[i128]; 2]) -> (Possible, Option<bool>) {
    let program = load("program.fw", text);
    let outcome = Outcome {
        registers: registers.iter().map(|all| all.iter().copied().collect()).collect(),
        changed_memory: program.memory().locations().iter().map(|it| (it.base, 1)).collect(),
    };
    let seen = Seen {
        runs: 1,
        processors: 2,
        elapsed: Duration::ZERO,
        endings: BTreeMap::from([(Ending::Final(outcome), 1)]),
        uncounted: 0,
    };
    let judged = judged(&program, &seen).endings[0].2;
    (judged.possible, judged.under_sc)
}

#[test]
fn what_is_impossible_would_be_noticed() {
    assert_eq!(if_seen(MESSAGE, [&[], &[1, 1]]), (Possible::Yes, Some(true)));
    assert_eq!(if_seen(MESSAGE, [&[], &[1, 0]]), (Possible::NotExplored, Some(false)));
    assert_eq!(if_seen(BUFFERING, [&[0], &[0]]), (Possible::Yes, Some(false)));
    assert_eq!(if_seen(BUFFERING, [&[2], &[0]]), (Possible::NotExplored, Some(false)));
}

#[test]
fn what_cannot_be_run_is_refused_at_its_place() {
    let refused = |text: &str, at: &str, why: &str| {
        let program = load("program.fw", text);
        let problem = generate(&program).err().expect(why).remove(0);
        let (start, end) = (problem.span.start as usize, problem.span.end as usize);
        assert!(problem.label.contains(why), "{problem:?}");
        assert!(text[start..end].starts_with(at), "{}", &text[start..end]);
    };
    refused("shared x\nthread p { loop { x = 1 } }\n", "loop", "never ends");
    refused("shared x\nthread p { atomic { x = 1 } }\n", "", "locked sections");
    refused("shared x[100000]\nthread p { x[0] = 1 }\n", "x", "100000 cells");
    refused("shared x\nthread p[*] { x = 1 }\n", "", "any number of copies");
}
