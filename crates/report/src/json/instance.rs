//! An instance of a program with any number of threads.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// How many copies there are of each thread that can have any number, and whether no smaller instance
/// shows the same.
#[derive(Serialize, JsonSchema)]
pub(super) struct Instance<'a> {
    counts: BTreeMap<&'a str, u32>,
    smallest: bool,
}

impl<'a> Instance<'a> {
    pub(super) fn of(instance: &'a analysis::parameterised::Instance) -> Self {
        let counts = instance.counts.iter().map(|(name, count)| (name.as_str(), *count));
        Self { counts: counts.collect(), smallest: instance.is_smallest }
    }
}
