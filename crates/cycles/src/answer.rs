//! Answers as plain data, for whoever shows them.
//!
//! A static analysis knows that a program is robust, or that it may not be: a delay is a place where the
//! machine may reorder to the effect that an execution is not SC, as far as one can tell without looking
//! at values. It is never a violation.

use std::collections::BTreeSet;

use events::{Action, Graph, LocationSet, PlaceId, Side};
use program::{FenceKind, InsertionPoint, Order, Span};
use web_time::Instant;

use crate::architecture::{Arch, Direction, Strength};
use crate::critical::{Communication, communication};
use crate::delays::{Analysis, Delay, Needed, Strongly, Wanted};
use crate::enumerate::{Cycle, Visit, critical_cycles};
use crate::explain::Explainer;
use crate::groups::Groups;
use crate::machine::{Changed, Event, EventId, NodeRef, Orders, Settings};
use crate::order::Passed;
use crate::orders::{access_of, both, failing, is_at_least, of_locks, order_of};
use crate::placement::{Costs, Decision, Left, Made, NoFence, OutOfTime, Placement, place_fences};
use crate::policy::{Policy, by_policy};
use crate::reference::Reference;
use crate::stretch::Stretch;

/// What is asked.
pub struct Question<'q> {
    /// The program.
    pub graph: &'q Graph,
    /// The machine.
    pub arch: Arch,
    /// How orders are meant.
    pub orders: Orders,
    /// What it is compared with.
    pub reference: Reference,
    /// Whether dependencies order accesses.
    pub dependencies: bool,
    /// How many delays are shown with a cycle each.
    pub shown: usize,
    /// When to stop.
    pub deadline: Option<Instant>,
}

/// An access, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownAccess {
    /// Whether it reads or writes.
    pub direction: Direction,
    /// What it may hit, by name; nothing if it may hit anything.
    pub memory: Option<Vec<String>>,
    /// The function it is in.
    pub function: String,
    /// The text it stands for.
    pub span: Span,
}

/// What a cycle does in one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownVisit {
    /// The thread.
    pub thread: String,
    /// The access that the cycle enters.
    pub first: ShownAccess,
    /// The access that it leaves, if it is another.
    pub second: Option<ShownAccess>,
    /// How it goes on to the next thread.
    pub then: Communication,
}

/// A pair of accesses that the machine may reorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownDelay {
    /// The thread.
    pub thread: String,
    /// The access that comes first in program order.
    pub first: ShownAccess,
    /// The access that may overtake it.
    pub second: ShownAccess,
    /// How strongly they must be ordered.
    pub needs: Strength,
    /// A critical cycle through it, beginning with it.
    pub cycle: Vec<ShownVisit>,
}

/// What is known of a program on a machine.
#[derive(Clone, Debug)]
pub struct Found {
    /// The number of shared accesses, counted once for each class of threads.
    pub events: usize,
    /// The number of classes of threads.
    pub threads: usize,
    /// Whether cycles visit each thread and each address once; if not, there may be more delays than
    /// necessary.
    pub is_exact: bool,
    /// The number of delays.
    pub delays: usize,
    /// The first of them.
    pub shown: Vec<ShownDelay>,
    /// Chains of pairs that need a full fence in one of them, if no pair by itself needs more.
    pub stretches: Vec<Vec<ShownDelay>>,
    /// What it would be to make every shared access `seq_cst`.
    pub everywhere: Everywhere,
}

/// Every shared access with the strongest order, to be compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Everywhere {
    /// How many there are, each place in the text once.
    pub accesses: usize,
    /// What they cost.
    pub cost: u64,
}

impl Found {
    /// Whether every execution on the machine is one of what it is compared with.
    pub fn is_robust(&self) -> bool {
        self.delays == 0 && self.stretches.is_empty()
    }
}

/// A fence to be put in.
#[derive(Clone, Debug)]
pub struct ShownFence {
    /// Its place.
    pub place: PlaceId,
    /// Its kind.
    pub kind: FenceKind,
    /// The place in the text, if there is one.
    pub point: Option<InsertionPoint>,
    /// The text it stands beside.
    pub span: Span,
    /// On which side.
    pub side: Side,
    /// What it costs.
    pub cost: u64,
    /// Delays that there would be without it.
    pub breaks: Vec<ShownDelay>,
}

