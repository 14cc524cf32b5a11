//! What `confirm` has to say about one input.

use std::collections::BTreeMap;

use analysis::final_states::{see, shown};
use confirm::{Ending, Judged, Judgement, Possible, Seen};
use frontend::Words;
use program::{Observable, Program, Sources, Span, Value};

/// An answer, ready to be told.
pub struct Answer<'a> {
    /// What was seen.
    pub seen: &'a Seen,
    /// What is known about it.
    pub judgement: &'a Judgement,
    /// How final states are told.
    pub words: Words<'a>,
    /// What is shown of them.
    pub(crate) shown: Vec<Observable>,
    /// What is shown, with how often it was seen and what is known about it.
    pub(crate) states: Vec<(Vec<Value>, u64, Judged)>,
    /// Where something failed, with how often and what is known about it.
    pub(crate) faults: Vec<(Span, String, u64, Judged)>,
    /// How many runs did not come to an end.
    pub(crate) stuck: u64,
    /// How many went where the model has a limit.
    pub(crate) limited: u64,
}

/// What it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Something was seen that must not be.
    Impossible,
    /// What goes wrong, or what SC does not have, was seen so many times.
    Seen(u64),
    /// It was not seen.
    NotSeen,
    /// There is no such thing.
    Nothing,
    /// It is not known whether what was seen is such a thing, or whether there is one.
    Undecided,
}

impl<'a> Answer<'a> {
    /// An answer about a program.
    pub fn new(
        program: &Program,
        seen: &'a Seen,
        judgement: &'a Judgement,
        words: Words<'a>,
    ) -> Self {
        let threads = program.threads().unwrap_or_default();
        let outcomes: Vec<_> = judgement
            .endings
            .iter()
            .filter_map(|(ending, ..)| match ending {
                Ending::Final(outcome) => Some(outcome.clone()),
                Ending::Fault { .. } | Ending::Stuck | Ending::Limit => None,
            })
            .collect();
        let shown =
            shown(program, &threads, (&outcomes, &[]), analysis::tso_only::Seen::Everything);
        let mut states: BTreeMap<(Vec<Value>, Judged), u64> = BTreeMap::new();
        let mut faults = Vec::new();
        let (mut stuck, mut limited) = (0, 0);
        for (ending, count, judged) in &judgement.endings {
            match ending {
                Ending::Final(outcome) => {
                    let values: Vec<Value> =
                        shown.iter().map(|it| see(program, &threads, outcome, *it)).collect();
                    // What looks the same is one line, unless something else is known about it.
                    *states.entry((values, *judged)).or_default() += count;
                }
                Ending::Fault { thread, edge } => {
                    let thread = &threads[*thread];
                    let span = program.template(thread.template).edge(*edge).span;
                    faults.push((span, thread.name.clone(), *count, *judged));
                }
                Ending::Stuck => stuck += count,
                Ending::Limit => limited += count,
            }
        }
        let states = states.into_iter().map(|((values, judged), count)| (values, count, judged));
        Self { seen, judgement, words, shown, states: states.collect(), faults, stuck, limited }
    }

    /// What it comes to.
    pub fn verdict(&self) -> Verdict {
        let all = || self.judgement.endings.iter();
        if all().any(|(_, _, judged)| judged.is_impossible()) {
            return Verdict::Impossible;
        }
        let violating = all().filter(|(_, _, judged)| judged.is_violating());
        let often: u64 = violating.map(|(_, count, _)| count).sum();
        let is_doubtful = |ending: &Ending, judged: Judged| match ending {
            Ending::Final(_) | Ending::Fault { .. } => judged.possible == Possible::Unknown,
            Ending::Stuck | Ending::Limit => false,
        };
        if often > 0 {
            Verdict::Seen(often)
        } else if all().any(|(ending, _, judged)| is_doubtful(ending, *judged)) {
            Verdict::Undecided
        } else {
            match self.judgement.can_violate {
                Some(true) => Verdict::NotSeen,
                Some(false) => Verdict::Nothing,
                None => Verdict::Undecided,
            }
        }
    }

    /// What is violated, where something is.
    pub(crate) fn violation(&self) -> &'static str {
        let any = |is_meant: &dyn Fn(&Judged) -> bool| {
            self.states.iter().any(|(_, _, judged)| is_meant(judged))
        };
        if !self.faults.is_empty() {
            "an error"
        } else if any(&|judged| judged.is_wrong) {
            "a final state that the program rules out"
        } else {
            "a final state that sequential consistency does not have"
        }
    }

    /// How many different final states of TSO were seen.
    pub(crate) fn different(&self) -> usize {
        let is_final = |ending: &Ending| matches!(ending, Ending::Final(_));
        self.judgement.endings.iter().filter(|(ending, ..)| is_final(ending)).count()
    }

    /// The line of a place, where there is one.
    pub(crate) fn line(sources: &Sources, span: Span) -> Option<usize> {
        span.source.map(|source| sources.line_column(source, span.start).0)
    }
}
