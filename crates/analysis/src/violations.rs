//! Several violations of one criterion at once, for who wants to repair a program: as many as one
//! search finds near each other, each checked like any other evidence, none made as short as it could
//! be.

use std::ops::ControlFlow;

use explore::Progress;
use program::{Parameterised, Program};

use crate::criterion::Criterion;
use crate::evidence::{Evidence, evidence};
use crate::patterns::{CriterionSet, Searched, search, shown};
use crate::portfolio::{has_delays, has_pivots, same_states_as_sc};
use crate::proof::Basis;
use crate::reach::not_searched;
use crate::robustness::witnesses;
use crate::tso_only::{Seen, new_ends};
use crate::verdict::{Options, Statistics, Verdict};
use crate::whole::whole;

/// Up to `most` violations of a criterion, at least one if it is violated at all.
pub fn violations(
    program: &Program,
    criterion: Criterion,
    (options, most): (&Options, usize),
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(Verdict<Vec<Evidence>>, Statistics), Parameterised> {
    match criterion {
        Criterion::Robustness => {
            if options.critical_cycles && !has_delays(program) {
                let (whole, statistics) = whole(program, options, &mut watch)?;
                return Ok((Verdict::of_whole(Basis::NoCriticalCycle, whole), statistics));
            }
            let (verdict, statistics) = witnesses(program, (options, most), &mut watch)?;
            let cycles = |all: Vec<_>| {
                all.into_iter().map(|witness| Evidence::Cycle(Box::new(witness))).collect()
            };
            Ok((verdict.map(cycles), statistics))
        }
        Criterion::Drf | Criterion::Trf | Criterion::Persistence => {
            if let Some(reason) = not_searched(program) {
                return Ok((Verdict::Undecided(reason), Statistics::default()));
            }
            if criterion != Criterion::Drf && !has_pivots(program) {
                let (whole, statistics) = whole(program, options, &mut watch)?;
                return Ok((Verdict::of_whole(Basis::ControlFlow, whole), statistics));
            }
            let bit = CriterionSet::of(criterion);
            let (searched, statistics) =
                search(program, (options, most), &mut watch, |sc, view| shown(sc, view, bit) != 0)?;
            let verdict = match searched {
                Searched::Exhausted(proof) => Verdict::Holds(proof),
                Searched::Undecided(reason) => Verdict::Undecided(reason),
                Searched::Found(runs) => {
                    let of_run = |run: &Vec<_>| evidence(program, options, criterion, run);
                    Verdict::Violated(runs.iter().map(of_run).collect::<Result<_, _>>()?)
                }
            };
            Ok((verdict, statistics))
        }
        Criterion::States => {
            let (implied, mut statistics) = same_states_as_sc(program, options, &mut watch)?;
            if let Some(proof) = implied {
                return Ok((Verdict::Holds(proof), statistics));
            }
            let (verdict, did) =
                new_ends(program, (Seen::Everything, true), (options, most), &mut watch)?;
            statistics.include(&did);
            let elsewhere = |runs: Vec<_>| {
                runs.into_iter().map(|run| Evidence::TsoOnly(Box::new(run))).collect()
            };
            Ok((verdict.map(elsewhere), statistics))
        }
    }
}
