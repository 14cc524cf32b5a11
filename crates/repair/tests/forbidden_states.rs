//! The fewest places that keep forbidden states out under TSO: every smaller set of places is tried, and a
//! run that was replayed shows why it is not enough.

use std::ops::ControlFlow;
use std::path::Path;

use analysis::{Options, Query, Verdict, reach_under};
use frontend::{Language, Settings, load};
use program::{Program, Sources};
use repair::decision::{Decision, fences, locked_stores};
use repair::{Positions, Problem};
use semantics::Model;

fn read(name: &str) -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/peers");
    let text = std::fs::read_to_string(folder.join(name)).expect("a file of the corpus");
    let mut sources = Sources::new();
    let source = sources.add(name, text.as_str());
    load(&sources, source, Language::Rmm, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// What is forbidden is forbidden to the same threads when each has a text of its own.
#[test]
fn copies_that_are_kept_apart_are_forbidden_the_same() {
    let text = "shared x, y
        thread p[me in 0..2] { await me == x; inside: y = 1; x = me + 1 }
        thread q { inside: y = 2 }
        forbidden p[0]@inside && p[1]@inside || p[1]@inside && q@inside && x == 0";
    for (text, holds) in [(text.to_owned(), true), (text.replace("&& x == 0", ""), false)] {
        let mut sources = Sources::new();
        let source = sources.add("test", text);
        let program = load(&sources, source, Language::Fw, &Settings::default())
            .unwrap_or_else(|errors| panic!("{errors:#?}"));
        assert_eq!(is_safe(&program), holds);
        assert_eq!(is_safe(&program.with_copies_apart().expect("a definite program")), holds);
    }
}

/// All places for a fence, and all stores that can be locked.
fn places(program: &Program) -> Vec<Decision> {
    let mut all = fences(program, Positions::Labels, false);
    all.extend(locked_stores(program, false));
    all
}

/// Whether forbidden states cannot be reached under TSO.
fn is_safe(program: &Program) -> bool {
    let goal = program.question().forbidden.clone();
    assert!(goal.is_some(), "something is forbidden");
    let query = Query { goal, ..Query::default() };
    let go_on = |_: &analysis::Progress| ControlFlow::Continue(());
    let found = reach_under(program, &query, Model::Tso, &Options::default(), go_on);
    match found.expect("a definite program").verdict {
        Verdict::Holds(_) => true,
        Verdict::Violated(_) => false,
        Verdict::Undecided(reason) => panic!("{reason}"),
    }
}

/// All sets of so many of these numbers.
fn sets_of(size: usize, numbers: std::ops::Range<usize>) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let with = |last: usize| {
        let smaller = sets_of(size - 1, numbers.start..last).into_iter();
        smaller.map(move |set| [set, vec![last]].concat())
    };
    numbers.clone().flat_map(with).collect()
}

#[test]
fn no_smaller_set_of_places_is_enough() {
    for (name, fewest) in [("peterson-once.rmm", 2), ("szymanski.rmm", 3)] {
        let program = read(name);
        let decisions = places(&program);
        let costs = vec![1; decisions.len()];
        let problem =
            Problem { program: &program, decisions: &decisions, costs: &costs, preferences: &[] };
        for size in 0..fewest {
            let mut sets = sets_of(size, 0..decisions.len()).into_iter();
            let enough = sets.find(|set| is_safe(&problem.with(set.iter().copied()).program));
            assert_eq!(enough, None, "{name}");
        }
        // Locked stores alone are enough, if there is one more.
        let locks = locked_stores(&program, false).len();
        let mut sets = sets_of(fewest, decisions.len() - locks..decisions.len()).into_iter();
        let enough = sets.find(|set| is_safe(&problem.with(set.iter().copied()).program));
        assert!(enough.is_some(), "{name}");
    }
}
