//! What is known of all configurations that can be reached.
//!
//! A cell that one thread alone writes holds what that thread has written last. Which values these can be at a
//! node its automaton says.

use super::automaton::{Automata, Automaton};
use super::configuration::{Configuration, FREE, UNSAID};

/// For each cell with one writer, who that is, and for each of its nodes the values that are possible, as bits.
pub(super) struct Invariant(Vec<(u16, usize, Vec<Vec<u64>>)>);

impl Invariant {
    pub(super) fn of(automata: &Automata<'_, '_>) -> Self {
        let cells = 0..u16::try_from(automata.cells.len()).expect("few cells");
        let writes = |automaton: &Automaton, cell: u16| {
            let mut written = automaton.edges.iter().filter_map(|edge| edge.kind.written());
            written.any(|held| held.cell == cell)
        };
        let of_cell = |cell: u16| {
            let threads = automata.threads.iter().enumerate();
            let mut writers = threads.filter(|(_, automaton)| writes(automaton, cell));
            let (writer, automaton) = writers.next()?;
            if writers.next().is_some() {
                return None;
            }
            let values = automata.cells[usize::from(cell)].len();
            Some((cell, writer, last_written(automaton, cell, values)))
        };
        Self(cells.filter_map(of_cell).collect())
    }

    /// Whether a configuration may stand for one that can be reached.
    pub(super) fn allows(&self, configuration: &Configuration) -> bool {
        self.0.iter().all(|(cell, writer, at_nodes)| {
            let held = configuration.memory[usize::from(*cell)];
            let node = configuration.at[*writer];
            held == UNSAID
                || node >= FREE
                || at_nodes[node as usize][usize::from(held / 64)] >> (held % 64) & 1 == 1
        })
    }
}

/// For each node what a thread may have written last to a cell that nobody else writes.
fn last_written(automaton: &Automaton, cell: u16, values: usize) -> Vec<Vec<u64>> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); automaton.nodes.len()];
    for (at, edge) in automaton.edges.iter().enumerate() {
        out[edge.from as usize].push(at);
    }
    let mut possible = vec![vec![0u64; values.div_ceil(64)]; automaton.nodes.len()];
    let mut open: Vec<usize> = Vec::new();
    for (node, _) in &automaton.initial {
        possible[*node as usize][0] |= 1;
        open.push(*node as usize);
    }
    while let Some(node) = open.pop() {
        for edge in out[node].iter().map(|at| &automaton.edges[*at]) {
            let written = edge.kind.written().filter(|held| held.cell == cell);
            let mut then = possible[node].clone();
            if let Some(held) = written {
                then.fill(0);
                then[usize::from(held.value / 64)] |= 1 << (held.value % 64);
            }
            let to = edge.to as usize;
            let is_new = then.iter().zip(&possible[to]).any(|(then, known)| then & !known != 0);
            if is_new {
                for (known, then) in possible[to].iter_mut().zip(then) {
                    *known |= then;
                }
                open.push(to);
            }
        }
    }
    possible
}
