//! What one worker does in a search: it adds states that it is sent, expands its states of a level,
//! and looks for predecessors. It knows neither timely nor other workers, but for how many there are.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use explore::tables::Tables;
use explore::{Limit, Lookout};

use crate::batch::{decode, encoded, owner};
use crate::message::{Bytes, Message, Reached, Report};
use crate::part::Part;

/// States in a batch, repetitions included.
const BATCH: usize = 1 << 13;

pub(crate) struct Work {
    tables: Tables,
    part: Part,
    index: usize,
    /// States for each worker, not yet sent.
    outgoing: Vec<Vec<u64>>,
    /// What has happened since the last report, and candidates among the new states.
    news: Report,
    candidates: Vec<u64>,
    lookout: Lookout,
    /// Whether a limit was reached: nothing is done any more.
    is_over: bool,
    /// The state that is expanded, and its successors.
    current: Vec<u64>,
    fresh: Vec<u64>,
}

impl Work {
    /// The work of one of so many workers, who may reserve so many bytes.
    pub(crate) fn new(
        tables: Tables,
        (index, workers): (usize, usize),
        (most, lookout): (usize, Lookout),
    ) -> Self {
        let part = Part::new(&tables, most);
        Self {
            tables,
            part,
            index,
            outgoing: vec![Vec::new(); workers],
            news: Report { from: index as u64, ..Report::default() },
            candidates: Vec::new(),
            lookout,
            is_over: false,
            current: Vec::new(),
            fresh: Vec::new(),
        }
    }

    /// Adds the initial states that it owns.
    pub(crate) fn begin(&mut self) {
        let initial = std::mem::take(&mut self.tables.initial);
        for state in initial.chunks_exact(self.tables.words) {
            if owner(state, self.outgoing.len()) == self.index {
                self.add(state);
            }
        }
    }

    /// Adds states of a level that somebody sent.
    pub(crate) fn take(&mut self, level: u64, states: &Bytes) {
        self.reach(level);
        decode(self.tables.words, &states.0, |state| self.add(state));
        self.look();
    }

    fn reach(&mut self, level: u64) {
        self.part.reach(usize::try_from(level).expect("a level that was reached"));
    }

    fn add(&mut self, state: &[u64]) {
        if self.is_over {
            return;
        }
        match self.part.add(state) {
            Ok(true) => {
                self.news.added += 1;
                if self.tables.is_to_be_looked_at(state) {
                    self.candidates.extend_from_slice(state);
                }
            }
            Ok(false) => {}
            Err(limit) => self.end(limit),
        }
    }

    fn end(&mut self, limit: Limit) {
        self.is_over = true;
        self.outgoing.iter_mut().for_each(Vec::clear);
        self.news.reached = Some(match limit {
            Limit::Time => Reached::Time,
            Limit::Memory | Limit::States | Limit::Cancelled => Reached::Memory,
        });
    }

    fn look(&mut self) {
        if let Err(limit) = self.lookout.look(Instant::now()) {
            self.end(limit);
        }
    }

    /// Nothing is done any more.
    pub(crate) fn stop(&mut self) {
        self.is_over = true;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// The numbers of its states of a level. All of them are known: what comes from now on belongs to
    /// the next one, or is not added at all.
    pub(crate) fn level(&mut self, level: u64) -> Range<usize> {
        self.reach(level + 1);
        self.part.level(usize::try_from(level).expect("a level that was reached"))
    }

    /// Expands some of its states.
    pub(crate) fn expand(&mut self, numbers: Range<usize>, mut send: impl FnMut(Message)) {
        let words = self.tables.words;
        let mut fresh = std::mem::take(&mut self.fresh);
        for number in numbers {
            if self.is_over {
                break;
            }
            self.successors_of(number, &mut fresh);
            for next in fresh.chunks_exact(words) {
                let owner = owner(next, self.outgoing.len());
                if owner == self.index {
                    self.add(next);
                    continue;
                }
                self.outgoing[owner].extend_from_slice(next);
                if self.outgoing[owner].len() >= BATCH * words {
                    self.ship(owner, &mut send);
                }
            }
        }
        self.fresh = fresh;
        self.look();
    }

    /// The successors of one of its states but for itself; none if they are not all known.
    fn successors_of(&mut self, number: usize, fresh: &mut Vec<u64>) {
        let Self { current, tables, part, news, .. } = self;
        current.clear();
        current.extend_from_slice(part.state(number));
        fresh.clear();
        let mut steps = 0;
        let known = tables.successors(current, |next| {
            steps += 1;
            if next != current.as_slice() {
                fresh.extend_from_slice(next);
            }
        });
        if known.is_ok() {
            news.transitions += steps;
        } else {
            fresh.clear();
            let least = news.unknown.take().into_iter().chain([current.clone()]).min();
            news.unknown = least;
        }
    }

    /// Sends what was found for others and not yet sent.
    pub(crate) fn ship_all(&mut self, mut send: impl FnMut(Message)) {
        for owner in 0..self.outgoing.len() {
            self.ship(owner, &mut send);
        }
    }

    fn ship(&mut self, owner: usize, send: &mut impl FnMut(Message)) {
        let states = &mut self.outgoing[owner];
        if states.is_empty() {
            return;
        }
        self.news.sent_states += (states.len() / self.tables.words) as u64;
        let bytes = encoded(self.tables.words, states);
        states.clear();
        self.news.sent_bytes += bytes.len() as u64;
        send(Message::States { to: owner as u64, states: Bytes(bytes) });
    }

    /// Looks among some of its states for predecessors of the targets.
    pub(crate) fn trace(&mut self, numbers: Range<usize>, targets: &[Vec<u64>]) {
        let by_state: BTreeMap<&[u64], u64> =
            targets.iter().map(Vec::as_slice).zip(0_u64..).collect();
        let mut found: BTreeMap<u64, Vec<u64>> = self.news.found.drain(..).collect();
        for number in numbers {
            let state = self.part.state(number);
            // What is not known has been told before.
            let _ = self.tables.successors(state, |next| {
                if let Some(target) = by_state.get(next)
                    && found.get(target).is_none_or(|known| state < known.as_slice())
                {
                    found.insert(*target, state.to_vec());
                }
            });
        }
        self.news.found = found.into_iter().collect();
        self.look();
    }

    /// What has happened since this was asked last, if anything.
    pub(crate) fn report(&mut self) -> Option<Report> {
        self.news.candidates = Bytes(encoded(self.tables.words, &mut self.candidates));
        self.candidates.clear();
        self.news.reserved = self.part.bytes() as u64;
        let from = self.news.from;
        let news = std::mem::replace(&mut self.news, Report { from, ..Report::default() });
        (!news.is_empty()).then_some(news)
    }
}
