//! What an update reads if others wait for what it writes.

use axiomatic::{Limits, Model, Outcomes, outcomes};
use frontend::{Language, Settings, load};
use program::{Sources, Value};

fn explored(text: &str, model: Model) -> Outcomes {
    let mut sources = Sources::new();
    let source = sources.add("handover", text);
    let program = load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    outcomes(&program, model, &Limits::default()).expect("few executions")
}

fn can_fault(text: &str, model: Model) -> bool {
    !explored(text, model).errors.is_empty()
}

#[test]
fn nobody_reads_what_follows_a_write_that_is_yet_to_come() {
    let main = "program handover; shared go
        thread main { local old; old = xchg(go, 1); assert old == 0 }";
    for model in Model::ALL {
        assert!(!can_fault(&format!("{main}; thread t {{ arw(go, 1, 1) }}"), model), "{model}");
        let chain = "thread t { arw(go, 1, 2) }; thread u { arw(go, 2, 1) }";
        assert!(!can_fault(&format!("{main}; {chain}"), model), "{model}");
        // There is another way to the value.
        let other = "thread t { arw(go, 1, 1) }; thread u { go = 1 }";
        assert!(can_fault(&format!("{main}; {other}"), model), "{model}");
    }
}

/// The first two registers of the first thread in all final states.
fn first_registers(text: &str, model: Model) -> Vec<Vec<Value>> {
    let states = explored(text, model).states.into_keys();
    states.map(|state| state.registers.as_slice()[0].iter().copied().take(2).collect()).collect()
}

#[test]
fn what_an_update_did_not_write_precedes_nothing() {
    // The comparison fails because of `x = 1`; what comes of the write after it can be read then.
    let text = "program late; shared x
        thread main { local did, r; did = cas(x, 0, 5); x = 7; r = x }
        thread t { arw(x, 7, 9) }; thread u { x = 1 }";
    for model in Model::ALL {
        let found = first_registers(text, model);
        assert!(found.contains(&vec![0, 9]) && found.contains(&vec![1, 9]), "{model}: {found:?}");
    }
}
