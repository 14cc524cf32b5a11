//! Whether what was seen is possible.
//!
//! Two claims of Fencewright are put to the test. A final state that was seen must be among those that
//! exploring all states under TSO finds; and if the program is robust, among those under SC. They are
//! independent: the first is about the buffers as they are explored, the second about the theorem that
//! says when they do not matter. Of a fault it is asked whether TSO has one at all.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use analysis::{
    Criterion, Options, Outcome, Outcomes, Progress, Query, Verdict, check, outcomes, reach,
    reach_with_buffers,
};
use program::{Observable, Parameterised, Program, Quantifier};
use semantics::Model;

use crate::seen::{Ending, Seen};

/// What was seen, with what is known about it.
pub struct Judgement {
    /// All ways in which runs ended, with how often, in order.
    pub endings: Vec<(Ending, u64, Judged)>,
    /// How many final states TSO has, if all are known.
    pub possible: Option<usize>,
    /// How many of them SC does not have, if that is known.
    pub weak: Option<usize>,
    /// Whether there is anything to look for: under TSO something can go wrong, or end as under SC it
    /// cannot.
    pub can_violate: Option<bool>,
}

/// What is known about an ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Judged {
    /// Whether TSO has it.
    pub possible: Possible,
    /// Whether SC has it, if that is known.
    pub under_sc: Option<bool>,
    /// Whether the program says that it must not happen: a fault, or a state that its `never` or
    /// `always` rules out.
    pub is_wrong: bool,
}

/// Whether something can happen under TSO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Possible {
    /// It can.
    Yes,
    /// It cannot, and yet it was seen: the exploration of all states does not have it.
    NotExplored,
    /// It cannot, and yet it was seen: the program is said to be robust, and SC does not have it.
    NotRobust,
    /// That is not known, or not asked: the run did not come to an end.
    Unknown,
}

impl Judged {
    const UNKNOWN: Self = Self { possible: Possible::Unknown, under_sc: None, is_wrong: false };

    /// Whether this must not be seen.
    pub const fn is_impossible(self) -> bool {
        match self.possible {
            Possible::NotExplored | Possible::NotRobust => true,
            Possible::Yes | Possible::Unknown => false,
        }
    }

    /// Whether it is what somebody looks for: wrong, or not under SC.
    pub const fn is_violating(self) -> bool {
        self.is_wrong || matches!(self.under_sc, Some(false))
    }
}

/// What is known about what was seen. The limits of the options are for each search.
pub fn judge(
    program: &Program,
    seen: &Seen,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Judgement, Parameterised> {
    let criteria = [Criterion::Robustness];
    let checked = check(program, &criteria, options, &mut watch)?;
    let is_robust = checked.iter().any(|one| matches!(one.verdict, Verdict::Holds(_)));
    let sc = Known::of(outcomes(program, Model::Sc, options, &mut watch)?);
    let faults = faults(program, is_robust, options, &mut watch)?;
    let tso = Known::of(outcomes(program, Model::Tso, options, &mut watch)?);
    let mut endings = Vec::new();
    for (ending, count) in &seen.endings {
        let judged = match ending {
            Ending::Final(outcome) => {
                let under_sc = sc.has(outcome);
                let possible = match (under_sc, tso.has(outcome)) {
                    (_, Some(false)) => Possible::NotExplored,
                    (Some(false), _) if is_robust => Possible::NotRobust,
                    (Some(true), _) | (_, Some(true)) => Possible::Yes,
                    (Some(false) | None, None) => Possible::Unknown,
                };
                Judged { possible, under_sc, is_wrong: tso.rules_out(program, outcome) }
            }
            Ending::Fault { .. } => faults,
            Ending::Stuck | Ending::Limit => Judged::UNKNOWN,
        };
        endings.push((ending.clone(), *count, judged));
    }
    // What TSO has, by exploring it or by the theorem.
    let all = if is_robust && !tso.is_complete { &sc } else { &tso };
    let possible = all.is_complete.then_some(all.found.len());
    let weak = (all.is_complete && sc.is_complete)
        .then(|| all.found.iter().filter(|outcome| !sc.found.contains(*outcome)).count());
    let is_wrong = |outcome: &Outcome| all.rules_out(program, outcome);
    let can_violate = if faults.possible == Possible::Yes || all.found.iter().any(is_wrong) {
        Some(true)
    } else {
        weak.filter(|_| faults.possible != Possible::Unknown).map(|weak| weak > 0)
    };
    Ok(Judgement { endings, possible, weak, can_violate })
}

/// The final states under a model, as far as they are known.
struct Known {
    all: Outcomes,
    found: BTreeSet<Outcome>,
    is_complete: bool,
}

impl Known {
    fn of(all: Outcomes) -> Self {
        let found = all.found.iter().cloned().collect();
        Self { is_complete: all.complete.is_ok(), found, all }
    }

    fn has(&self, outcome: &Outcome) -> Option<bool> {
        let is_found = self.found.contains(outcome);
        (is_found || self.is_complete).then_some(is_found)
    }

    /// Whether the program's question says that a final state must not be.
    fn rules_out(&self, program: &Program, outcome: &Outcome) -> bool {
        let question = program.question();
        let seen = |observable: Observable| self.all.see(program, outcome, observable);
        question.filter.as_ref().is_none_or(|filter| filter.holds(&seen))
            && match &question.condition {
                Some((Quantifier::Never, proposition)) => proposition.holds(&seen),
                Some((Quantifier::Always, proposition)) => !proposition.holds(&seen),
                Some((Quantifier::Exists, _)) | None => false,
            }
    }
}

/// What is known about faults. A robust program has those of SC.
fn faults(
    program: &Program,
    is_robust: bool,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Judged, Parameterised> {
    let query = Query { faults: true, ..Query::default() };
    let can = |verdict: &Verdict<analysis::Execution>| match verdict {
        Verdict::Holds(_) => Some(false),
        Verdict::Violated(_) => Some(true),
        Verdict::Undecided(_) => None,
    };
    let under_sc = can(&reach(program, &query, options, &mut watch)?.verdict);
    let under_tso = match under_sc {
        Some(true) => Some(true),
        Some(false) if is_robust => Some(false),
        Some(false) | None => can(&reach_with_buffers(program, &query, options, watch)?.verdict),
    };
    let possible = match under_tso {
        Some(true) => Possible::Yes,
        Some(false) => Possible::NotExplored,
        None => Possible::Unknown,
    };
    Ok(Judged { possible, under_sc, is_wrong: true })
}
