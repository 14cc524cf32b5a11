//! The least number of fences that enforces a criterion, by trying all sets of positions, smaller
//! sets first.
//!
//! Two shortcuts are taken. A candidate is dropped if no store can ever wait in the buffer of its
//! thread at any of its positions: such a fence never makes anything wait, and other fences only
//! make buffers emptier. And nothing is tried if all candidates together do not help: a fence only
//! forbids computations of TSO and leaves SC as it is (but for one more local step), so a set that
//! fails does not contain one that works.

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

/// A smallest set of candidates that enforces the criterion, as increasing indices into
/// `candidates`: the first such set in lexicographic order. Nothing if all together do not.
pub fn minimum_fences(
    program: &Program,
    criterion: Criterion,
    candidates: &[Candidate],
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
    for size in 1..tried.len() {
        let mut chosen: Vec<usize> = (0..size).collect();
        loop {
            let set: Vec<usize> = chosen.iter().map(|at| tried[*at]).collect();
            if works(&code, criterion, candidates, &set, limits)? {
                return Ok(Some(set));
            }
            if !advance(&mut chosen, tried.len()) {
                break;
            }
        }
    }
    Ok(Some(tried))
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

/// The next choice of as many numbers below `bound`, in lexicographic order.
fn advance(chosen: &mut [usize], bound: usize) -> bool {
    let size = chosen.len();
    let Some(at) = (0..size).rev().find(|at| chosen[*at] < bound - size + at) else {
        return false;
    };
    chosen[at] += 1;
    for next in at + 1..size {
        chosen[next] = chosen[next - 1] + 1;
    }
    true
}
