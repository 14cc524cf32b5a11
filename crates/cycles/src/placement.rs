//! The cheapest fences after which no delay is left.
//!
//! CAV'14 §6 writes one integer program with a constraint for every delay of every cycle. Here rows are
//! made when they are needed: with the fences chosen so far, each delay that is left has a path from its
//! first access to its second on which no fence is strong enough, and one of the places on that path must
//! get one. So a fence on one branch does not stand for the other, and a fence in a function counts for
//! every caller. A stretch that needs a full fence gives one row over the places of all its paths. Every
//! row is necessary for the constraints to hold, so when no delay is left, the cheapest solution of the
//! rows is the cheapest of all.
//!
//! A path without a place at which a fence that may be put in is strong enough cannot be stopped, whatever is
//! put elsewhere: its pair of accesses is left, and told. Whatever was a row only for such a pair is no row any
//! more. So the fences are the cheapest that stop all delays that fences can stop at all, and every delay
//! that there still is with them is told. Of a stretch, all pairs must be so.

use std::time::{Duration, Instant};

use events::PlaceId;
use program::FenceKind;
use program::index::Idx;
use rustc_hash::{FxHashMap, FxHashSet};
use solver::cheapest_cover;

use crate::architecture::Strength;
use crate::delays::{Analysis, Delay, Hopeless};
use crate::machine::EventId;
use crate::stretch::{Link, Pair, Stretch};

/// What fences cost.
pub struct Costs<'c> {
    /// The kinds of fences that may be put in, and what each costs.
    pub kinds: &'c [(FenceKind, u64)],
    /// What to multiply it with at a place.
    pub weight: &'c dyn Fn(PlaceId) -> u64,
}

impl Costs<'_> {
    /// What a fence costs at a place.
    pub fn of(&self, place: PlaceId, kind: FenceKind) -> u64 {
        let price = self.kinds.iter().find(|(other, _)| *other == kind);
        let price = price.map_or(1, |(_, price)| *price);
        price.saturating_mul((self.weight)(place)).clamp(1, solver::MAX_COST)
    }
}

/// The cheapest fences, and what they cannot stop.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The fences.
    pub fences: Vec<(PlaceId, FenceKind)>,
    /// What they cost together.
    pub cost: u64,
    /// Whether nothing cheaper does.
    pub is_optimal: bool,
    /// How many rows the integer program had at the end.
    pub rows: usize,
    /// How often it was solved.
    pub rounds: usize,
    /// For each fence, delays that no other of the fences stops.
    pub breaks: Vec<Vec<Delay>>,
    /// The delays that no fence can stop; if there are none, every execution is SC with the fences.
    pub left: Vec<Left>,
}

/// Accesses that no fence can order.
#[derive(Clone, Debug)]
pub struct Left {
    /// One pair, or several joined by `rfe` of which one needs a full fence.
    pub pairs: Vec<Delay>,
    /// Why there is no fence.
    pub why: NoFence,
}

/// Why no fence can order two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoFence {
    /// There is no place between them, such as between two in one expression.
    NoPlace,
    /// There are places between them, but no kind of fence that may be put there is enough.
    NoKind,
}

/// Time was up before there was a placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfTime;

/// How many delays of an access become rows at once.
const AT_ONCE: usize = 3;

/// How long optima are looked for, in all rounds together, before good solutions are taken.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a row is there for.
#[derive(Clone, Debug)]
enum Reason {
    Delay(Delay),
    /// The classes of a stretch's pairs.
    Stretch(Vec<Pair>),
}

/// Places and kinds one of which must be chosen.
struct Row {
    columns: Vec<usize>,
    reasons: Vec<Reason>,
}

/// The integer program so far.
#[derive(Default)]
struct Rows {
    all: Vec<Row>,
    numbers: FxHashMap<Vec<usize>, usize>,
}

impl Rows {
    /// Adds a reason for a row; whether the row is new.
    fn add(&mut self, columns: Vec<usize>, reason: Reason) -> bool {
        let next = self.all.len();
        let number = *self.numbers.entry(columns.clone()).or_insert(next);
        if number == next {
            self.all.push(Row { columns, reasons: vec![reason] });
            return true;
        }
        self.all[number].reasons.push(reason);
        false
    }

    /// Forgets rows that were there only for what cannot be stopped.
    fn leave_out(&mut self, delays: &Hopeless, stretches: &FxHashSet<Pair>) {
        for row in &mut self.all {
            row.reasons.retain(|reason| match reason {
                Reason::Delay(delay) => !delays.contains((delay.thread, delay.first, delay.second)),
                Reason::Stretch(pairs) => pairs.iter().any(|pair| !stretches.contains(pair)),
            });
        }
        self.all.retain(|row| !row.reasons.is_empty());
        let numbered = self.all.iter().enumerate();
        self.numbers = numbered.map(|(number, row)| (row.columns.clone(), number)).collect();
    }
}

