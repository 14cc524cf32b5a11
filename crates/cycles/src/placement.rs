//! The cheapest fences and orders after which no delay is left.
//!
//! CAV'14 §6 writes one integer program with a constraint for every delay of every cycle. Here rows are
//! made when they are needed: with what was decided so far, each delay that is left has a path from its
//! first access to its second on which nothing is strong enough, and one of the decisions that would order it
//! must be made: a fence at a place on that path, a stronger order of one of the accesses, or of one in
//! between ([`crate::orders`]), or a fence that is there and may go stays. So a fence on one branch does not
//! stand for the other, and a fence in a function counts for every caller. A stretch that needs a full fence
//! gives one row over all its paths. Every row is necessary for the constraints to hold, so when no delay is
//! left, the cheapest solution of the rows is the cheapest of all. Several analyses of one graph, for several
//! architectures, have one solution: their rows together.
//!
//! A path on which nothing that may be decided is strong enough cannot be stopped, whatever is decided elsewhere:
//! its pair of accesses is left, and told. Whatever was a row only for such a pair is no row any more. So the
//! decisions are the cheapest that stop all delays that can be stopped at all, and every delay that there still
//! is with them is told. Of a stretch, all pairs must be so. Where fences alone are decided, such pairs are known
//! beforehand: those that are not in order with all fences at all places.
//!
//! With fences alone that is exact. An order that takes effect only beside two others of the same access or path
//! is not looked for: then something cheaper could exist, on paper.

use std::time::Duration;

use events::{Action, Graph, PlaceId};
use program::{FenceKind, Order};
use rustc_hash::{FxHashMap, FxHashSet};
use solver::cheapest_cover;
use web_time::Instant;

use crate::architecture::Strength;
use crate::delays::{Analysis, Delay, Hopeless, Put};
use crate::groups::Groups;
use crate::machine::{Changed, EventId, NodeRef};
use crate::orders::{Pair, Pieces, both, order_of, ordering};
use crate::stretch::{Link, Pair as ClassPair, Stretch};
use crate::unordered::Unordered;

/// What decisions cost.
pub struct Costs<'c> {
    /// The kinds of fences that may be put in, and what each costs.
    pub kinds: &'c [(FenceKind, u64)],
    /// What to multiply it with at a place.
    pub weight: &'c dyn Fn(PlaceId) -> u64,
    /// What an access of an order costs more than a relaxed one, if it may be given the order.
    pub order: &'c dyn Fn(NodeRef, Order) -> Option<u64>,
    /// What a fence that is there costs, if it may go.
    pub existing: &'c dyn Fn(NodeRef) -> Option<u64>,
}

/// No order may be given.
pub const NO_ORDERS: &dyn Fn(NodeRef, Order) -> Option<u64> = &|_, _| None;

/// No fence may go.
pub const NONE_GOES: &dyn Fn(NodeRef) -> Option<u64> = &|_| None;

impl<'c> Costs<'c> {
    /// Fences alone.
    pub fn of_fences(kinds: &'c [(FenceKind, u64)], weight: &'c dyn Fn(PlaceId) -> u64) -> Self {
        Self { kinds, weight, order: NO_ORDERS, existing: NONE_GOES }
    }

    /// What a fence costs at a place.
    pub fn of(&self, place: PlaceId, kind: FenceKind) -> u64 {
        let price = self.kinds.iter().find(|(other, _)| *other == kind);
        let price = price.map_or(1, |(_, price)| *price);
        price.saturating_mul((self.weight)(place)).clamp(1, solver::MAX_COST)
    }

    /// All fences that may be put in, at all places, if nothing else may be decided.
    fn all_fences(&self, graph: &Graph) -> Option<Put> {
        let given = [Order::Acquire, Order::Release, Order::AcquireRelease, Order::SeqCst];
        let is_fixed = |node: NodeRef, action: &Action| match action {
            Action::Access(_) => given.iter().all(|order| (self.order)(node, *order).is_none()),
            Action::Fence(_) => (self.existing)(node).is_none(),
            Action::Skip | Action::Call(_) => true,
        };
        let is_by_fences = graph.functions.enumerate().all(|(function, data)| {
            data.nodes.enumerate().all(|(node, data)| is_fixed((function, node), &data.action))
        });
        let kinds: Vec<FenceKind> = self.kinds.iter().map(|(kind, _)| *kind).collect();
        is_by_fences.then(|| graph.places.iter().map(|_| kinds.clone()).collect())
    }

