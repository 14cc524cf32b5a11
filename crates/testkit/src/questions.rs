//! Questions about final states.

use program::index::Idx;
use program::{Count, Observable, Program, Proposition, Quantifier, Question, RegisterId, Value};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::values::values_at_rest;

/// Questions that a program can ask; none if it has nothing to look at.
pub(crate) fn questions(program: &Program) -> BoxedStrategy<Question> {
    let all = observables(program);
    if all.is_empty() {
        return Just(Question::default()).boxed();
    }
    let observable = select(all);
    let leaves = prop_oneof![
        1 => any::<bool>().prop_map(Proposition::Constant),
        6 => (observable.clone(), values_at_rest())
            .prop_map(|(seen, value)| Proposition::Equals(seen, value)),
    ];
    let propositions = leaves.prop_recursive(4, 10, 2, |inner| {
        let pair = (inner.clone(), inner.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        prop_oneof![
            inner.prop_map(|part| Proposition::Not(Box::new(part))),
            pair.clone().prop_map(|(a, b)| Proposition::And(a, b)),
            pair.clone().prop_map(|(a, b)| Proposition::Or(a, b)),
            pair.prop_map(|(a, b)| Proposition::Implies(a, b)),
        ]
    });
    let quantifiers = select(vec![Quantifier::Exists, Quantifier::Never, Quantifier::Always]);
    (
        vec(observable, 0..3),
        proptest::option::of(propositions.clone()),
        proptest::option::of((quantifiers, propositions)),
    )
        .prop_map(|(observed, filter, condition)| Question {
            observed,
            filter,
            condition,
            forbidden: None,
            told_as: Vec::new(),
        })
        .boxed()
}

/// What there is to see: the first cell of each location, and every register.
fn observables(program: &Program) -> Vec<Observable> {
    let cells = program.memory().locations().iter().map(|location| Observable::Cell(location.base));
    let registers = program.templates().enumerate().flat_map(|(id, template)| {
        let copies = match template.count() {
            Count::Exactly(count) => count,
            Count::Any => 0,
        };
        let registers = template.registers().len();
        (0..copies).flat_map(move |copy| {
            (0..registers).map(move |register| Observable::Register {
                template: id,
                copy,
                register: RegisterId::new(register),
            })
        })
    });
    let outside = match program.memory().outside() {
        program::Outside::ZeroCell => Some(Observable::Cell(Value::from(1_u32 << 30))),
        program::Outside::Fault => None,
    };
    cells.chain(registers).chain(outside).collect()
}
