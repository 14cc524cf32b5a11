//! The cheapest fences that enforce a criterion, by trying all sets of positions, cheaper sets first.
//!
//! Two shortcuts are taken. A candidate is dropped if no store can ever wait in the buffer of its
//! thread at any of its positions: such a fence never makes anything wait, and other fences only
//! make buffers emptier. And nothing is tried if all candidates together do not help: a fence only
//! forbids computations of TSO and leaves SC as it is (but for one more local step), so a set that
//! fails does not contain one that works.

use std::collections::BTreeSet;

use program::Program;

use crate::code::{Code, Position, insert_fences, instantiate, positions};
use crate::explore::positions_with_stores_waiting;
use crate::limits::{Exceeded, Limits};
use crate::verdicts::{Criterion, code_satisfies};

/// A decision that costs one fence: the positions that are fenced together.
pub type Candidate = Vec<Position>;

/// Every label of every concrete thread that something leaves, each on its own (ESOP'13 §5).
pub fn label_candidates(program: &Program) -> Result<Vec<Candidate>, Exceeded> {
    Ok(positions(&instantiate(program)?).0.into_iter().map(|position| vec![position]).collect())
}

/// After every edge of every concrete thread, each on its own (ESOP'15 §9).
pub fn edge_candidates(program: &Program) -> Result<Vec<Candidate>, Exceeded> {
    Ok(positions(&instantiate(program)?).1.into_iter().map(|position| vec![position]).collect())
}

/// The first of the cheapest sets of candidates that enforce the criterion, as increasing indices
/// into `candidates`: smaller sets before larger ones of the same cost, otherwise in lexicographic
/// order. Nothing if all together do not. `cost` says what each candidate costs.
pub fn minimum_fences(
    program: &Program,
    criterion: Criterion,
    candidates: &[Candidate],
    cost: impl Fn(usize) -> u64,
    limits: &Limits,
) -> Result<Option<Vec<usize>>, Exceeded> {
    let code = instantiate(program)?;
    if code_satisfies(&code, criterion, limits)? {
        return Ok(Some(Vec::new()));
    }
    let useful = positions_with_stores_waiting(&code, limits)?;
    let tried: Vec<usize> = (0..candidates.len())
        .filter(|at| candidates[*at].iter().any(|position| useful.contains(position)))
        .collect();
    if !works(&code, criterion, candidates, &tried, limits)? {
        return Ok(None);
    }
    let mut frontier = BTreeSet::from([(0, 0, Vec::new())]);
    while let Some((so_far, size, set)) = frontier.pop_first() {
        if size > 0 && works(&code, criterion, candidates, &set, limits)? {
            return Ok(Some(set));
        }
        // Every set grows out of exactly one other, which costs less.
        let larger = tried.iter().filter(|next| set.last().is_none_or(|last| *next > last));
        for next in larger {
            let set = [&set[..], &[*next]].concat();
            frontier.insert((so_far + cost(*next), size + 1, set));
        }
    }
    Ok(None)
}

fn works(
    code: &Code,
    criterion: Criterion,
    candidates: &[Candidate],
    set: &[usize],
    limits: &Limits,
) -> Result<bool, Exceeded> {
    let mut positions: Vec<Position> =
        set.iter().flat_map(|at| candidates[*at].iter().copied()).collect();
    positions.sort_unstable();
    positions.dedup();
    code_satisfies(&insert_fences(code, positions.into_iter()), criterion, limits)
}