    fn price(&self, decision: Decision) -> u64 {
        let price = match decision {
            Decision::Fence(place, kind) => self.of(place, kind),
            Decision::Order(node, order) => (self.order)(node, order).unwrap_or(1),
            Decision::Keep(node) => (self.existing)(node).unwrap_or(1),
        };
        price.clamp(1, solver::MAX_COST)
    }
}

/// Something that can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// A fence of a kind is put at a place.
    Fence(PlaceId, FenceKind),
    /// An access gets an order, beside what it has.
    Order(NodeRef, Order),
    /// A fence that may go stays.
    Keep(NodeRef),
}

/// A decision that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// What was decided.
    pub decision: Decision,
    /// What it costs.
    pub cost: u64,
    /// Delays that nothing else that was decided stops, each with the number of its analysis.
    pub breaks: Vec<(usize, Delay)>,
}

/// The cheapest decisions, and what they cannot stop.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The decisions.
    pub made: Vec<Made>,
    /// The fences among them.
    pub fences: Vec<(PlaceId, FenceKind)>,
    /// What is compiled otherwise after them.
    pub changed: Changed,
    /// What they cost together.
    pub cost: u64,
    /// Whether nothing cheaper does.
    pub is_optimal: bool,
    /// How many rows the integer program had at the end.
    pub rows: usize,
    /// How often it was solved.
    pub rounds: usize,
    /// The delays that nothing can stop; if there are none, every execution is one of what the program is
    /// compared with.
    pub left: Vec<Left>,
}

