//! Nodes of a graph in the order in which people read them.

/// The nodes that can be reached from the first: each after those that lead to it, loops apart, and what stands first
/// among the successors of a node before the others.
pub(crate) fn reading_order(
    nodes: usize,
    first: usize,
    successors: impl Fn(usize) -> Vec<usize>,
) -> Vec<usize> {
    let mut is_met = vec![false; nodes];
    let mut left = Vec::new();
    let reversed = |node: usize| -> Vec<usize> { successors(node).into_iter().rev().collect() };
    is_met[first] = true;
    let mut path = vec![(first, reversed(first).into_iter())];
    while let Some((node, next)) = path.last_mut() {
        match next.next() {
            Some(next) if !is_met[next] => {
                is_met[next] = true;
                path.push((next, reversed(next).into_iter()));
            }
            Some(_) => {}
            None => {
                left.push(*node);
                path.pop();
            }
        }
    }
    left.reverse();
    left
}

#[cfg(test)]
mod tests {
    use super::reading_order;

    #[test]
    fn what_comes_first_is_read_first() {
        // A branch whose ways meet, a loop around it, and a node that nothing leads to.
        let graph = [vec![1, 2], vec![3], vec![3], vec![0, 4], vec![], vec![0]];
        assert_eq!(reading_order(6, 0, |node| graph[node].clone()), [0, 1, 2, 3, 4]);
    }
}
