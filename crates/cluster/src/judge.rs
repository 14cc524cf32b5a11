//! What the leader knows and decides. It hears reports and, at the end of a level, asks the thread that
//! asked for the search which candidates are goals.
//!
//! A level is finished before anything is decided about it. Then a limit comes first, then an unknown
//! successor, then a goal: as in `explore`, whatever the order in which workers found them. A path to a
//! goal is found backward: of each state the least predecessor in the level before, among all that
//! workers have. So it does not depend on who owns what.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use explore::Limit;
use explore::tables::TableOutcome;

use crate::batch::decode;
use crate::message::{Decision, Reached, Report};

/// What the client is told.
#[derive(Debug)]
pub(crate) enum News {
    /// States that may be goals, one after the other.
    Candidates(Vec<u64>),
    /// A level is finished: the goals in it are wanted, unless all goals of all levels are.
    Level,
    /// How far the search is.
    Totals(Totals),
    /// What it came to; nothing if the client stopped it.
    Over(Option<TableOutcome>, Totals),
}

/// What all workers have done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) depth: u64,
    /// States of the level that is being found.
    pub(crate) frontier: u64,
    pub(crate) reserved: u64,
    pub(crate) peak: u64,
    pub(crate) sent_states: u64,
    pub(crate) sent_bytes: u64,
    pub(crate) tracing: bool,
}

pub(crate) struct Judge {
    words: usize,
    most_states: u64,
    client: Client,
    totals: Totals,
    reserved: BTreeMap<u64, u64>,
    unknown: Option<Vec<u64>>,
    reached: Option<Limit>,
    /// Paths to goals, backward, as far as they are known; and the level their next states are in.
    paths: Vec<Vec<Vec<u64>>>,
    tracing: Option<u64>,
    targets: Vec<Vec<u64>>,
    found: BTreeMap<u64, Vec<u64>>,
}

/// The way to who asked.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) news: Sender<News>,
    /// The goals of a level that is finished.
    pub(crate) goals: Receiver<Vec<Vec<u64>>>,
    /// Whether the client wants no more.
    pub(crate) stop: Arc<AtomicBool>,
}

impl Judge {
    pub(crate) fn new(words: usize, most_states: Option<u64>, client: Client) -> Self {
        Self {
            words,
            most_states: most_states.unwrap_or(u64::MAX),
            client,
            totals: Totals::default(),
            reserved: BTreeMap::new(),
            unknown: None,
            reached: None,
            paths: Vec::new(),
            tracing: None,
            targets: Vec::new(),
            found: BTreeMap::new(),
        }
    }

    pub(crate) fn hear(&mut self, report: Report) {
        let Report {
            from,
            added,
            transitions,
            sent_states,
            sent_bytes,
            reserved,
            candidates,
            unknown,
            reached,
            found,
        } = report;
        let totals = &mut self.totals;
        totals.states += added;
        totals.frontier += added;
        totals.transitions += transitions;
        totals.sent_states += sent_states;
        totals.sent_bytes += sent_bytes;
        totals.reserved += reserved;
        totals.reserved -= self.reserved.insert(from, reserved).unwrap_or(0);
        totals.peak = totals.peak.max(totals.reserved);
        self.unknown = self.unknown.take().into_iter().chain(unknown).min();
        self.reached = self.reached.or(reached.map(|reached| match reached {
            Reached::Memory => Limit::Memory,
            Reached::Time => Limit::Time,
        }));
        for (target, state) in found {
            let least = self.found.entry(target).or_insert_with(|| state.clone());
            if state < *least {
                *least = state;
            }
        }
        if !candidates.0.is_empty() {
            let mut states = Vec::new();
            decode(self.words, &candidates.0, |state| states.extend_from_slice(state));
            self.tell(News::Candidates(states));
        }
        self.tell(News::Totals(self.totals));
    }

    fn tell(&self, news: News) {
        if self.client.news.send(news).is_err() {
            self.client.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the search is to end before the level does.
    pub(crate) fn is_to_stop(&self) -> bool {
        self.client.stop.load(Ordering::Relaxed) || self.limit().is_some()
    }

    fn limit(&self) -> Option<Limit> {
        let too_many = self.totals.states > self.most_states;
        self.reached.or_else(|| too_many.then_some(Limit::States))
    }

    /// Ends a search that is to stop.
    pub(crate) fn halted(&mut self) -> Decision {
        let limit = self.limit();
        self.totals.states = self.totals.states.min(self.most_states);
        self.over(limit.map(TableOutcome::Stopped))
    }

    fn over(&self, outcome: Option<TableOutcome>) -> Decision {
        self.tell(News::Over(outcome, self.totals));
        Decision::Stop
    }

    /// What comes after a level, of which all has been heard.
    pub(crate) fn level_done(&mut self, level: u64) -> Decision {
        if let Some(level) = self.tracing {
            return self.traced(level);
        }
        let added = std::mem::take(&mut self.totals.frontier);
        if added > 0 {
            self.totals.depth = level;
        }
        if let Some(state) = self.unknown.take() {
            return self.over(Some(TableOutcome::Unknown(state)));
        }
        self.tell(News::Level);
        let Ok(goals) = self.client.goals.recv() else { return self.over(None) };
        if !goals.is_empty() {
            self.paths = goals.into_iter().map(|goal| vec![goal]).collect();
            self.totals.tracing = true;
            return self.trace(level);
        }
        if added == 0 {
            return self.over(Some(TableOutcome::Exhausted(Vec::new())));
        }
        Decision::Expand
    }

    /// The last states of the paths are in this level: their predecessors are wanted, if they have any.
    fn trace(&mut self, level: u64) -> Decision {
        let Some(before) = level.checked_sub(1) else {
            let mut paths = std::mem::take(&mut self.paths);
            for path in &mut paths {
                path.reverse();
            }
            return self.over(Some(TableOutcome::Found(paths)));
        };
        let targets: BTreeSet<_> = self.paths.iter().filter_map(|path| path.last()).collect();
        self.targets = targets.into_iter().cloned().collect();
        self.tracing = Some(before);
        Decision::Trace { level: before, targets: self.targets.clone() }
    }

    fn traced(&mut self, level: u64) -> Decision {
        let found = std::mem::take(&mut self.found);
        let numbered = std::mem::take(&mut self.targets).into_iter().zip(0_u64..);
        let before: BTreeMap<Vec<u64>, &Vec<u64>> =
            numbered.filter_map(|(target, number)| Some((target, found.get(&number)?))).collect();
        for path in &mut self.paths {
            let last = path.last().expect("a path has a goal");
            let state = before.get(last).expect("every state of a later level has a predecessor");
            path.push((*state).clone());
        }
        self.trace(level)
    }
}
