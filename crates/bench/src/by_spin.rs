//! Spin, compiled with `-O2`.
//!
//! Without reductions it stores the plain SC states of the program, no more and no less (see the
//! crate `spin` for the flags that this takes); with them it reduces partial orders and resets dead
//! variables, as it does by default. The depth that suffices is found first and not measured.
//!
//! The size of its table matters: 2^24 slots, its default, cost a small exploration more than
//! everything else, and fewer slots slow down a large one. So the first run of a program uses the
//! default and only counts; the others use a table for four times as many states, but no less than
//! 2^10 slots.

use std::collections::BTreeMap;

use program::Program;
use spin::{Options, Query, Reason, Verdict, reach};

use crate::measured::{Budget, Explorer, Measured, Outcome};

/// Spin, which remembers how large a table each program needs.
#[derive(Default)]
pub(crate) struct Spin {
    table_bits: BTreeMap<(String, usize, bool), u8>,
}

const DEFAULT_TABLE_BITS: u8 = 24;
const LARGEST_TABLE_BITS: u8 = 30;

impl Explorer for Spin {
    fn name(&self) -> &'static str {
        "spin"
    }

    fn run(&mut self, program: &Program, reductions: bool, budget: &Budget) -> Outcome {
        let threads = program.threads().map_or(0, |threads| threads.len());
        let key = (program.name().to_owned(), threads, reductions);
        let known = self.table_bits.get(&key).copied();
        let first = explore(program, reductions, budget, known.unwrap_or(DEFAULT_TABLE_BITS));
        let Outcome::Explored(measured) = first else { return first };
        if known.is_some() {
            return first;
        }
        let bits = table_bits(measured.states);
        self.table_bits.insert(key, bits);
        if bits == DEFAULT_TABLE_BITS { first } else { explore(program, reductions, budget, bits) }
    }
}

/// Slots for four times as many states.
fn table_bits(states: u64) -> u8 {
    let bits = (states * 4).max(1).ilog2();
    u8::try_from(bits).unwrap_or(LARGEST_TABLE_BITS).clamp(10, LARGEST_TABLE_BITS)
}

fn explore(program: &Program, reduce: bool, budget: &Budget, table_bits: u8) -> Outcome {
    let query = Query { faults: true, ..Query::default() };
    let options = Options {
        reduce,
        table_bits,
        optimise: true,
        // A machine may be busy; but not that busy.
        timeout: Some(budget.time * 10),
        cpu_limit: Some(budget.time),
        memory: budget.memory,
    };
    let answer = match reach(program, &query, &options) {
        Ok(answer) => answer,
        Err(failure) => panic!("{}: {failure}", program.name()),
    };
    let seconds =
        |time: Option<std::time::Duration>| time.map_or(f64::NAN, |time| time.as_secs_f64());
    match answer.verdict {
        Verdict::Holds => Outcome::Explored(Measured {
            states: answer.statistics.states,
            cpu_seconds: seconds(answer.statistics.search),
            wall_seconds: answer.statistics.elapsed.as_secs_f64(),
            bytes: answer.statistics.bytes,
            preparation_seconds: seconds(answer.statistics.preparation),
        }),
        Verdict::Undecided(Reason::Time) => Outcome::OverTime,
        Verdict::Undecided(Reason::Memory) => Outcome::OverMemory,
        Verdict::Undecided(
            reason @ (Reason::Beyond32Bits | Reason::BusyWaits | Reason::BlockingUpdates),
        ) => panic!("{}: {reason}", program.name()),
        Verdict::Violated(violation) => {
            panic!("{} violates mutual exclusion: {violation:?}", program.name())
        }
    }
}
