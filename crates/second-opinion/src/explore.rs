//! All runs of a program: every order of visible steps and of stores that reach memory.
//!
//! States are kept whole. A search is made again until it has seen which bytes are shared
//! ([`Sharing`]).

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::assembly::Image;
use crate::machine::{Machine, Sharing};
use crate::{End, Model, Problem, Runs};

/// All ends of a program, with what is seen of these variables of eight bytes.
pub(crate) fn explore(
    image: &Image,
    model: Model,
    observables: &[String],
    most_states: usize,
) -> Result<Runs, Problem> {
    let addresses = observables
        .iter()
        .map(|name| image.symbols.get(name).copied())
        .collect::<Option<Vec<u64>>>()
        .ok_or_else(|| Problem::Wrong("an observable is not a variable".to_owned()))?;
    let mut sharing = Sharing::default();
    loop {
        let runs = search(image, model, &addresses, &mut sharing, most_states);
        let is_new = sharing.learn();
        match runs {
            // More may be visible than this search knew, which changes what is wrong and how large it is.
            Err(Problem::Wrong(why)) if !is_new => return Err(Problem::Wrong(why)),
            Err(Problem::TooLarge) => return Err(Problem::TooLarge),
            Ok(runs) if !is_new => return Ok(runs),
            Ok(_) | Err(Problem::Wrong(_)) => {}
        }
    }
}

fn search(
    image: &Image,
    model: Model,
    observables: &[u64],
    sharing: &mut Sharing,
    most_states: usize,
) -> Result<Runs, Problem> {
    let machine = Machine::new(image, model);
    let mut first = machine.initial().map_err(Problem::Wrong)?;
    let initial = first.memory().to_vec();
    machine.settle(&mut first, sharing).map_err(Problem::Wrong)?;
    let mut seen: FxHashSet<Box<[u8]>> = FxHashSet::default();
    seen.insert(first.encoded(&initial));
    let mut waiting = vec![first];
    let mut runs = Runs { ends: BTreeSet::new(), deadlocks: false, states: 0 };
    while let Some(state) = waiting.pop() {
        if seen.len() > most_states {
            return Err(Problem::TooLarge);
        }
        if state.has_failed() {
            runs.ends.insert(End::Failed);
            continue;
        }
        let mut is_stuck = true;
        for thread in 0..state.threads() {
            for is_flush in [true, false] {
                let mut next = state.clone();
                let moved = if is_flush {
                    next.flush(thread)
                } else {
                    machine.step(&mut next, thread, sharing)
                };
                if moved.map_err(Problem::Wrong)? {
                    is_stuck = false;
                    machine.settle(&mut next, sharing).map_err(Problem::Wrong)?;
                    if seen.insert(next.encoded(&initial)) {
                        waiting.push(next);
                    }
                }
            }
        }
        if is_stuck && state.has_ended() {
            let seen: Option<Vec<i64>> =
                observables.iter().map(|address| state.word(*address)).collect();
            let seen = seen.ok_or_else(|| Problem::Wrong("an observable is cut".to_owned()))?;
            runs.ends.insert(End::Seen(seen));
        } else if is_stuck {
            runs.deadlocks = true;
        }
    }
    runs.states = seen.len();
    Ok(runs)
}