/// An access that gets another order.
#[derive(Clone, Debug)]
pub struct ShownOrder {
    /// Its node.
    pub node: NodeRef,
    /// The function it is in.
    pub function: String,
    /// The text it stands for.
    pub span: Span,
    /// What it may hit, by name; nothing if it may hit anything.
    pub memory: Option<Vec<String>>,
    /// The order it has.
    pub from: Order,
    /// The order it gets.
    pub to: Order,
    /// The order of a compare-and-swap that fails.
    pub failing: Option<Order>,
    /// What it costs.
    pub cost: u64,
    /// Delays that there would be without it.
    pub breaks: Vec<ShownDelay>,
}

/// Fences and orders after which every execution is one of what it is compared with, but for what is left.
#[derive(Clone, Debug)]
pub struct Repair {
    /// The fences.
    pub fences: Vec<ShownFence>,
    /// The accesses that get another order.
    pub orders: Vec<ShownOrder>,
    /// What was decided, as it is compiled.
    pub changed: Changed,
    /// What they cost.
    pub cost: u64,
    /// Whether nothing cheaper stops all delays that can be stopped.
    pub is_optimal: bool,
    /// The rows of the integer program.
    pub rows: usize,
    /// How often it was solved.
    pub rounds: usize,
    /// What nothing can stop, each place in the text once.
    pub left: Vec<ShownLeft>,
}

impl Repair {
    /// The same without one of its orders and fences, which have numbers in this order, or with another order.
    #[must_use]
    pub fn with(&self, graph: &Graph, number: usize, order: Option<(Order, u64)>) -> Self {
        let mut other = self.clone();
        let Some(known) = other.orders.get_mut(number) else {
            let gone = other.fences.remove(number - self.orders.len());
            other.cost -= gone.cost;
            return other;
        };
        other.cost -= known.cost;
        let node = known.node;
        match (order, &graph.functions[node.0].nodes[node.1].action) {
            (Some((to, cost)), Action::Access(access)) => {
                (known.to, known.cost, known.failing) = (to, cost, failing(access, to));
                other.cost += cost;
            }
            (_, _) => {
                other.orders.remove(number);
            }
        }
        other
    }

    /// Whether nothing is left.
    pub fn is_whole(&self) -> bool {
        self.left.is_empty()
    }
}

/// Accesses that nothing can order.
#[derive(Clone, Debug)]
pub struct ShownLeft {
    /// One pair, or several of which one needs a full fence. Only the first of all have a cycle.
    pub pairs: Vec<ShownDelay>,
    /// Why there is no fence.
    pub why: NoFence,
}

/// The fences of a policy.
#[derive(Clone, Debug)]
pub struct PolicyFences {
    /// The policy.
    pub policy: Policy,
    /// How many fences it puts in.
    pub fences: usize,
    /// What they cost.
    pub cost: u64,
    /// How many accesses have no place for theirs.
    pub without_place: usize,
}

/// A program under analysis, that can be asked.
pub struct Asked<'q> {
    question: Question<'q>,
    analysis: Analysis<'q>,
}

impl<'q> Asked<'q> {
    /// Finds the critical pairs.
    pub fn new(question: Question<'q>) -> Self {
        Self::changed(question, Changed::default())
    }

    /// The same of a program in which some fences are new: what it is compared with does not have them.
    pub fn with_new_fences(question: Question<'q>, added: BTreeSet<NodeRef>) -> Self {
        Self::changed(question, Changed { added, ..Changed::default() })
    }

    fn changed(question: Question<'q>, changed: Changed) -> Self {
        let Question { graph, arch, orders, reference, dependencies, .. } = question;
        let settings = Settings { arch, orders, reference, dependencies };
        let analysis = Analysis::compiled(graph, settings, changed);
        Self { question, analysis }
    }