/// Accesses that nothing can order.
#[derive(Clone, Debug)]
pub struct Left {
    /// One pair, or several joined by `rfe` of which one needs a full fence.
    pub pairs: Vec<Delay>,
    /// The number of the analysis.
    pub analysis: usize,
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

/// Finds the cheapest fences and orders that stop all delays that can be stopped.
pub fn place_fences(
    analysis: &Analysis<'_>,
    costs: &Costs<'_>,
    deadline: Option<Instant>,
) -> Result<Placement, OutOfTime> {
    place_for_all(&[analysis], costs, deadline)
}

/// Finds the cheapest fences and orders that are enough in each of several analyses of one graph.
pub fn place_for_all(
    analyses: &[&Analysis<'_>],
    costs: &Costs<'_>,
    deadline: Option<Instant>,
) -> Result<Placement, OutOfTime> {
    let start = analyses.first().ok_or(OutOfTime)?.machine.changed.clone();
    let groups = Groups::new(analyses[0].machine.graph);
    let mut rows = Rows::new(costs, &groups, analyses.len());
    let most = costs.all_fences(analyses[0].machine.graph);
    if let Some(most) = &most {
        for (hopes, analysis) in rows.hopes.iter_mut().zip(analyses) {
            hopes.pairs = analysis.hopeless_pairs(most);
        }
    }
    let mut searches: Option<Vec<Unordered<'_, '_>>> = most
        .as_ref()
        .map(|most| analyses.iter().map(|analysis| Unordered::but(analysis, most)).collect());
    let mut put: Put = analyses[0].nothing_put();
    let mut changed = start.clone();
    let mut chosen: Vec<usize> = Vec::new();
    let (mut is_optimal, mut rounds, mut spent) = (true, 0, Duration::ZERO);
    loop {
        let known = rows.hopeless();
        let mut is_done = true;
        let mut has_new = false;
        for (number, analysis) in analyses.iter().enumerate() {
            if deadline.is_some_and(|end| Instant::now() > end) {
                return Err(OutOfTime);
            }
            let with_orders = (changed != start).then(|| analysis.compiled_with(changed.clone()));
            let analysis = with_orders.as_ref().unwrap_or(analysis);
            let search = searches.as_mut().map(|all| &mut all[number]);
            let found = rows.of_analysis(number, analysis, &put, search);
            is_done &= !found.has_any;
            has_new |= found.has_new;
        }
        let is_less = rows.hopeless() > known;
        if is_less {
            let before = rows.all.len();
            rows.leave_out();
            // Without them, fewer decisions may be enough.
            is_done &= rows.all.len() == before;
        }
        if is_done {
            break;
        }
        assert!(
            has_new || is_less,
            "a decision does not stop the path it was made for; please report this bug"
        );
        rounds += 1;
        let begin = Instant::now();
        let patience = begin + PATIENCE.saturating_sub(spent);
        let until = deadline.map_or(patience, |end| end.min(patience));
        let sets: Vec<Vec<usize>> = rows.all.iter().map(|row| row.columns.clone()).collect();
        let cover = cheapest_cover(&rows.prices, &sets, Some(until)).ok_or(OutOfTime)?;
        spent += begin.elapsed();
        is_optimal = cover.is_optimal;
        chosen = cover.columns;
        (put, changed) = rows.decided(analyses[0], &start, &chosen);
    }
    let cost = chosen.iter().map(|column| rows.prices[*column]).sum();
    let made = rows.made(&chosen);
    let fences = made.iter().filter_map(|made| match made.decision {
        Decision::Fence(place, kind) => Some((place, kind)),
        Decision::Order(..) | Decision::Keep(_) => None,
    });
    let (fences, count) = (fences.collect(), rows.all.len());
    if let Some(most) = &most {
        for (hopes, analysis) in rows.hopes.iter_mut().zip(analyses) {
            hopes.delays.all = analysis.hopeless_delays(most);
            hopes.stretches = analysis.stretches(most);
        }
    }
    let left = rows.left();
    Ok(Placement { made, fences, changed, cost, is_optimal, rows: count, rounds, left })
}

/// What a row is there for.
#[derive(Clone, Debug)]
enum Reason {
    Delay(Delay),
    /// The classes of a stretch's pairs.
    Stretch(Vec<ClassPair>),
}

/// Decisions one of which must be made.
struct Row {
    columns: Vec<usize>,
    /// Each with the number of its analysis.
    reasons: Vec<(usize, Reason)>,
}

/// What nothing can stop, in one analysis.
#[derive(Default)]
struct Hopes {
    delays: Hopeless,
    pairs: FxHashSet<ClassPair>,
    stretches: Vec<Stretch>,
}

/// What was found in one analysis.
struct New {
    has_any: bool,
    has_new: bool,
}

/// The integer program.
struct Rows<'c> {
    costs: &'c Costs<'c>,
    groups: &'c Groups,
    /// The decisions that have a column, and what each costs.
    decisions: Vec<Decision>,
    prices: Vec<u64>,
    columns: FxHashMap<Decision, usize>,
    all: Vec<Row>,
    numbers: FxHashMap<Vec<usize>, usize>,
    /// For each analysis, what cannot be stopped, and what accesses are compiled to.
    hopes: Vec<Hopes>,
    pieces: Vec<Pieces>,
}

impl<'c> Rows<'c> {
    fn new(costs: &'c Costs<'c>, groups: &'c Groups, analyses: usize) -> Self {
        Self {
            costs,
            groups,
            decisions: Vec::new(),
            prices: Vec::new(),
            columns: FxHashMap::default(),
            all: Vec::new(),
            numbers: FxHashMap::default(),
            hopes: (0..analyses).map(|_| Hopes::default()).collect(),
            pieces: (0..analyses).map(|_| Pieces::default()).collect(),
        }
    }

    fn hopeless(&self) -> usize {
        self.hopes.iter().map(|hopes| hopes.delays.all.len() + hopes.stretches.len()).sum()
    }

