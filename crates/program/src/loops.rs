//! Loops: the strongly connected components of a control-flow graph (Tarjan, 1972; without recursion).

/// The strongly connected components with a cycle of a graph with this many nodes, each in no
/// particular order, those that others lead to first.
pub fn loops(nodes: usize, successors: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let mut index = vec![NEW; nodes];
    let mut low = vec![0; nodes];
    let mut is_open = vec![false; nodes];
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for root in 0..nodes {
        if index[root] != NEW {
            continue;
        }
        // A node, its successors, and how many of them have been followed.
        let mut path: Vec<(usize, Vec<usize>, usize)> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                index[node] = next;
                low[node] = next;
                next += 1;
                is_open[node] = true;
                open.push(node);
                path.push((node, successors(node), 0));
            }
            let Some((node, list, followed)) = path.last_mut() else { break };
            let node = *node;
            if let Some(successor) = list.get(*followed).copied() {
                *followed += 1;
                if index[successor] == NEW {
                    enter = Some(successor);
                } else if is_open[successor] {
                    low[node] = low[node].min(index[successor]);
                }
                continue;
            }
            let has_loop_to_itself = list.contains(&node);
            path.pop();
            if let Some((before, ..)) = path.last() {
                low[*before] = low[*before].min(low[node]);
            }
            if low[node] == index[node] {
                let mut component = Vec::new();
                while let Some(member) = open.pop() {
                    is_open[member] = false;
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                if component.len() > 1 || has_loop_to_itself {
                    found.push(component);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::loops;

    #[test]
    fn components_are_those_of_reachability() {
        // Every graph with four nodes.
        for edges in 0_u32..1 << 16 {
            let leads = |from: usize, to: usize| edges >> (from * 4 + to) & 1 == 1;
            let successors = |from: usize| (0..4).filter(|to| leads(from, *to)).collect();
            let mut reaches = [[false; 4]; 4];
            for (from, row) in reaches.iter_mut().enumerate() {
                for (to, reached) in row.iter_mut().enumerate() {
                    *reached = leads(from, to);
                }
            }
            for middle in 0..4 {
                for from in 0..4 {
                    for to in 0..4 {
                        reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
                    }
                }
            }
            let mut expected: Vec<Vec<usize>> = Vec::new();
            for node in (0..4).filter(|node| reaches[*node][*node]) {
                let component =
                    (0..4).filter(|other| reaches[node][*other] && reaches[*other][node]).collect();
                if !expected.contains(&component) {
                    expected.push(component);
                }
            }
            let mut found = loops(4, successors);
            for component in &mut found {
                component.sort_unstable();
            }
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{edges:b}");
        }
    }
}
