//! Repairs of closed programs that order only what executions need.
//!
//! The static analysis knows no values, so it orders pairs that no execution reorders. Where all executions of the
//! closed program are known ([`super::confirmed`]), pairs that lie on no cycle of any of them need nothing: a stronger
//! order and a fence only take executions away, so a violation of the repaired program is one of the program, and all
//! pairs on its cycle are among those that were confirmed. So the cheapest orders and fences are looked for that order
//! the confirmed pairs alone.
//!
//! That is how a repair is found, and not why it is right: pairs are recognised by the texts they stand for, and chains
//! that need a full fence on Power (`cycles::stretch`) are left out at first. Right it is because all executions
//! of the repaired program, read again, are enumerated and compared with the reference. If one is left, pairs are
//! ordered more strongly, chains are fenced too, and in the end all static delays are ordered.
//!
//! Executions of the program as it is show more than those of one that is partly repaired: a lock that does not work lets
//! two threads into a section, where everything is out of order. So in the end each order and fence is left out, or made
//! weaker, as long as the enumerator still proves the rest: nothing of what remains can be left out.

use std::ops::ControlFlow;
use web_time::Instant;

use axiomatic::{Does, Limits, Looking, Respected, reordered};
use cycles::answer::{Asked, Repair, ShownFence};
use cycles::orders::{both, is_at_least, orders_of};
use cycles::{Costs, Direction, Event, NodeRef, Strongly};
use events::{Action, Graph, PlaceId};
use program::{FenceKind, Order, Program, Sources, Span};

use super::Cycles;
use super::confirmed::{Confirmed, Judgement, MOST_EXECUTIONS, compared, model};
use super::texts::{Edges, Texts};

/// What the enumerator says of a repaired program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// All its executions on the machine are ones of the reference.
    Enumerated {
        /// The candidate executions that were looked at.
        executions: u64,
        /// Whether only that says so: the static analysis would change more.
        is_needed: bool,
    },
    /// It does not know, for this reason.
    Open(String),
}

/// An execution is left that the reference does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weak;

/// A repaired program, as it is read.
pub(super) struct Reread {
    /// Its texts that change.
    pub(super) texts: Texts,
    /// The closed program.
    pub(super) program: Program,
    /// Its new fences.
    pub(super) added: Edges,
}

/// A repair that the enumerator has proven.
pub(super) struct Refined {
    pub(super) repair: Repair,
    pub(super) texts: Texts,
    pub(super) proof: Proof,
}

/// What a repair may consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// What acquires and releases, as a text that says what it means would.
    AcquireRelease,
    /// All orders and fences.
    Anything,
}

impl Style {
    const ALL: [Self; 2] = [Self::AcquireRelease, Self::Anything];
}

/// What a repair makes of the program, if it can be written, or what is wrong.
pub(super) type Rereading<'a, E> = dyn Fn(&Repair) -> Result<Option<Reread>, E> + 'a;

/// A repair for the confirmed delays, if there is one that the enumerator proves.
pub(super) fn refined<E>(
    confirmed: &Confirmed,
    (question, respected): (&Cycles, Respected),
    (graph, sources): (&Graph, &Sources),
    (asked, costs): (&Asked<'_>, &Costs<'_>),
    rereading: &Rereading<'_, E>,
) -> Result<Option<Refined>, E> {
    if confirmed.doubt.is_some() {
        return Ok(None);
    }
    let needed = Needed::new(confirmed, sources);
    let strengths: &[Strongly] = if question.arch.is_multi_copy_atomic() {
        &[Strongly::AsNeeded]
    } else {
        &[Strongly::AsOrders, Strongly::AsNeeded, Strongly::WithChains]
    };
    let is_needed = |first: &Event, second: &Event| needed.contains(first, second);
    let plain = |node: NodeRef, it: Order| (costs.order)(node, it).filter(|_| it != Order::SeqCst);
    let (weight, existing) = (costs.weight, costs.existing);
    let plain = Costs { kinds: &[], order: &plain, weight, existing };
    let mut best: Option<Refined> = None;
    for style in Style::ALL {
        let costs = match style {
            Style::AcquireRelease => &plain,
            Style::Anything => costs,
        };
        for strongly in strengths {
            let Ok(repair) = asked.repair_where(costs, &is_needed, *strongly) else { continue };
            if !repair.is_whole() {
                continue;
            }
            let Some(reread) = rereading(&repair)? else { return Ok(best) };
            let Reread { texts, program, added } = reread;
            match proven((&program, &added), question, respected) {
                Ok(Proof::Enumerated { executions, .. }) => {
                    let proof = Proof::Enumerated { executions, is_needed: true };
                    let found = Refined { repair, texts, proof };
                    let found = least(found, (question, respected), graph, rereading)?;
                    if best.as_ref().is_none_or(|best| found.repair.cost < best.repair.cost) {
                        best = Some(found);
                    }
                    break;
                }
                Ok(Proof::Open(_)) => return Ok(best),
                Err(Weak) => {}
            }
        }
    }
    Ok(best)
}

