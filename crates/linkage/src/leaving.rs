//! Statements that control leaves in ways that their text does not show.
//!
//! What a macro hides cannot be seen in the text that uses it: `CHECK(p);` may return, or leave a loop. Such a way
//! does not pass a fence behind the statement. In the control flow it can be seen: instructions of a statement that
//! has no condition of its own lead to one place behind it, but for those that a hidden jump leads elsewhere. Compilers
//! put blocks in the order of the text, and where hidden jumps lead to (the end of the function, of a loop or of its
//! body, a label) behind what follows the statement; so of several places the first is where control comes out
//! normally. (A backward `goto` in a macro is taken for that; then a fence is expected where there is none.)
//!
//! Unwinding is no way out here, as in the text.

use std::collections::{BTreeMap, BTreeSet};

use llvm::{Block, Function, Operation};

use crate::position::{Place, Position};

/// An instruction: its block and its number there.
pub type At = (u32, u32);

/// How control leaves a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// Where it comes out past a fence behind the statement.
    pub normally: At,
    /// Where it comes out otherwise.
    pub otherwise: Vec<At>,
    /// The blocks that it comes from.
    pub from: BTreeSet<u32>,
}

/// The statements of a function that control leaves in several ways, by the positions of its instructions.
pub fn left_unseen(
    function: &Function,
    mut position: impl FnMut(At) -> Option<Position>,
) -> BTreeMap<Place, Leaving> {
    let mut found = BTreeMap::new();
    let mut single = BTreeSet::new();
    for (number, block) in (0_u32..).zip(&function.blocks) {
        if ways(block).len() < 2 {
            continue;
        }
        // What depends on a condition belongs to what computes the condition, wherever compilers locate it.
        let last = u32::try_from(block.instructions.len() - 1).unwrap_or(u32::MAX);
        let Some(place) = position((number, last.saturating_sub(1))).and_then(|at| at.place) else {
            continue;
        };
        if place.decides || found.contains_key(&place) || !single.insert(place) {
            continue;
        }
        let leaving = leave(function, &mut position, (number, place));
        if let Some(leaving) = leaving.filter(|leaving| !leaving.otherwise.is_empty()) {
            found.insert(place, leaving);
        }
    }
    found
}

/// Where control comes out of a statement from the end of one of its blocks on.
fn leave(
    function: &Function,
    position: &mut impl FnMut(At) -> Option<Position>,
    (start, place): (u32, Place),
) -> Option<Leaving> {
    let mut from = BTreeSet::from([start]);
    let mut ends: BTreeSet<At> = BTreeSet::new();
    let mut open = ways(&function.blocks[start as usize]);
    while let Some(number) = open.pop() {
        let block = &function.blocks[number as usize];
        let mut goes_on = true;
        for (index, instruction) in (0_u32..).zip(&block.instructions) {
            let is_unreachable = matches!(instruction.operation, Operation::Unreachable);
            let is_return = matches!(instruction.operation, Operation::Return(_));
            if !is_unreachable
                && (is_return || position((number, index)).is_some_and(|it| is_behind(it, place)))
            {
                ends.insert((number, index));
                goes_on = false;
                break;
            }
        }
        if goes_on && from.insert(number) {
            open.extend(ways(block));
        }
    }
    let normally = ends.pop_first()?;
    Some(Leaving { normally, otherwise: ends.into_iter().collect(), from })
}

/// Whether a position is certainly not in a statement.
fn is_behind(position: Position, statement: Place) -> bool {
    let (span, whole) = (position.span, statement.span);
    let is_within =
        span.source == whole.source && span.start >= whole.start && span.end <= whole.end;
    span.source.is_some() && position.place != Some(statement) && !is_within
}

/// Where control goes on after a block, unwinding aside.
fn ways(block: &Block) -> Vec<u32> {
    let Some(last) = block.instructions.last() else { return Vec::new() };
    let to = if let Operation::Invoke { normal, .. } = &last.operation {
        vec![*normal]
    } else {
        last.operation.successors()
    };
    let mut all: Vec<u32> = to.iter().map(|one| one.0).collect();
    all.sort_unstable();
    all.dedup();
    all
}
