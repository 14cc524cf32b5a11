//! The run under TSO that a run with load buffers stands for.
//!
//! A store reaches memory when the run with load buffers makes it. Whatever else a thread does it does as early
//! as it can, in its own order: a load when its message came from memory, a drained instruction when it is
//! made, a fence when all stores before it have reached memory, everything else with what comes before it.
//! [`super`] says why that is a run under TSO.

use program::ThreadId;
use program::index::Idx;
use semantics::Move;

use super::automaton::{Automata, Kind};
use super::configuration::{Configuration, FREE, MARK};
use super::search::Taken;

/// What is known of a thread on the way.
#[derive(Clone, Default)]
struct Behind {
    /// Its load buffer, with the moments at which messages came.
    buffer: Vec<(u32, usize)>,
    /// When it did what it did last,
    moment: usize,
    /// and when its newest store reached memory.
    committed: usize,
}

/// The moves of a run under TSO.
pub(super) fn under_tso(
    automata: &Automata<'_, '_>,
    steps: &[(Configuration, Taken)],
    last: &Configuration,
) -> Vec<Move> {
    let mut threads = vec![Behind::default(); automata.threads.len()];
    // By their moments; those of one moment in the order in which they are noted.
    let mut moves: Vec<(usize, Move)> = Vec::new();
    let first = steps.first().map_or(last, |(first, _)| first);
    for (thread, at) in first.at.iter().enumerate() {
        let mut initial = automata.threads[thread].initial.iter();
        if let Some((_, names)) = initial.find(|(node, _)| node == at) {
            let by = ThreadId::new(thread);
            let begun = names.iter();
            let begun = begun.map(|(edge, choice)| {
                (0, Move::Execute { thread: by, edge: *edge, choice: *choice })
            });
            moves.extend(begun);
        }
    }
    let after = steps.iter().skip(1).map(|(one, _)| one).chain([last]);
    for ((now, (_, taken)), after) in (1..).zip(steps).zip(after) {
        let (thread, edge) = match *taken {
            Taken::Receive { thread, letter } => {
                threads[thread].buffer.push((letter, now));
                continue;
            }
            Taken::Edge { thread, edge } => {
                (thread, &automata.threads[thread].edges[edge as usize])
            }
        };
        let behind = &mut threads[thread];
        let mut commits = false;
        match edge.kind {
            Kind::Alone => {}
            Kind::Store { kept, replaced, .. } => {
                commits = true;
                if let Some(replaced) = replaced {
                    let marks = behind.buffer.iter().enumerate();
                    let mut marks = marks.filter(|(_, (one, _))| *one == MARK);
                    let at = marks.nth(replaced).map(|(at, _)| at);
                    at.map(|at| behind.buffer.remove(at));
                }
                behind.buffer.extend(kept.then_some((MARK, now)));
            }
            Kind::Load { deleted, .. } => {
                behind.buffer.drain(..deleted);
                behind.moment = behind.buffer.first().map_or(now, |(_, came)| *came);
                // It is deleted when nobody needs it any more.
                if after.words[thread].len() < behind.buffer.len() {
                    behind.buffer.remove(0);
                }
            }
            Kind::Claim { deleted, .. } => {
                behind.buffer.drain(..deleted);
                behind.moment = behind.buffer.remove(0).1;
            }
            Kind::Drained { read: None, written: None } if !edge.needs_memory => {
                behind.buffer.clear();
                behind.moment = behind.moment.max(behind.committed);
            }
            Kind::Drained { .. } => {
                behind.buffer.clear();
                behind.moment = now;
            }
        }
        let by = ThreadId::new(thread);
        let names = edge.names.iter().map(|(edge, choice)| {
            (behind.moment, Move::Execute { thread: by, edge: *edge, choice: *choice })
        });
        moves.extend(names);
        if commits {
            behind.committed = now;
            moves.push((now, Move::Commit { thread: by }));
        }
        if after.at[thread] >= FREE {
            behind.buffer.clear();
        }
    }
    moves.sort_by_key(|(moment, _)| *moment);
    moves.into_iter().map(|(_, taken)| taken).collect()
}