/// Finds the cheapest fences that stop all delays that fences can stop.
pub fn place_fences(
    analysis: &Analysis<'_>,
    costs: &Costs<'_>,
    deadline: Option<Instant>,
) -> Result<Placement, OutOfTime> {
    let kinds = costs.kinds.len();
    let column = |place: PlaceId, kind: usize| place.index() * kinds + kind;
    let places = analysis.machine.graph.places.len();
    let prices: Vec<u64> = (0..places * kinds)
        .map(|column| costs.of(PlaceId::new(column / kinds), costs.kinds[column % kinds].0))
        .collect();
    let mut rows = Rows::default();
    let mut put = analysis.nothing_put();
    let mut chosen: Vec<usize> = Vec::new();
    let mut hopeless = Hopeless::default();
    let mut hopeless_pairs: FxHashSet<Pair> = FxHashSet::default();
    let mut hopeless_stretches: Vec<Stretch> = Vec::new();
    let (mut is_optimal, mut rounds, mut spent) = (true, 0, Duration::ZERO);
    loop {
        if deadline.is_some_and(|end| Instant::now() > end) {
            return Err(OutOfTime);
        }
        let known = hopeless.all.len() + hopeless_stretches.len();
        let of_delay = |delay: &Delay| {
            let pair = (delay.first, delay.second, delay.needs);
            columns(analysis, costs, pair, &delay.places, &column)
        };
        let is_stoppable = |delay: &Delay| !of_delay(delay).is_empty();
        let delays = analysis.stoppable_delays(&put, AT_ONCE, &mut hopeless, is_stoppable);
        let mut is_done = delays.is_empty();
        let mut has_new = false;
        for delay in delays {
            has_new |= rows.add(of_delay(&delay), Reason::Delay(delay));
        }
        if is_done {
            for stretch in analysis.stretches_but(&put, &hopeless_pairs) {
                is_done = false;
                let row = row_of_stretch(analysis, costs, &stretch, &column);
                if row.is_empty() {
                    hopeless_pairs.extend(&stretch.classes);
                    hopeless_stretches.push(stretch);
                } else {
                    has_new |= rows.add(row, Reason::Stretch(stretch.classes));
                }
            }
        }
        let is_less = hopeless.all.len() + hopeless_stretches.len() > known;
        if is_less {
            let before = rows.all.len();
            rows.leave_out(&hopeless, &hopeless_pairs);
            // Without them, fewer fences may be enough.
            is_done &= rows.all.len() == before;
        }
        if is_done {
            break;
        }
        assert!(
            has_new || is_less,
            "a fence does not stop the path it was chosen for; please report this bug"
        );
        rounds += 1;
        let start = Instant::now();
        let patience = start + PATIENCE.saturating_sub(spent);
        let until = deadline.map_or(patience, |end| end.min(patience));
        let sets: Vec<Vec<usize>> = rows.all.iter().map(|row| row.columns.clone()).collect();
        let cover = cheapest_cover(&prices, &sets, Some(until)).ok_or(OutOfTime)?;
        spent += start.elapsed();
        is_optimal = cover.is_optimal;
        chosen = cover.columns;
        put = analysis.nothing_put();
        for column in &chosen {
            put[PlaceId::new(column / kinds)].push(costs.kinds[column % kinds].0);
        }
    }
    let fences =
        chosen.iter().map(|column| (PlaceId::new(column / kinds), costs.kinds[column % kinds].0));
    let cost = chosen.iter().map(|column| prices[*column]).sum();
    let breaks = only_stopped_by(&chosen, &rows.all);
    let left = left(hopeless.all, hopeless_stretches);
    let (fences, rows) = (fences.collect(), rows.all.len());
    Ok(Placement { fences, cost, is_optimal, rows, rounds, breaks, left })
}

/// For each chosen column, the delays that it alone stops.
fn only_stopped_by(chosen: &[usize], rows: &[Row]) -> Vec<Vec<Delay>> {
    let mut breaks: Vec<Vec<Delay>> = vec![Vec::new(); chosen.len()];
    for row in rows {
        let mut hits = row.columns.iter().filter_map(|column| chosen.binary_search(column).ok());
        if let (Some(hit), None) = (hits.next(), hits.next()) {
            breaks[hit].extend(row.reasons.iter().find_map(|reason| match reason {
                Reason::Delay(delay) => Some(delay.clone()),
                Reason::Stretch(_) => None,
            }));
        }
    }
    breaks
}

/// What cannot be stopped, each pair of accesses once.
fn left(delays: Vec<Delay>, stretches: Vec<Stretch>) -> Vec<Left> {
    let why = |pairs: &[Delay]| {
        if pairs.iter().any(|pair| !pair.places.is_empty()) {
            NoFence::NoKind
        } else {
            NoFence::NoPlace
        }
    };
    let mut left: Vec<Left> = Vec::new();
    // Whichever thread executes them.
    let mut seen: FxHashSet<(EventId, EventId)> = FxHashSet::default();
    for delay in delays {
        if seen.insert((delay.first, delay.second)) {
            let pairs = vec![delay];
            left.push(Left { why: why(&pairs), pairs });
        }
    }
    for stretch in stretches {
        let delay = |link: Link| {
            let Link { thread, first, second, places } = link;
            Delay { thread, first, second, needs: Strength::Full, places }
        };
        let pairs: Vec<Delay> = stretch.links.into_iter().map(delay).collect();
        left.push(Left { why: why(&pairs), pairs });
    }
    left
}

fn row_of_stretch(
    analysis: &Analysis<'_>,
    costs: &Costs<'_>,
    stretch: &Stretch,
    column: &impl Fn(PlaceId, usize) -> usize,
) -> Vec<usize> {
    let of_link = |link: &Link| {
        let pair = (link.first, link.second, Strength::Full);
        columns(analysis, costs, pair, &link.places, column)
    };
    stretch.links.iter().flat_map(of_link).collect()
}

/// The fences at these places that order two accesses strongly enough.
fn columns(
    analysis: &Analysis<'_>,
    costs: &Costs<'_>,
    (first, second, needs): (EventId, EventId, Strength),
    places: &[PlaceId],
    column: &impl Fn(PlaceId, usize) -> usize,
) -> Vec<usize> {
    let direction = analysis.machine.events[second].direction;
    let is_enough = |kind: FenceKind| analysis.machine.by_fence(kind, first, direction) >= needs;
    let kinds: Vec<usize> =
        (0..costs.kinds.len()).filter(|kind| is_enough(costs.kinds[*kind].0)).collect();
    places.iter().flat_map(|place| kinds.iter().map(|kind| column(*place, *kind))).collect()
}