    /// Whether every execution on the machine is one of what it is compared with.
    pub fn is_robust(&self) -> bool {
        self.analysis.is_robust(&self.analysis.nothing_put())
    }

    /// The delays.
    pub fn find(&self) -> Found {
        let put = self.analysis.nothing_put();
        let delays = self.analysis.count_delays(&put);
        let shown = self.question.shown;
        let nearest = self.analysis.first_delays(&put, Wanted::Nearest(shown.max(1)), shown);
        let stretches = if delays == 0 { self.analysis.stretches(&put) } else { Vec::new() };
        Found {
            events: self.analysis.events(),
            threads: self.question.graph.threads.len(),
            is_exact: self.analysis.is_exact(),
            delays,
            shown: self.shown(&mut Explainer::new(&self.analysis), &nearest),
            stretches: stretches
                .iter()
                .take(self.question.shown)
                .map(|stretch| self.stretch(stretch))
                .collect(),
            everywhere: self.everywhere(),
        }
    }

    /// Every access that other threads may run beside, made `seq_cst`.
    fn everywhere(&self) -> Everywhere {
        let (graph, machine) = (self.question.graph, &self.analysis.machine);
        let groups = Groups::new(graph);
        let events = graph.threads.indices().flat_map(|thread| machine.events_of(thread));
        let nodes: BTreeSet<NodeRef> =
            events.map(|event| groups.first(machine.events[event].node)).collect();
        let mut all = Everywhere::default();
        for (function, node) in nodes {
            if let Action::Access(access) = &graph.functions[function].nodes[node].action {
                all.accesses += 1;
                all.cost += self.question.arch.order_cost(access.kind, Order::SeqCst);
            }
        }
        all
    }

    /// The cheapest fences and orders.
    pub fn repair(&self, costs: &Costs<'_>) -> Result<Repair, OutOfTime> {
        let mut best = place_fences(&self.analysis, costs, self.question.deadline)?;
        if let Some((locks, placement)) = self.with_locks(costs)? {
            let is_optimal = best.is_optimal && placement.is_optimal && locks == 1;
            if (placement.left.len(), placement.cost) < (best.left.len(), best.cost) {
                best = placement;
            }
            best.is_optimal = is_optimal;
        }
        Ok(self.repaired(best))
    }

    /// The cheapest where all locks acquire and release, so that they order what is done under them, and how many locks
    /// do so only now; nothing if all do already, or not all can.
    fn with_locks(&self, costs: &Costs<'_>) -> Result<Option<(usize, Placement)>, OutOfTime> {
        let Analysis { machine, .. } = &self.analysis;
        let groups = Groups::new(machine.graph);
        let mut changed = machine.changed.clone();
        let mut made = Vec::new();
        let mut locks: BTreeSet<&LocationSet> = BTreeSet::new();
        for (node, order) in of_locks(machine.graph) {
            let (Some(access), Some(now)) = (access_of(machine, node), order_of(machine, node))
            else {
                continue;
            };
            if is_at_least(now, order) {
                continue;
            }
            let decision = Decision::Order(groups.first(node), order);
            let Some(cost) = (costs.order)(groups.first(node), order) else { return Ok(None) };
            changed.orders.insert(node, both(now, order));
            locks.insert(&access.locations);
            if groups.first(node) == node {
                made.push(Made { decision, cost, breaks: Vec::new() });
            }
        }
        if made.is_empty() {
            return Ok(None);
        }
        let analysis = Analysis::compiled(machine.graph, machine.settings, changed);
        let mut placement = place_fences(&analysis, costs, self.question.deadline)?;
        placement.cost += made.iter().map(|made| made.cost).sum::<u64>();
        placement.made.extend(made);
        Ok(Some((locks.len(), placement)))
    }

