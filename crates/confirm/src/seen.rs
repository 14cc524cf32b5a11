//! What a test says when it is done.

use std::collections::BTreeMap;
use std::time::Duration;

use analysis::Outcome;
use program::index::Idx;
use program::{EdgeId, IndexVec, Program, ThreadId, Value};

use crate::code::Test;

/// What was seen in all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// How many runs there were.
    pub runs: u64,
    /// On how many processors.
    pub processors: usize,
    /// How long it took.
    pub elapsed: Duration,
    /// How runs ended, each with how often.
    pub endings: BTreeMap<Ending, u64>,
    /// How many runs ended in yet other ways.
    pub uncounted: u64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// All threads came to their ends.
    Final(Outcome),
    /// This instruction failed.
    Fault {
        /// Whose it is.
        thread: ThreadId,
        /// Which.
        edge: EdgeId,
    },
    /// Some thread was stuck or took too long.
    Stuck,
    /// The run went where the model has a limit.
    Limit,
}

/// The numbers by which a test says how a thread ended.
const ENDED: i64 = 0;
const STUCK: i64 = 1;
const LIMIT: i64 = 2;
const FAULT: i64 = 3;

impl Seen {
    /// What a test has written; nothing if it is not complete.
    pub(crate) fn parse(program: &Program, test: &Test, text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next()?.split(' ').collect();
        let ["runs", runs, "processors", processors, "seconds", seconds, "uncounted", uncounted] =
            head.as_slice()
        else {
            return None;
        };
        let mut seen = Self {
            runs: runs.parse().ok()?,
            processors: processors.parse().ok()?,
            elapsed: Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?,
            endings: BTreeMap::new(),
            uncounted: uncounted.parse().ok()?,
        };
        loop {
            let line = lines.next()?;
            if line == "done" {
                return Some(seen);
            }
            let mut words = line.split(' ');
            let count: u64 = words.next()?.parse().ok()?;
            *seen.endings.entry(ending(program, test, &mut words)?).or_default() += count;
        }
    }

    /// How often runs ended in a way.
    pub fn count(&self, is_meant: impl Fn(&Ending) -> bool) -> u64 {
        self.endings.iter().filter(|(ending, _)| is_meant(ending)).map(|(_, count)| count).sum()
    }
}

fn ending<'t>(
    program: &Program,
    test: &Test,
    words: &mut impl Iterator<Item = &'t str>,
) -> Option<Ending> {
    let mut worst = ENDED;
    for thread in test.threads.indices() {
        let end: i64 = words.next()?.parse().ok()?;
        if end >= FAULT {
            let edge = EdgeId::new(usize::try_from(end - FAULT).ok()?);
            return Some(Ending::Fault { thread, edge });
        }
        worst = worst.max(end);
    }
    match worst {
        ENDED => {}
        STUCK => return Some(Ending::Stuck),
        LIMIT => return Some(Ending::Limit),
        _ => return None,
    }
    let mut registers = IndexVec::new();
    for count in &test.registers {
        let values: Option<Vec<Value>> = (0..*count).map(|_| register(words.next()?)).collect();
        registers.push(values?.into_iter().collect());
    }
    let mut changed_memory = BTreeMap::new();
    for (address, is_signed) in &test.cells {
        let content = u64::from_str_radix(words.next()?, 16).ok()?;
        let value =
            if *is_signed { Value::from(content.cast_signed()) } else { Value::from(content) };
        if program.memory().cell(*address).ok()?.initial != value {
            changed_memory.insert(*address, value);
        }
    }
    Some(Ending::Final(Outcome { registers, changed_memory }))
}

/// The two halves of a value.
fn register(word: &str) -> Option<Value> {
    let (high, low) = word.split_once(':')?;
    let half = |text: &str| u64::from_str_radix(text, 16).ok().map(u128::from);
    Some((half(high)? << 64 | half(low)?).cast_signed())
}