/// Leaves out, or makes weaker, whatever the rest is proven without: fences first, then orders of accesses that were not
/// atomic, then the others.
fn least<E>(
    mut refined: Refined,
    (question, respected): (&Cycles, Respected),
    graph: &Graph,
    rereading: &Rereading<'_, E>,
) -> Result<Refined, E> {
    let fences = refined.repair.fences.iter().map(|fence| Made::Fence(fence.place, fence.kind));
    let mut orders: Vec<_> = refined.repair.orders.iter().collect();
    orders.sort_by_key(|order| order.from > Order::Volatile);
    let made: Vec<Made> = fences.chain(orders.iter().map(|it| Made::Order(it.node))).collect();
    for made in made {
        let Some(number) = made.number(&refined.repair) else { continue };
        for other in weaker(question, graph, &refined.repair, number) {
            if question.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(refined);
            }
            let Some(reread) = rereading(&other)? else { continue };
            let Reread { texts, program, added } = reread;
            let proof = proven((&program, &added), question, respected);
            if let Ok(Proof::Enumerated { executions, .. }) = proof {
                let proof = Proof::Enumerated { executions, is_needed: true };
                refined = Refined { repair: other, texts, proof };
                break;
            }
        }
    }
    Ok(refined)
}

/// Something that a repair decides, whatever its number is.
#[derive(Clone, Copy)]
enum Made {
    Fence(PlaceId, FenceKind),
    Order(NodeRef),
}

impl Made {
    fn number(self, repair: &Repair) -> Option<usize> {
        match self {
            Self::Order(node) => repair.orders.iter().position(|order| order.node == node),
            Self::Fence(place, kind) => {
                let is_it = |fence: &ShownFence| (fence.place, fence.kind) == (place, kind);
                repair.fences.iter().position(is_it).map(|at| repair.orders.len() + at)
            }
        }
    }
}

/// Repairs with less at one place, the least first.
fn weaker(question: &Cycles, graph: &Graph, repair: &Repair, number: usize) -> Vec<Repair> {
    let mut all = vec![repair.with(graph, number, None)];
    let Some(known) = repair.orders.get(number) else { return all };
    let Action::Access(access) = &graph.functions[known.node.0].nodes[known.node.1].action else {
        return all;
    };
    for order in orders_of(access.kind) {
        let to = both(known.from, *order);
        if to != known.to && to != known.from && is_at_least(known.to, to) {
            let cost = question.arch.order_cost(access.kind, to).max(1);
            all.push(repair.with(graph, number, Some((to, cost))));
        }
    }
    all
}

/// Enumerates the executions of a repaired program, and compares them with those of the reference without its new
/// fences.
pub(super) fn proven(
    (program, added): (&Program, &Edges),
    question: &Cycles,
    respected: Respected,
) -> Result<Proof, Weak> {
    let limits = Limits { max_executions: MOST_EXECUTIONS, ..Limits::default() };
    let mut go_on = || match question.deadline {
        Some(deadline) if Instant::now() >= deadline => ControlFlow::Break(()),
        Some(_) | None => ControlFlow::Continue(()),
    };
    let (machine, compared) = (model(question.arch), compared(question.reference));
    let looking = Looking { machine, compared, respected, added };
    match reordered(program, looking, &[], &limits, &mut go_on) {
        Err(why) => Ok(Proof::Open(why.to_string())),
        Ok(found) if found.weak.is_some() => Err(Weak),
        Ok(found) => Ok(match found.bound {
            Some(bound) => Proof::Open(bound.to_string()),
            None => Proof::Enumerated { executions: found.candidates, is_needed: false },
        }),
    }
}

/// An access in a text: the name of the text, from where to where, and what it does.
type Access = (String, u32, u32, Does);

/// The confirmed pairs, by their texts.
struct Needed<'s> {
    pairs: Vec<(Access, Access)>,
    sources: &'s Sources,
}

impl<'s> Needed<'s> {
    fn new(confirmed: &Confirmed, sources: &'s Sources) -> Self {
        let mut pairs = Vec::new();
        for pair in &confirmed.pairs {
            let is_needed = match pair.judgement {
                Judgement::Confirmed(_) | Judgement::Undecided => true,
                Judgement::Refuted => false,
            };
            let access = |(edge, does)| {
                let span = confirmed.program.template(pair.template).edge(edge).span;
                in_text(&confirmed.sources, span, does)
            };
            if let (true, Some(first), Some(second)) =
                (is_needed, access(pair.first), access(pair.second))
                && !pairs.contains(&(first.clone(), second.clone()))
            {
                pairs.push((first, second));
            }
        }
        Self { pairs, sources }
    }

    /// Whether a pair of the graph stands where a confirmed one does. In libraries, whose texts nobody changes, none does.
    fn contains(&self, first: &Event, second: &Event) -> bool {
        let access = |event: &Event| {
            let does = match event.direction {
                Direction::Read => Does::Reads,
                Direction::Write => Does::Writes,
            };
            in_text(self.sources, event.span, does)
        };
        let (Some(first), Some(second)) = (access(first), access(second)) else { return false };
        self.pairs.iter().any(|(one, other)| is_there(one, &first) && is_there(other, &second))
    }
}

fn in_text(sources: &Sources, span: Span, does: Does) -> Option<Access> {
    Some((sources.name(span.source?).to_owned(), span.start, span.end, does))
}

/// Whether two accesses do the same in texts that overlap.
fn is_there(one: &Access, other: &Access) -> bool {
    (&one.0, one.3) == (&other.0, other.3)
        && one.1 < other.2.max(other.1 + 1)
        && other.1 < one.2.max(one.1 + 1)
}