    /// The cheapest that order some pairs: those of which it says so, by the text and the direction of both.
    pub fn repair_where(
        &self,
        costs: &Costs<'_>,
        is_needed: &dyn Fn(&Event, &Event) -> bool,
        strongly: Strongly,
    ) -> Result<Repair, OutOfTime> {
        let all = self.analysis.delays(&self.analysis.nothing_put(), Wanted::All);
        let events = &self.analysis.machine.events;
        let pairs = all.iter().map(|delay| (delay.first, delay.second));
        let is_needed =
            |(first, second): &(EventId, EventId)| is_needed(&events[*first], &events[*second]);
        let needed = Needed { pairs: pairs.filter(is_needed).collect(), strongly };
        let analysis = self.analysis.where_needed(needed);
        Ok(self.repaired(place_fences(&analysis, costs, self.question.deadline)?))
    }

    fn repaired(&self, placement: Placement) -> Repair {
        let graph = self.question.graph;
        let mut explainer = Explainer::new(&self.analysis);
        let mut fences = Vec::new();
        let mut orders: Vec<ShownOrder> = Vec::new();
        for made in &placement.made {
            let breaks: Vec<Delay> = made.breaks.iter().map(|(_, delay)| delay.clone()).collect();
            match made.decision {
                Decision::Fence(place, kind) => {
                    let data = &graph.places[place];
                    fences.push(ShownFence {
                        place,
                        kind,
                        point: data.point,
                        span: data.span,
                        side: data.side,
                        cost: made.cost,
                        breaks: self.shown(&mut explainer, &breaks),
                    });
                }
                // An access that acquires and releases is two decisions, and one change.
                Decision::Order(node, _) => {
                    let breaks = self.shown(&mut explainer, &breaks);
                    if let Some(known) = orders.iter_mut().find(|it| it.node == node) {
                        known.cost += made.cost;
                        known.breaks.extend(breaks);
                    } else {
                        orders.extend(self.order(node, &placement, made.cost, breaks));
                    }
                }
                Decision::Keep(_) => {}
            }
        }
        let left = self.left(&mut explainer, &placement.left);
        let Placement { cost, is_optimal, rows, rounds, changed, .. } = placement;
        Repair { fences, orders, changed, cost, is_optimal, rows, rounds, left }
    }

    fn order(
        &self,
        node: NodeRef,
        placement: &Placement,
        cost: u64,
        breaks: Vec<ShownDelay>,
    ) -> Option<ShownOrder> {
        let graph = self.question.graph;
        let data = &graph.functions[node.0].nodes[node.1];
        let Action::Access(access) = &data.action else { return None };
        let to = *placement.changed.orders.get(&node)?;
        Some(ShownOrder {
            node,
            function: graph.functions[node.0].name.clone(),
            span: data.span,
            memory: memory(graph, &access.locations),
            from: access.order,
            to,
            failing: failing(access, to),
            cost,
            breaks,
        })
    }

    /// What nothing can stop. The same two places in the text are told once, whatever is compiled there.
    fn left(&self, explainer: &mut Explainer<'_, 'q>, all: &[Left]) -> Vec<ShownLeft> {
        let mut told: Vec<ShownLeft> = Vec::new();
        let mut seen = BTreeSet::new();
        for left in all {
            let pairs: Vec<ShownDelay> =
                left.pairs.iter().map(|pair| self.delay(pair, None)).collect();
            let access = |access: &ShownAccess| {
                let from = access.span.source.map(|source| (source, access.span.start));
                (access.direction, from, access.function.clone())
            };
            let key: Vec<_> =
                pairs.iter().map(|pair| (access(&pair.first), access(&pair.second))).collect();
            if !seen.insert(key) {
                continue;
            }
            let mut shown = ShownLeft { pairs, why: left.why };
            if told.len() < self.question.shown
                && let ([pair], [delay]) = (&mut shown.pairs[..], &left.pairs[..])
            {
                let cycle = explainer.cycle(delay);
                pair.cycle = cycle.map_or_else(Vec::new, |cycle| self.walk(&cycle));
            }
            told.push(shown);
        }
        told
    }

    /// What older policies would put in.
    pub fn policies(&self, costs: &Costs<'_>) -> Vec<PolicyFences> {
        Policy::ALL
            .into_iter()
            .map(|policy| {
                let by_policy = by_policy(&self.analysis, policy);
                let cost = by_policy.fences.iter().map(|(place, kind)| costs.of(*place, *kind));
                PolicyFences {
                    policy,
                    fences: by_policy.fences.len(),
                    cost: cost.sum(),
                    without_place: by_policy.without_place,
                }
            })
            .collect()
    }

