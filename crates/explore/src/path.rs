//! A shortest path to a state, found after the search from the depths that the set keeps.
//!
//! Going back from the goal, a predecessor is looked for among the states one level up. Depths are
//! known modulo 256 only, but that is enough: a state from which one step leads to depth `d` has at
//! least depth `d − 1`, and the search knows no state deeper than `d`. Each level is expanded at
//! most once more, so the path costs at most what the search did, and no memory.

use crate::set::Shard;
use crate::{State, System};

/// The states from an initial one to `goal`, which is `depth` steps away. Of several predecessors
/// the least is taken, so that the path does not depend on the order of the search.
pub(crate) fn to<const W: usize, S: System<W>>(
    system: &S,
    shards: &[Shard<W>],
    goal: State<W>,
    depth: u64,
) -> Vec<State<W>> {
    let mut path = vec![goal];
    let mut target = goal;
    for level in (0..depth).rev() {
        let candidates = shards.iter().flat_map(|shard| shard.at_depth(level.to_le_bytes()[0]));
        let leads_to_target = |state: &State<W>| {
            let mut leads = false;
            system.successors(state, |successor| leads |= successor == target);
            leads
        };
        target = candidates
            .filter(leads_to_target)
            .min()
            .expect("every state that was found has a predecessor, unless it is initial");
        path.push(target);
    }
    path.reverse();
    path
}
