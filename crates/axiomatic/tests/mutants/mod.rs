//! Every term of a model matters: each operand of a union in the model's text (`tests/cat`), which says what the
//! built-in model says, is left out once. A program tells the difference, or the text is refused. What makes no
//! difference is written down here, with the reason. The other models were treated so by hand (docs/mutation.md).

use std::ops::Range;
use std::path::Path;

use axiomatic::{Axioms, CatModel, FinalState, Limits, Model, outcomes};
use frontend::{Language, Settings, load};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::straight;
use program::{Program, Sources};

use crate::shapes::Between::{self, Addr, Ctrl, CtrlFence, Data, Orders, Po};
use crate::shapes::families::*;
use crate::shapes::{self, Dep, Op, r, w};

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cat").join(file);
    std::fs::read_to_string(path).expect("a model")
}

/// The text with blanks for comments and strings.
fn without_comments(text: &str) -> String {
    let mut plain = String::new();
    let (mut comment, mut string) = (false, false);
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let starts = |what: &str| rest.starts_with(what);
        let (length, hidden) = if comment && starts("*)") {
            comment = false;
            (2, true)
        } else if !string && starts("(*") {
            comment = true;
            (2, true)
        } else if !comment && next == '"' {
            string = !string;
            (1, true)
        } else {
            (next.len_utf8(), comment || string)
        };
        let shown = if hidden { " ".repeat(length) } else { rest[..length].to_owned() };
        plain.push_str(&shown);
        rest = &rest[length..];
    }
    plain
}

/// A sequence of operands that is being read.
#[derive(Default)]
struct Union {
    start: usize,
    operands: Vec<Range<usize>>,
}

impl Union {
    fn from(start: usize) -> Self {
        Self { start, operands: Vec::new() }
    }

    /// Its operands, if there are several.
    fn ended(mut self, end: usize) -> Vec<Range<usize>> {
        self.operands.push(self.start..end);
        if self.operands.len() > 1 { self.operands } else { Vec::new() }
    }
}

/// The operands of all unions.
fn operands(text: &str) -> Vec<Range<usize>> {
    const WORDS: [&str; 7] = ["let", "and", "acyclic", "irreflexive", "empty", "as", "include"];
    let plain = without_comments(text);
    let is_part = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let mut found = Vec::new();
    let mut open = vec![Union::from(0)];
    let mut word_start = 0;
    for (at, c) in plain.char_indices() {
        if !is_part(c) {
            let word = &plain[word_start..at];
            if WORDS.contains(&word) {
                let ended = std::mem::replace(open.last_mut().expect("one"), Union::from(at));
                found.extend(ended.ended(word_start));
            }
            word_start = at + c.len_utf8();
        }
        match c {
            '|' => {
                let union = open.last_mut().expect("one");
                union.operands.push(union.start..at);
                union.start = at + 1;
            }
            '=' | ',' => {
                let ended = std::mem::replace(open.last_mut().expect("one"), Union::from(at + 1));
                found.extend(ended.ended(at));
            }
            '(' | '[' => open.push(Union::from(at + 1)),
            ')' | ']' => found.extend(open.pop().expect("balanced").ended(at)),
            _ => {}
        }
    }
    let last = open.pop().expect("one");
    found.extend(last.ended(plain.len()));
    found.retain(|range| !plain[range.clone()].trim().is_empty());
    found.sort_by_key(|range| (range.start, range.end));
    found
}

/// Every family with each of these between two of its accesses and another in the other place.
fn families() -> Vec<Program> {
    use program::{FenceKind, Order};
    let mut betweens = vec![Po, Addr, Data, Ctrl, CtrlFence];
    betweens.extend(FenceKind::ALL.map(Between::Fence));
    betweens.push(Orders(Order::SeqCst, Order::SeqCst));
    let pairs = [sb, mp, lb, s, r_, two_plus_two_w];
    let strong = Between::Fence(FenceKind::Full);
    let mut tests = incoherent();
    tests.extend(incoherent_reads());
    for family in pairs {
        for between in &betweens {
            tests.extend([family(*between, strong), family(strong, *between)]);
            tests.push(family(*between, *between));
        }
    }
    for between in &betweens {
        tests.extend([wrc(*between, strong), wrc(Data, *between), iriw(*between, *between)]);
    }
    let (release, acquire) =
        (Orders(Order::Plain, Order::Release), Orders(Order::Acquire, Order::Plain));
    for (one, other) in [(release, acquire), (release, strong), (strong, acquire)] {
        tests.extend([mp(one, other), s(one, other)]);
    }
    tests.extend([lb(release, release), lb(acquire, acquire), iriw(acquire, acquire)]);
    tests.extend([shapes::preserved::through_a_local_write(Data)]);
    // What a fence before a releasing store and one after an acquiring load do for others.
    let message = |first: Vec<Op>, second: Vec<Op>, read: &[i128]| shapes::Test {
        threads: vec![first, second],
        read: read.to_vec(),
        memory: vec![],
    };
    let releasing = Op::W(1, 1, Dep::No, Order::Release);
    let acquiring = Op::R(1, Dep::No, Order::Acquire);
    let fence = Op::Fence(FenceKind::Full);
    tests.push(message(vec![w(0, 1), releasing, w(2, 1)], vec![r(2), fence, r(0)], &[1, 0]));
    tests.push(message(vec![w(0, 1), fence, w(2, 1)], vec![r(2), acquiring, r(0)], &[1, 0, 0]));
    let mut programs: Vec<Program> = tests.iter().map(shapes::Test::program).collect();
    // A reservation that begins after a write has reached memory which its load does not see.
    let reserving: [straight::Op; 5] = [
        straight::Op::Store(0, 1),
        straight::Op::LoadExclusive(0),
        straight::Op::Fence(FenceKind::LoadLoad),
        straight::Op::Load(1),
        straight::Op::StoreExclusive(0, 2),
    ];
    let other = [straight::Op::Store(1, 1), straight::Op::FENCE, straight::Op::Store(0, 5)];
    programs.push(straight::straight_line("reservation", &[&reserving, &other]));
    programs
}