    /// Where a policy puts its fences. Nothing is claimed about the program with them.
    pub fn by_policy(&self, policy: Policy, costs: &Costs<'_>) -> Vec<ShownFence> {
        let fences = by_policy(&self.analysis, policy).fences.into_iter();
        fences
            .map(|(place, kind)| {
                let data = &self.question.graph.places[place];
                ShownFence {
                    place,
                    kind,
                    point: data.point,
                    span: data.span,
                    side: data.side,
                    cost: costs.of(place, kind),
                    breaks: Vec::new(),
                }
            })
            .collect()
    }

    /// All critical cycles that contain a delay, at most so many, and whether they are all.
    pub fn cycles(&self, most: usize) -> (Vec<Vec<ShownVisit>>, bool) {
        let all = critical_cycles(&self.analysis, most);
        let delays = self.analysis.delays(&self.analysis.nothing_put(), Wanted::All);
        let is_delayed = |visit: &Visit| {
            delays.iter().any(|delay| {
                (delay.thread, delay.first, delay.second)
                    == (visit.thread, visit.first, visit.second)
            })
        };
        let critical = all.cycles.iter().filter(|cycle| cycle.iter().any(is_delayed));
        (critical.map(|cycle| self.walk(cycle)).collect(), all.is_complete)
    }

    fn shown(&self, explainer: &mut Explainer<'_, 'q>, delays: &[Delay]) -> Vec<ShownDelay> {
        let shown = delays.iter().take(self.question.shown);
        shown.map(|delay| self.delay(delay, explainer.cycle(delay))).collect()
    }

    fn stretch(&self, stretch: &Stretch) -> Vec<ShownDelay> {
        let link = |link: &crate::stretch::Link| {
            let (thread, first, second) = (link.thread, link.first, link.second);
            let (needs, passed) = (Strength::Full, Passed::default());
            self.delay(&Delay { thread, first, second, needs, passed }, None)
        };
        stretch.links.iter().map(link).collect()
    }

    fn delay(&self, delay: &Delay, cycle: Option<Cycle>) -> ShownDelay {
        ShownDelay {
            thread: self.question.graph.threads[delay.thread].name.clone(),
            first: self.access(delay.first),
            second: self.access(delay.second),
            needs: delay.needs,
            cycle: cycle.map_or_else(Vec::new, |cycle| self.walk(&cycle)),
        }
    }

    fn walk(&self, cycle: &[Visit]) -> Vec<ShownVisit> {
        let direction = |event: EventId| self.analysis.machine.events[event].direction;
        let visits = cycle.iter().enumerate().map(|(number, visit)| {
            let next = &cycle[(number + 1) % cycle.len()];
            let then = communication(direction(visit.second), direction(next.first));
            ShownVisit {
                thread: self.question.graph.threads[visit.thread].name.clone(),
                first: self.access(visit.first),
                // A read is never alone: in a loop it may be executed twice.
                second: (visit.second != visit.first || direction(visit.first) == Direction::Read)
                    .then(|| self.access(visit.second)),
                then: then.unwrap_or(Communication::ReadFrom),
            }
        });
        visits.collect()
    }

    fn access(&self, event: EventId) -> ShownAccess {
        let data = &self.analysis.machine.events[event];
        ShownAccess {
            direction: data.direction,
            memory: memory(self.question.graph, &data.locations),
            function: self.question.graph.functions[data.node.0].name.clone(),
            span: data.span,
        }
    }
}

/// What an access may hit, by name.
pub(crate) fn memory(graph: &Graph, locations: &LocationSet) -> Option<Vec<String>> {
    match locations {
        LocationSet::Any | LocationSet::Before(_) => None,
        LocationSet::Some(set) => {
            Some(set.iter().map(|memory| graph.locations[*memory].name.clone()).collect())
        }
    }
}
