//! An engine that gets the automata as tables, and is too simple to be wrong.

use std::collections::BTreeMap;

use explore::Statistics;
use explore::tables::{
    Request, TableEngine, TableOutcome, TableSearch, Tables, Unsuitable, Wanted,
};

#[derive(Debug)]
pub(crate) struct Simple;

impl TableEngine for Simple {
    fn search(&self, tables: &Tables, request: Request<'_>) -> Result<TableSearch, Unsuitable> {
        let mut level: Vec<Vec<u64>> =
            tables.initial.chunks_exact(tables.words).map(<[u64]>::to_vec).collect();
        let mut before: BTreeMap<Vec<u64>, Option<Vec<u64>>> =
            level.iter().map(|state| (state.clone(), None)).collect();
        let mut statistics = Statistics { states: 0, transitions: 0, depth: 0, peak_bytes: 0 };
        let mut all = Vec::new();
        let outcome = loop {
            let looked_at = level.iter().filter(|state| tables.is_to_be_looked_at(state));
            let goals: Vec<&Vec<u64>> =
                looked_at.filter(|state| (request.is_goal)(state)).collect();
            match (request.wanted, goals.first()) {
                (Wanted::All, _) => all.extend(goals.into_iter().cloned()),
                (Wanted::Nearest(_), None) => {}
                (Wanted::Nearest(_), Some(goal)) => {
                    let mut path = vec![(*goal).clone()];
                    while let Some(Some(state)) = before.get(path.last().expect("a state")) {
                        path.push(state.clone());
                    }
                    path.reverse();
                    break TableOutcome::Found(vec![path]);
                }
            }
            let mut next = Vec::new();
            let mut unknown = None;
            for state in &level {
                let known = tables.successors(state, |successor| {
                    statistics.transitions += 1;
                    before.entry(successor.to_vec()).or_insert_with(|| {
                        next.push(successor.to_vec());
                        Some(state.clone())
                    });
                });
                if known.is_err() {
                    unknown = Some(state.clone());
                }
            }
            if let Some(state) = unknown {
                break TableOutcome::Unknown(state);
            }
            if next.is_empty() {
                all.sort();
                break TableOutcome::Exhausted(all);
            }
            statistics.depth += 1;
            level = next;
        };
        statistics.states = before.len() as u64;
        Ok(TableSearch { outcome, statistics })
    }
}
