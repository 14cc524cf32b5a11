//! What the author of a source program wants to know before anything else, one function for each: does it
//! race, does it fail, does it end otherwise than under SC?
//!
//! [`plain_race`] looks for races in which an access is not atomic: in C11 and in Rust the program then has
//! no meaning at all. Races are those of [`crate::race`], between steps that are next in one SC state. (Under
//! the languages' own rules relaxed accesses do not keep plain ones apart; what that means on a machine is a
//! question about its memory model.)
//!
//! [`errors`] and [`results`], the final states, are about TSO. Both are given a proof that TSO has the plain states of SC, if
//! there is one ([`crate::portfolio`]), and explore buffers only if there is none.

use std::ops::ControlFlow;

use automata::View;
use explore::Progress;
use program::{Parameterised, Program};

use crate::evidence::{Evidence, lost, race_after};
use crate::patterns::{Searched, search, search_for_races};
use crate::proof::Proof;
use crate::race::undefined_race;
use crate::reach::{Query, not_searched, reach};
use crate::sc::Sc;
use crate::tso_only::{Seen, new_ends, with_fewest_delays};
use crate::under_tso::reach_with_buffers;
use crate::verdict::{Options, Statistics, Verdict};

/// Whether an access that is not atomic races with another one under SC, so that the program is undefined.
pub fn plain_race(
    program: &Program,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(Verdict<Evidence>, Statistics), Parameterised> {
    program.threads()?;
    if let Some(reason) = not_searched(program) {
        return Ok((Verdict::Undecided(reason), Statistics::default()));
    }
    let races = |sc: &Sc<'_>, state: &View<'_, Sc<'_>>| undefined_race(sc, state).is_some();
    let (searched, mut statistics) = search_for_races(program, (options, 1), &mut watch, races)?;
    let verdict = match searched {
        Searched::Exhausted(proof) => Verdict::Holds(proof),
        Searched::Undecided(reason) => Verdict::Undecided(reason),
        Searched::Found(found) => {
            // A shorter run may lead there by another order of steps.
            let (shortest, did) = search(program, (options, 1), &mut watch, races)?;
            statistics.include(&did);
            let found = match shortest {
                Searched::Found(shortest) => shortest,
                Searched::Exhausted(_) | Searched::Undecided(_) => found,
            };
            let run = found.first().unwrap_or_else(|| lost());
            Verdict::Violated(race_after(program, options, run, undefined_race)?)
        }
    };
    Ok((verdict, statistics))
}

/// Whether an assertion can fail, or a thread run into another error or a deadlock, under TSO. A run under
/// SC is one in which no store waits.
pub fn errors(
    program: &Program,
    same_states: Option<Proof>,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(Verdict<Evidence>, Statistics), Parameterised> {
    let query = Query { faults: true, deadlocks: true, ..Query::default() };
    let under_sc = reach(program, &query, options, &mut watch)?;
    let mut statistics = under_sc.statistics;
    let verdict = match (under_sc.verdict, same_states) {
        (Verdict::Holds(_), Some(proof)) => Verdict::Holds(proof),
        (Verdict::Holds(_), None) => {
            let report = reach_with_buffers(program, &query, options, &mut watch)?;
            statistics.include(&report.statistics);
            report.verdict
        }
        (verdict @ (Verdict::Violated(_) | Verdict::Undecided(_)), _) => verdict,
    };
    let shown = |run| Evidence::TsoOnly(Box::new(with_fewest_delays(program, &run)));
    Ok((verdict.map(shown), statistics))
}

/// Whether TSO has a final state that SC does not have, in what is seen of it. Runs that end with an error have
/// none, and are told by [`errors`].
pub fn results(
    program: &Program,
    seen: Seen,
    same_states: Option<Proof>,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(Verdict<Evidence>, Statistics), Parameterised> {
    program.threads()?;
    if let Some(proof) = same_states {
        return Ok((Verdict::Holds(proof), Statistics::default()));
    }
    let (verdict, statistics) = new_ends(program, (seen, false), (options, 1), &mut watch)?;
    let first = |runs: Vec<_>| {
        let run = runs.into_iter().next().unwrap_or_else(|| lost());
        Evidence::TsoOnly(Box::new(run))
    };
    Ok((verdict.map(first), statistics))
}