    fn column(&mut self, decision: Decision) -> usize {
        let next = self.decisions.len();
        let column = *self.columns.entry(decision).or_insert(next);
        if column == next {
            self.decisions.push(decision);
            self.prices.push(self.costs.price(decision));
        }
        column
    }

    /// Adds a reason for a row; whether the row is new.
    fn add(&mut self, mut columns: Vec<usize>, reason: (usize, Reason)) -> bool {
        columns.sort_unstable();
        columns.dedup();
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
    fn leave_out(&mut self) {
        for row in &mut self.all {
            row.reasons.retain(|(analysis, reason)| {
                let hopes = &self.hopes[*analysis];
                match reason {
                    Reason::Delay(delay) => {
                        !hopes.delays.contains((delay.thread, delay.first, delay.second))
                    }
                    Reason::Stretch(pairs) => pairs.iter().any(|pair| !hopes.pairs.contains(pair)),
                }
            });
        }
        self.all.retain(|row| !row.reasons.is_empty());
        let numbered = self.all.iter().enumerate();
        self.numbers = numbered.map(|(number, row)| (row.columns.clone(), number)).collect();
    }

    /// Adds rows for what is not ordered with these decisions.
    fn of_analysis<'g>(
        &mut self,
        number: usize,
        analysis: &Analysis<'g>,
        put: &Put,
        search: Option<&mut Unordered<'_, 'g>>,
    ) -> New {
        let mut hopes = std::mem::take(&mut self.hopes[number]);
        let is_stoppable = |delay: &Delay| !self.of_delay(number, analysis, delay).is_empty();
        let delays = match search {
            Some(search) => analysis.delays_to_stop(search, put, AT_ONCE),
            None => analysis.stoppable_delays(put, AT_ONCE, &mut hopes.delays, is_stoppable),
        };
        let mut new = New { has_any: !delays.is_empty(), has_new: false };
        for delay in delays {
            for row in self.of_delay(number, analysis, &delay) {
                new.has_new |= self.add(row, (number, Reason::Delay(delay.clone())));
            }
        }
        if !new.has_any {
            for stretch in analysis.stretches_but(put, &hopes.pairs) {
                new.has_any = true;
                let row = self.of_stretch(number, analysis, &stretch);
                if row.is_empty() {
                    hopes.pairs.extend(&stretch.classes);
                    hopes.stretches.push(stretch);
                } else {
                    new.has_new |= self.add(row, (number, Reason::Stretch(stretch.classes)));
                }
            }
        }
        self.hopes[number] = hopes;
        new
    }

    /// The rows for a delay; none if it cannot be stopped.
    fn of_delay(
        &mut self,
        number: usize,
        analysis: &Analysis<'_>,
        delay: &Delay,
    ) -> Vec<Vec<usize>> {
        let (first, second) = (delay.first, delay.second);
        let pair = Pair { first, second, needs: delay.needs, passed: &delay.passed };
        let (row, together) = self.of_pair(number, analysis, &pair);
        match together {
            Some(halves) => halves.into_iter().map(|half| [half, row.clone()].concat()).collect(),
            None if row.is_empty() => Vec::new(),
            None => vec![row],
        }
    }

    fn of_stretch(
        &mut self,
        number: usize,
        analysis: &Analysis<'_>,
        stretch: &Stretch,
    ) -> Vec<usize> {
        let mut row = Vec::new();
        for link in &stretch.links {
            let (first, second) = (link.first, link.second);
            let pair = Pair { first, second, needs: Strength::Full, passed: &link.passed };
            row.extend(self.of_pair(number, analysis, &pair).0);
        }
        row
    }

