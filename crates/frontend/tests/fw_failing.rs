//! In `.fw` texts only a compare-and-swap has an order for when it fails, and it is an order of loads.

use frontend::{Language, Settings, load};
use program::Sources;

#[track_caller]
fn check(statement: &str, expected: Option<&str>) {
    let mut sources = Sources::new();
    let text = format!("shared x\nthread t {{\nlocal r\n{statement}\n}}");
    let source = sources.add("test", text);
    let found = load(&sources, source, Language::Fw, &Settings::default());
    let messages: Vec<String> = found
        .err()
        .unwrap_or_default()
        .iter()
        .map(|error| {
            let place = error.span.source.map(|at| sources.line_column(at, error.span.start));
            assert_eq!(place.map(|(line, _)| line), Some(4), "{statement}");
            error.message.clone()
        })
        .collect();
    let expected: Vec<&str> = expected.into_iter().collect();
    assert_eq!(messages, expected, "{statement}");
}

#[test]
fn only_a_compare_and_swap_fails() {
    let none = Some("only a compare-and-swap has an order for when it fails");
    check("r = load(x, acquire, failing(relaxed))", none);
    check("store(x, 1, failing(relaxed))", none);
    check("r = load(x, exclusive); r = store_exclusive(x, 1, failing(relaxed))", none);
    check("r = xchg(x, 1, failing(acquire))", none);
    check("r = fetch_add(x, 1, seq_cst, failing(seq_cst))", none);
    check("r = cas(x, 0, 1, failing(seq_cst))", None);
    check("cmpxchg(x, 0, 1, bytes(4), failing(acquire), release)", None);
}

#[test]
fn a_failure_loads() {
    for order in ["relaxed", "acquire", "seq_cst"] {
        check(&format!("cas(x, 0, 1, acq_rel, failing({order}))"), None);
    }
    for order in ["volatile", "release", "acq_rel"] {
        let message = format!("a compare-and-swap that fails cannot be {order}");
        check(&format!("cas(x, 0, 1, acq_rel, failing({order}))"), Some(&message));
    }
}

#[test]
fn an_order_on_failure_is_written_once_and_in_parentheses() {
    check("cas(x, 0, 1, failing(strong))", Some("expected an order, found `strong`"));
    check("cas(x, 0, 1, failing)", Some("expected `(`, found `)`"));
    check(
        "cas(x, 0, 1, failing(relaxed), failing(acquire))",
        Some(
            "expected one order, `failing(order)`, `exclusive`, and `bytes(n)` or `across(type)`, found `failing`",
        ),
    );
}
