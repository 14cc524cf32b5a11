//! A search by an engine that runs elsewhere: it gets the automata as tables, and what it finds is
//! told in the same way.

use explore::tables::{Request, TableEngine, TableOutcome, Wanted};
use explore::{Lookout, State, System, Unlearnt};

use super::{Ended, Round, Searched, Watch, deeds};
use crate::run::Extent;
use crate::system::Packed;

impl Round<'_> {
    pub(super) fn search_elsewhere<const W: usize>(
        &self,
        packed: &mut Packed<'_, W>,
        engine: &dyn TableEngine,
        watch: Watch<'_>,
    ) -> Searched {
        let not_by_it = |why: String| Searched {
            ended: Ended::Unsuitable(why),
            goals: Vec::new(),
            did: explore::Statistics { states: 0, transitions: 0, depth: 0, peak_bytes: 0 },
        };
        let Some(tables) = packed.tables() else {
            let why = "the threads have more local states than can be found out before the search";
            return not_by_it(why.to_owned());
        };
        let wanted = match self.extent {
            Extent::Nearest => Wanted::Nearest(self.options.runs),
            Extent::All => Wanted::All,
        };
        let is_goal = &mut |state: &[u64]| packed.is_goal(&stated(state));
        let request = Request { wanted, limits: self.limits, is_goal, watch: &mut *watch };
        let search = match engine.search(&tables, request) {
            Ok(search) => search,
            Err(unsuitable) => return not_by_it(unsuitable.0),
        };
        let mut goals = Vec::new();
        let ended = match search.outcome {
            TableOutcome::Exhausted(all) => {
                goals.extend(all.iter().map(|state| packed.numbered(&stated(state))));
                Ended::Exhausted(packed.noted())
            }
            TableOutcome::Found(paths) => {
                let told = |path: &Vec<Vec<u64>>| {
                    let path: Vec<State<W>> = path.iter().map(|state| stated(state)).collect();
                    deeds(packed, &path)
                };
                Ended::Found(paths.iter().map(told).collect())
            }
            TableOutcome::Untraced => return self.search_here(packed, watch),
            TableOutcome::Stopped(limit) => Ended::Stopped(limit),
            TableOutcome::Unknown(state) => {
                // The automata are told what they lack.
                let state: State<W> = stated(&state);
                let _ = packed.successors(&state, |_| ());
                match packed.learn(&mut Lookout::new(&self.limits)) {
                    Ok(()) | Err(Unlearnt::Outgrown) => Ended::Outgrown,
                    Err(Unlearnt::Stopped(limit)) => Ended::Stopped(limit),
                }
            }
        };
        Searched { ended, goals, did: search.statistics }
    }
}

fn stated<const W: usize>(words: &[u64]) -> State<W> {
    words.try_into().expect("as many words as the tables say")
}