    /// The decisions that order a pair, each alone; and those that do so one of these with one of those.
    fn of_pair(
        &mut self,
        number: usize,
        analysis: &Analysis<'_>,
        pair: &Pair<'_>,
    ) -> (Vec<usize>, Option<[Vec<usize>; 2]>) {
        let machine = &analysis.machine;
        let direction = machine.events[pair.second].direction;
        let is_enough =
            |kind: FenceKind| machine.by_fence(kind, pair.first, direction) >= pair.needs;
        let mut row = Vec::new();
        for place in &pair.passed.places {
            for (kind, _) in self.costs.kinds.iter().filter(|(kind, _)| is_enough(*kind)) {
                row.push(self.column(Decision::Fence(*place, *kind)));
            }
        }
        for (node, kind) in &pair.passed.gone {
            let first = self.groups.first(*node);
            if is_enough(*kind) && (self.costs.existing)(first).is_some() {
                row.push(self.column(Decision::Keep(first)));
            }
        }
        let costs = self.costs;
        let groups = self.groups;
        let may_be =
            |node: NodeRef, order: Order| (costs.order)(groups.first(node), order).is_some();
        let found = ordering(machine, &mut self.pieces[number], pair, &may_be);
        let order = |(node, order): (NodeRef, Order)| Decision::Order(groups.first(node), order);
        row.extend(found.alone.into_iter().map(|it| self.column(order(it))).collect::<Vec<_>>());
        let together = found.together.map(|halves| {
            halves.map(|half| half.into_iter().map(|it| self.column(order(it))).collect())
        });
        (row, together)
    }

    /// What is put in and compiled otherwise with the decisions of some columns.
    fn decided(
        &self,
        analysis: &Analysis<'_>,
        start: &Changed,
        chosen: &[usize],
    ) -> (Put, Changed) {
        let mut put = analysis.nothing_put();
        let mut changed = start.clone();
        for column in chosen {
            match self.decisions[*column] {
                Decision::Fence(place, kind) => put[place].push(kind),
                Decision::Order(node, order) => {
                    for node in self.groups.members(node) {
                        let own = order_of(&analysis.machine, *node).unwrap_or(Order::Plain);
                        let now = changed.orders.entry(*node).or_insert(own);
                        *now = both(*now, order);
                    }
                }
                Decision::Keep(node) => {
                    for node in self.groups.members(node) {
                        changed.without.remove(node);
                    }
                }
            }
        }
        (put, changed)
    }

    /// The chosen columns, each with the delays that it alone stops.
    fn made(&self, chosen: &[usize]) -> Vec<Made> {
        let mut made: Vec<Made> = chosen
            .iter()
            .map(|column| Made {
                decision: self.decisions[*column],
                cost: self.prices[*column],
                breaks: Vec::new(),
            })
            .collect();
        for row in &self.all {
            let mut hits =
                row.columns.iter().filter_map(|column| chosen.binary_search(column).ok());
            if let (Some(hit), None) = (hits.next(), hits.next()) {
                made[hit].breaks.extend(row.reasons.iter().find_map(|(analysis, reason)| {
                    match reason {
                        Reason::Delay(delay) => Some((*analysis, delay.clone())),
                        Reason::Stretch(_) => None,
                    }
                }));
            }
        }
        made.sort_by_key(|made| made.decision);
        made
    }

    /// What cannot be stopped, each pair of accesses once.
    fn left(self) -> Vec<Left> {
        let why = |pairs: &[Delay]| {
            if pairs.iter().any(|pair| !pair.passed.places.is_empty()) {
                NoFence::NoKind
            } else {
                NoFence::NoPlace
            }
        };
        let mut left: Vec<Left> = Vec::new();
        // Whichever thread executes them.
        let mut seen: FxHashSet<(EventId, EventId)> = FxHashSet::default();
        for (analysis, hopes) in self.hopes.into_iter().enumerate() {
            for delay in hopes.delays.all {
                if seen.insert((delay.first, delay.second)) {
                    let pairs = vec![delay];
                    left.push(Left { why: why(&pairs), analysis, pairs });
                }
            }
            for stretch in hopes.stretches {
                let delay = |link: Link| {
                    let Link { thread, first, second, passed } = link;
                    Delay { thread, first, second, needs: Strength::Full, passed }
                };
                let pairs: Vec<Delay> = stretch.links.into_iter().map(delay).collect();
                left.push(Left { why: why(&pairs), analysis, pairs });
            }
        }
        left
    }
}
