//! Values and what can hold them. Small ones are likely, since they mean something to programs;
//! those at the ends of domains are not rare, since they break them.

use program::{Domain, IntType, Value};
use proptest::prelude::*;

/// Values from `low` to `high`, both included.
pub(crate) fn values_between(low: Value, high: Value) -> BoxedStrategy<Value> {
    let near = |value: Value| value.clamp(low, high);
    prop_oneof![
        6 => near(-2)..=near(9),
        1 => Just(low),
        1 => Just(high),
        1 => low..=high,
    ]
    .boxed()
}

/// Values that can come to rest in some domain.
pub(crate) fn values_at_rest() -> BoxedStrategy<Value> {
    values_between(Value::from(i64::MIN), Value::from(u64::MAX))
}

/// Values that an integer of undeclared range can hold.
pub(crate) fn integers() -> BoxedStrategy<Value> {
    values_between(Value::from(i64::MIN), Value::from(i64::MAX))
}

/// Types of every width.
pub(crate) fn int_types() -> impl Strategy<Value = IntType> {
    let bits = prop_oneof![proptest::sample::select(vec![8_u8, 16, 32, 64]), 1..=64_u8];
    (bits, any::<bool>())
        .prop_map(|(bits, signed)| IntType::new(bits, signed).expect("widths from 1 to 64"))
}

/// Domains of every kind.
pub(crate) fn domains() -> impl Strategy<Value = Domain> {
    prop_oneof![
        3 => Just(Domain::Integer),
        1 => (values_at_rest(), values_at_rest())
            .prop_map(|(a, b)| Domain::Range { low: a.min(b), high: a.max(b) }),
        1 => int_types().prop_map(Domain::Wrapping),
    ]
}

/// Values that `domain` can hold; zero, which everything can be given for, is the most likely.
pub(crate) fn values_of(domain: Domain) -> BoxedStrategy<Value> {
    let (low, high) = domain.bounds();
    prop_oneof![Just(0.clamp(low, high)), values_between(low, high)].boxed()
}
