//! Which additions of a constant are steps through an array: those whose result comes back to be added to
//! again. Taken one by one they would have no end, so such a step may lead to any multiple.

use llvm::{Function, LocalId, Operation, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The results of address computations that lie on a cycle of values and local variables, or that are put
/// back into memory.
pub(crate) fn repeated(
    function: &Function,
    is_value: impl Fn(LocalId) -> bool,
) -> FxHashSet<LocalId> {
    let count = function.locals.len();
    let mut edges: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut moves = Vec::new();
    let mut stored = FxHashSet::default();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        let mut from = |value: &Value, to: LocalId| {
            if let Value::Local(local) = value {
                edges[local.index()].push(to.0);
            }
        };
        match (&instruction.operation, instruction.result) {
            (Operation::GetElementPtr { base, .. }, Some(result)) => {
                from(&base.value, result);
                moves.push(result);
            }
            (Operation::Binary { left, right, .. }, Some(result)) => {
                from(&left.value, result);
                from(&right.value, result);
                moves.push(result);
            }
            (Operation::Phi { incoming, .. }, Some(result)) => {
                for (value, _) in incoming {
                    from(value, result);
                }
            }
            (Operation::Select { then, otherwise, .. }, Some(result)) => {
                from(&then.value, result);
                from(&otherwise.value, result);
            }
            (Operation::Cast { value, .. } | Operation::Freeze(value), Some(result)) => {
                from(&value.value, result);
            }
            (Operation::Load { address, .. }, Some(result)) => from(&address.value, result),
            (Operation::Store { value, address, .. }, None) => {
                if let Value::Local(local) = address.value
                    && is_value(local)
                {
                    from(&value.value, local);
                } else if let Value::Local(local) = value.value {
                    stored.insert(local);
                }
            }
            (_, Some(_) | None) => {}
        }
    }
    let component = components(&edges);
    let mut sizes: FxHashMap<u32, u32> = FxHashMap::default();
    for one in &component {
        *sizes.entry(*one).or_default() += 1;
    }
    moves
        .into_iter()
        .filter(|local| {
            let at = component[local.index()];
            sizes[&at] > 1 || edges[local.index()].contains(&local.0) || stored.contains(local)
        })
        .collect()
}

/// The strongly connected component of each node, by Tarjan's algorithm without recursion.
pub(crate) fn components(edges: &[Vec<u32>]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let count = edges.len();
    let (mut number, mut low) = (vec![NONE; count], vec![0_u32; count]);
    let (mut is_open, mut found) = (vec![false; count], vec![NONE; count]);
    let (mut stack, mut next, mut components) = (Vec::new(), 0_u32, 0_u32);
    for start in 0..count {
        if number[start] != NONE {
            continue;
        }
        let mut walk = vec![(start, 0_usize)];
        while let Some((node, at)) = walk.pop() {
            if at == 0 {
                number[node] = next;
                low[node] = next;
                next += 1;
                is_open[node] = true;
                stack.push(node);
            }
            if let Some(to) = edges[node].get(at) {
                let to = *to as usize;
                walk.push((node, at + 1));
                if number[to] == NONE {
                    walk.push((to, 0));
                } else if is_open[to] {
                    low[node] = low[node].min(number[to]);
                }
                continue;
            }
            if let Some((before, _)) = walk.last() {
                low[*before] = low[*before].min(low[node]);
            }
            if low[node] == number[node] {
                while let Some(one) = stack.pop() {
                    is_open[one] = false;
                    found[one] = components;
                    if one == node {
                        break;
                    }
                }
                components += 1;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_are_cycles() {
        let edges = [vec![1], vec![2], vec![0, 3], vec![4], vec![], vec![5, 4]];
        let found = components(&edges);
        assert!(found[0] == found[1] && found[1] == found[2]);
        assert!(found[3] != found[0] && found[4] != found[3] && found[5] != found[4]);
    }
}
