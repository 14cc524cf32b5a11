//! The cheapest fences after which no delay is left.
//!
//! CAV'14 §6 writes one integer program with a constraint for every delay of every cycle. Here rows are
//! made when they are needed: with the fences chosen so far, each delay that is left has a path from its
//! first access to its second on which no fence is strong enough, and one of the places on that path must
//! get one. So a fence on one branch does not stand for the other, and a fence in a function counts for
//! every caller. A stretch that needs a full fence gives one row over the places of all its paths. Every
//! row is necessary for the constraints to hold, so when no delay is left, the cheapest solution of the
//! rows is the cheapest of all.

use std::time::{Duration, Instant};

use events::{ClassId, PlaceId};
use program::FenceKind;
use program::index::Idx;
use rustc_hash::FxHashSet;
use solver::cheapest_cover;

use crate::architecture::Strength;
use crate::delays::{Analysis, Delay, Wanted};
use crate::machine::EventId;
use crate::stretch::Stretch;

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

/// Fences after which no delay is left.
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
}

/// Why there is no placement.
#[derive(Clone, Debug)]
pub enum NoPlacement {
    /// No fence can order these accesses.
    NoFence {
        /// Whether there are places between them, but no kind of fence that may be put there is enough.
        has_place: bool,
        /// The thread.
        thread: ClassId,
        /// The first access.
        first: EventId,
        /// The second.
        second: EventId,
    },
    /// Time was up.
    OutOfTime,
}

/// How many delays of an access become rows at once.
const AT_ONCE: usize = 3;

/// How long optima are looked for, in all rounds together, before good solutions are taken.
const PATIENCE: Duration = Duration::from_secs(10);

/// Finds the cheapest fences.
pub fn place_fences(
    analysis: &Analysis<'_>,
    costs: &Costs<'_>,
    deadline: Option<Instant>,
) -> Result<Placement, NoPlacement> {
    let kinds = costs.kinds.len();
    let column = |place: PlaceId, kind: usize| place.index() * kinds + kind;
    let places = analysis.machine.graph.places.len();
    let prices: Vec<u64> = (0..places * kinds)
        .map(|column| costs.of(PlaceId::new(column / kinds), costs.kinds[column % kinds].0))
        .collect();
    let mut rows: Vec<Vec<usize>> = Vec::new();
    // What each row is there for, if it is one delay.
    let mut reasons: Vec<Option<Delay>> = Vec::new();
    let mut known: FxHashSet<Vec<usize>> = FxHashSet::default();
    let mut put = analysis.nothing_put();
    let mut chosen: Vec<usize> = Vec::new();
    let (mut is_optimal, mut rounds, mut spent) = (true, 0, Duration::ZERO);
    loop {
        if deadline.is_some_and(|end| Instant::now() > end) {
            return Err(NoPlacement::OutOfTime);
        }
        let before = rows.len();
        let mut is_done = true;
        for delay in analysis.delays(&put, Wanted::Nearest(AT_ONCE)) {
            is_done = false;
            let row = row_of_delay(analysis, costs, &delay, &column)?;
            if known.insert(row.clone()) {
                rows.push(row);
                reasons.push(Some(delay));
            }
        }
        if is_done {
            for stretch in analysis.stretches(&put) {
                is_done = false;
                let row = row_of_stretch(analysis, costs, &stretch, &column)?;
                if known.insert(row.clone()) {
                    rows.push(row);
                    reasons.push(None);
                }
            }
        }
        if is_done {
            break;
        }
        assert!(
            rows.len() > before,
            "a fence does not stop the path it was chosen for; please report this bug"
        );
        rounds += 1;
        let start = Instant::now();
        let patience = start + PATIENCE.saturating_sub(spent);
        let until = deadline.map_or(patience, |end| end.min(patience));
        let cover = cheapest_cover(&prices, &rows, Some(until)).ok_or(NoPlacement::OutOfTime)?;
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
    let breaks = only_stopped_by(&chosen, &rows, &reasons);
    let (fences, rows) = (fences.collect(), rows.len());
    Ok(Placement { fences, cost, is_optimal, rows, rounds, breaks })
}

/// For each chosen column, the delays that it alone stops.
fn only_stopped_by(
    chosen: &[usize],
    rows: &[Vec<usize>],
    reasons: &[Option<Delay>],
) -> Vec<Vec<Delay>> {
    let mut breaks: Vec<Vec<Delay>> = vec![Vec::new(); chosen.len()];
    for (row, reason) in rows.iter().zip(reasons) {
        let mut hits = row.iter().filter_map(|column| chosen.binary_search(column).ok());
        if let (Some(hit), None, Some(delay)) = (hits.next(), hits.next(), reason) {
            breaks[hit].push(delay.clone());
        }
    }
    breaks
}

fn row_of_delay(
    analysis: &Analysis<'_>,
    costs: &Costs<'_>,
    delay: &Delay,
    column: &impl Fn(PlaceId, usize) -> usize,
) -> Result<Vec<usize>, NoPlacement> {
    let (first, second) = (delay.first, delay.second);
    let row = columns(analysis, costs, (first, second, delay.needs), &delay.places, column);
    if row.is_empty() {
        let has_place = !delay.places.is_empty();
        Err(NoPlacement::NoFence { has_place, thread: delay.thread, first, second })
    } else {
        Ok(row)
    }
}

fn row_of_stretch(
    analysis: &Analysis<'_>,
    costs: &Costs<'_>,
    stretch: &Stretch,
    column: &impl Fn(PlaceId, usize) -> usize,
) -> Result<Vec<usize>, NoPlacement> {
    let row: Vec<usize> = stretch
        .links
        .iter()
        .flat_map(|link| {
            let pair = (link.first, link.second, Strength::Full);
            columns(analysis, costs, pair, &link.places, column)
        })
        .collect();
    match (row.is_empty(), stretch.links.first()) {
        (true, Some(link)) => Err(NoPlacement::NoFence {
            has_place: stretch.links.iter().any(|link| !link.places.is_empty()),
            thread: link.thread,
            first: link.first,
            second: link.second,
        }),
        (_, _) => Ok(row),
    }
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
