//! Several violations of one criterion at once, for who wants to repair a program: as many as one
//! search finds near each other, each checked like any other evidence, none made as short as it could
//! be.

use std::ops::ControlFlow;

use explore::Progress;
use program::{Parameterised, Program};

use crate::check::{Criterion, Looks, Searched, has_pivots, search, shown};
use crate::elsewhere::{has_states_of_sc, new_ends};
use crate::evidence::{Evidence, evidence};
use crate::reach::not_searched;
use crate::robustness::witnesses;
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
            if criterion != Criterion::Drf && !has_pivots(program)? {
                let (whole, statistics) = whole(program, options, &mut watch)?;
                return Ok((Verdict::of_whole(whole), statistics));
            }
            let bit = Looks::of(criterion);
            let (searched, statistics) =
                search(program, (options, most), &mut watch, |sc, view| shown(sc, view, bit) != 0)?;
            let verdict = match searched {
                Searched::Exhausted(whole) => Verdict::Holds(whole),
                Searched::Undecided(reason) => Verdict::Undecided(reason),
                Searched::Found(runs) => {
                    let of_run = |run: &Vec<_>| evidence(program, options, criterion, run);
                    Verdict::Violated(runs.iter().map(of_run).collect::<Result<_, _>>()?)
                }
            };
            Ok((verdict, statistics))
        }
        Criterion::States => {
            let (verdict, mut statistics) = new_ends(program, (options, most), &mut watch)?;
            let verdict = match verdict {
                Verdict::Undecided(reason) => {
                    // Another criterion may imply it, however long buffers become.
                    let implied = has_states_of_sc(program, options, &mut statistics, &mut watch)?;
                    implied.map_or(Verdict::Undecided(reason), Verdict::Holds)
                }
                decided @ (Verdict::Holds(_) | Verdict::Violated(_)) => decided,
            };
            let elsewhere = |runs: Vec<_>| {
                runs.into_iter().map(|run| Evidence::Elsewhere(Box::new(run))).collect()
            };
            Ok((verdict.map(elsewhere), statistics))
        }
    }
}
