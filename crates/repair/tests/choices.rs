//! What can be chosen from, and what each choice costs: exactly what the text lets one change is offered,
//! at the price that was asked for.

use std::ops::ControlFlow;

use analysis::{Limits, Options, Progress};
use program::Change;
use program::{Order, Program, SourceId, Sources, index::Idx};
use repair::Positions;
use repair::checkers::Abstract;
use repair::costs::{by_lines, by_loops, by_profile};
use repair::decision::{Decision, Kind, existing, fences, locked_stores};
use solver::MAX_COST;

fn loaded(text: &str) -> (Sources, SourceId, Program) {
    let mut sources = Sources::new();
    let source = sources.add("text.fw", text);
    let settings = frontend::Settings::default();
    let program = frontend::load(&sources, source, frontend::Language::Fw, &settings)
        .unwrap_or_else(|errors| panic!("{errors:#?}"));
    (sources, source, program)
}

/// The lines of the text that decisions change.
fn lines(sources: &Sources, source: SourceId, decisions: &[Decision]) -> Vec<usize> {
    let line = |decision: &Decision| sources.line_column(source, decision.span.start).0;
    decisions.iter().map(line).collect()
}

const OF_ALL_KINDS: &str = "shared x, y, z
thread p {
  local used, unused, asked
  x = 1
  store(x, 2, release)
  store(x, 3, seq_cst)
  used = xchg(y, 4)
  z = used
  unused = xchg(y, 5)
  xchg(y, 6)
  asked = xchg(y, 7)
}
never p.asked == 3
";

#[test]
fn stores_that_are_not_locked_can_be() {
    let (sources, source, program) = loaded(OF_ALL_KINDS);
    let offered = locked_stores(&program, true);
    assert_eq!(lines(&sources, source, &offered), [4, 5, 8]);
    for decision in &offered {
        assert_eq!(decision.kind, Kind::LockedStore);
        for (_, change) in &decision.changes {
            let Change::Become(_, program::Instruction::Store { access, .. }) = change else {
                panic!("{change:?}")
            };
            assert_eq!(access.order, Order::SeqCst);
        }
    }
}

/// An exchange is a store to those who do not look at what it read, and to nobody else.
#[test]
fn an_exchange_is_a_store_only_if_nobody_looks_at_what_it_read() {
    let (sources, source, program) = loaded(OF_ALL_KINDS);
    let (_, offered) = existing(&program, true);
    let exchanges: Vec<Decision> =
        offered.iter().filter(|one| one.kind == Kind::OldExchange).cloned().collect();
    assert_eq!(lines(&sources, source, &exchanges), [9, 10]);
    assert_eq!(lines(&sources, source, &offered), [6, 9, 10]);
}

/// Where one text stands for several places, what is done there is done at the dearest too.
#[test]
fn the_dearest_place_of_a_decision_counts() {
    let text = "shared x\nthread p {\nlocal r\nx = 1\nwhile r < 3 {\nx = 2\nr = r + 1\n}\n}\n";
    let (_, _, program) = loaded(text);
    let offered = fences(&program, Positions::AfterInstructions, true);
    let costs = by_loops(&program, &offered);
    let at = |cost: u64| offered[costs.iter().position(|one| *one == cost).expect("one")].clone();
    let (outside, inside) = (at(1), at(10));
    for (one, other) in [(&outside, &inside), (&inside, &outside)] {
        let mut both = one.clone();
        both.changes.extend(other.changes.iter().cloned());
        assert_eq!(by_loops(&program, &[both.clone()]), [10]);
        let profile = by_profile(&program, &[outside.clone(), inside.clone(), both], 1);
        let profile = profile.expect("a definite program");
        assert_eq!(profile[0] + profile[1], profile[2]);
    }
}