fn litmus_tests(folder: &str) -> Vec<Program> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus-weak").join(folder);
    let files = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let tests = files.filter(|path| path.extension().is_some_and(|it| it == "litmus"));
    let program = |path| {
        let mut sources = Sources::new();
        let source = sources.add("test", std::fs::read_to_string(path).expect("a test"));
        load(&sources, source, Language::Litmus, &Settings::default()).expect("a program")
    };
    tests.map(program).collect()
}

fn states(program: &Program, axioms: impl Axioms) -> Option<Vec<FinalState>> {
    let found = outcomes(program, axioms, &Limits::default()).ok()?;
    Some(found.states.into_keys().collect())
}

/// The terms of a model without which nothing changes.
fn survivors(model: Model, folder: &str) -> Vec<String> {
    let shape = Shape { max_threads: 3, max_accesses: 6, sections: false, ..Shape::LOOP_FREE };
    let typed = Shape { typed: true, ..shape };
    let random = random_programs(11, shape).take(150).chain(random_programs(12, typed).take(350));
    let programs: Vec<Program> =
        families().into_iter().chain(litmus_tests(folder)).chain(random).collect();
    let mut asked: Vec<(&Program, Option<Vec<FinalState>>)> =
        programs.iter().map(|program| (program, states(program, model))).collect();
    let file = format!("{}.cat", model.name());
    let whole = text(&file);
    let mut survivors = Vec::new();
    for range in operands(&whole) {
        let mutant = format!("{} 0 {}", &whole[..range.start], &whole[range.end..]);
        let mut find = |included: &str| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cat").join(included);
            Some((included.to_owned(), std::fs::read_to_string(path).ok()?))
        };
        let Ok(mutant) = CatModel::read(&file, &mutant, &mut find) else { continue };
        let tells = |(program, ours): &(&Program, Option<Vec<FinalState>>)| {
            ours.is_some() && states(program, &mutant) != *ours
        };
        match asked.iter().position(tells) {
            // What tells one from the model often tells the next.
            Some(place) => asked[..=place].rotate_right(1),
            None => survivors.push(whole[range].split_whitespace().collect::<Vec<_>>().join(" ")),
        }
    }
    survivors
}

#[track_caller]
fn check(model: Model, folder: &str, equivalent: &[&str]) {
    assert_eq!(survivors(model, folder), equivalent, "{model}");
}

#[test]
fn every_term_of_relaxed_memory_order_matters() {
    // `co` of coherence and the order of writes to one address follow from the order of memory, as does that of
    // a read before a later write to its address, which is `fr`; fences for stores before loads are those that
    // wait.
    let equivalent = ["co", "[W] ; fencerel(fence.full | fence.store_load) ; [R]", "po-loc ; [W]"];
    check(Model::Rmo, "riscv", &equivalent);
}

#[test]
#[ignore = "takes a minute"]
fn every_term_of_store_orders_matters() {
    // As above; what comes before a locked access follows from atomicity, and loads are never passed.
    check(Model::Tso, "riscv", &["co", "pairs ; [locked]"]);
    let equivalent = [
        "co",
        "[R] ; fencerel(fence.full | fence.lightweight | fence.load_load | fence.acquire) ; [R]",
        "[R] ; fencerel(fence.full | fence.lightweight | fence.load_store | fence.acquire | \
         fence.release) ; [W]",
        "[W] ; fencerel(fence.full | fence.store_load) ; [R]",
        "[W] ; po-loc ; [W]",
    ];
    check(Model::Pso, "riscv", &equivalent);
}
