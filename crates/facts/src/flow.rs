//! Control flow of a function: what follows a block, which blocks can be executed again, which block
//! every way to another passes.

use llvm::{Block, Function};

use crate::steps::components;

/// The control flow of a function.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) successors: Vec<Vec<u32>>,
    pub(crate) predecessors: Vec<Vec<u32>>,
    /// Whether a block may follow itself.
    pub(crate) is_repeated: Vec<bool>,
    /// Blocks that can be reached, each before those that follow it but for loops.
    pub(crate) order: Vec<u32>,
    /// The place of each block in that order.
    pub(crate) number: Vec<u32>,
    /// The nearest block that every way to a block passes; itself for the first.
    dominators: Vec<u32>,
}

impl Flow {
    pub(crate) fn new(function: &Function) -> Self {
        let successors: Vec<Vec<u32>> = function.blocks.iter().map(targets).collect();
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (block, targets) in (0_u32..).zip(&successors) {
            for target in targets {
                predecessors[*target as usize].push(block);
            }
        }
        let component = components(&successors);
        let mut sizes = vec![0_u32; successors.len()];
        for one in &component {
            sizes[*one as usize] += 1;
        }
        let is_repeated = (0_u32..)
            .zip(&component)
            .map(|(block, one)| {
                sizes[*one as usize] > 1 || successors[block as usize].contains(&block)
            })
            .collect();
        let order = reverse_postorder(&successors);
        let mut number = vec![u32::MAX; successors.len()];
        for (at, block) in (0_u32..).zip(&order) {
            number[*block as usize] = at;
        }
        let dominators = dominators(&order, &number, &predecessors);
        Self { successors, predecessors, is_repeated, order, number, dominators }
    }

    /// Whether every way to a block passes another.
    pub(crate) fn dominates(&self, above: u32, below: u32) -> bool {
        let mut at = below;
        loop {
            if at == above {
                return true;
            }
            let next = self.dominators[at as usize];
            if next == at || next == u32::MAX {
                return false;
            }
            at = next;
        }
    }
}

fn targets(block: &Block) -> Vec<u32> {
    let Some(last) = block.instructions.last() else { return Vec::new() };
    let mut all: Vec<u32> = last.operation.successors().iter().map(|one| one.0).collect();
    let mut seen = Vec::new();
    all.retain(|one| {
        let is_new = !seen.contains(one);
        seen.push(*one);
        is_new
    });
    all
}

fn reverse_postorder(successors: &[Vec<u32>]) -> Vec<u32> {
    let mut is_seen = vec![false; successors.len()];
    let mut order = Vec::new();
    if successors.is_empty() {
        return order;
    }
    is_seen[0] = true;
    let mut walk = vec![(0_u32, 0_usize)];
    while let Some((block, at)) = walk.pop() {
        if let Some(next) = successors[block as usize].get(at) {
            walk.push((block, at + 1));
            if !std::mem::replace(&mut is_seen[*next as usize], true) {
                walk.push((*next, 0));
            }
        } else {
            order.push(block);
        }
    }
    order.reverse();
    order
}

/// Cooper, Harvey and Kennedy, *A simple, fast dominance algorithm* (2001).
fn dominators(order: &[u32], number: &[u32], predecessors: &[Vec<u32>]) -> Vec<u32> {
    let mut found = vec![u32::MAX; number.len()];
    let Some(first) = order.first() else { return found };
    found[*first as usize] = *first;
    let mut changed = true;
    while changed {
        changed = false;
        for block in &order[1..] {
            let mut new = u32::MAX;
            for before in &predecessors[*block as usize] {
                if found[*before as usize] == u32::MAX {
                    continue;
                }
                if new == u32::MAX {
                    new = *before;
                    continue;
                }
                let (mut left, mut right) = (new, *before);
                while left != right {
                    while number[left as usize] > number[right as usize] {
                        left = found[left as usize];
                    }
                    while number[right as usize] > number[left as usize] {
                        right = found[right as usize];
                    }
                }
                new = left;
            }
            if found[*block as usize] != new {
                found[*block as usize] = new;
                changed = true;
            }
        }
    }
    found
}