/// No depth of loops costs more than the solver can count.
#[test]
fn no_loop_is_dearer_than_the_dearest() {
    let deep = 8;
    let locals: Vec<String> = (0..deep).map(|at| format!("r{at}")).collect();
    let open: Vec<String> = locals.iter().map(|local| format!("while {local} < 2 {{")).collect();
    let text = format!(
        "shared x\nthread p {{\nlocal {}\n{} x = 1 {}\n}}\n",
        locals.join(", "),
        open.join(" "),
        "}".repeat(deep)
    );
    let (_, _, program) = loaded(&text);
    let costs = by_loops(&program, &fences(&program, Positions::AfterInstructions, true));
    assert_eq!(costs.iter().max(), Some(&MAX_COST));
}

const TWO_ON_A_LINE: &str = "shared x, y\nthread p {\nx = 1; y = 2\ny = 1\n}\n";

/// What a file of prices makes of the stores of a text with two of them on one line.
fn priced(prices: &str) -> Result<Vec<u64>, Vec<(String, String)>> {
    let (mut sources, _, program) = loaded(TWO_ON_A_LINE);
    let file = sources.add("prices", prices);
    let stores = locked_stores(&program, true);
    by_lines(&sources, file, &stores).map_err(|errors| {
        let shown = |error: program::Diagnostic| {
            (sources.excerpt(error.span).unwrap_or_default().to_owned(), error.message)
        };
        errors.into_iter().map(shown).collect()
    })
}

#[test]
fn prices_are_those_of_the_lines_and_columns_of_a_file() {
    for (prices, expected) in [
        ("", [1, 1, 1]),
        ("3 5\n", [5, 5, 1]),
        ("3:1 5\n", [5, 1, 1]),
        ("3:8 5", [1, 5, 1]),
        ("* 7\n4 2 # cheaper\n", [7, 7, 2]),
        ("# nothing\n\n3 5\n3:8 6\n", [5, 6, 1]),
        ("* 1000000", [MAX_COST; 3]),
    ] {
        assert_eq!(priced(prices), Ok(expected.to_vec()), "{prices}");
    }
}

#[test]
fn what_is_wrong_with_a_price_is_shown_where_it_is() {
    for (prices, place) in [
        ("3 5\n  2 5 # no store\n", "2 5"),
        ("4:8 5", "4:8 5"),
        ("first 5", "first 5"),
        ("\n\n 3:x 5\n", "3:x 5"),
        ("3 0\n", "3 0"),
        ("3 1000001\n", "3 1000001"),
        ("4 2\n 3 \n", "3"),
        ("3 5 7", "3 5 7"),
    ] {
        let errors = priced(prices).expect_err(prices);
        let texts: Vec<&str> = errors.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, [place], "{prices}: {errors:?}");
    }
}

fn nobody(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The program beside the abstraction is explored as far as both limits allow.
#[test]
fn the_smaller_limit_on_states_counts() {
    for (given, own, expected) in
        [(None, 50, 50), (Some(20), 50, 20), (Some(50), 20, 20), (Some(7), 7, 7)]
    {
        let limits = Limits { states: given, ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let checker = Abstract { depths: vec![0], states: own, options: &options, watch: nobody };
        assert_eq!(checker.of_the_program().limits.states, Some(expected));
    }
}

/// Templates with the same text are changed together, or each on its own.
#[test]
fn a_text_is_one_decision_unless_copies_are_kept_apart() {
    let text = "shared x\nthread p[2] { x = 1 }\nthread q { x = 2 }\n";
    let program = loaded(text).2.with_copies_apart().expect("a definite program");
    for offer in [locked_stores, |program: &Program, together| {
        fences(program, Positions::AfterInstructions, together)
    }] {
        let changes = |together: bool| -> Vec<Vec<usize>> {
            let offered = offer(&program, together);
            let of_one = |one: &Decision| -> Vec<usize> {
                one.changes.iter().map(|(template, _)| template.index()).collect()
            };
            let mut all: Vec<_> = offered.iter().map(of_one).collect();
            all.dedup();
            all
        };
        assert_eq!(changes(true), [vec![0, 1], vec![2]]);
        assert_eq!(changes(false), [[0], [1], [2]]);
    }
}
