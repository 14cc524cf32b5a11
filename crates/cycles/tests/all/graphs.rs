//! Random event graphs with calls, recursion, branches and loops, with unknown addresses, dependencies and locks,
//! and without places for fences here and there: fences stop what all fences at all places stop, and none of them
//! can go.

use std::collections::BTreeSet;

use cycles::{Analysis, Arch, Costs, Delay, Orders, Put, Reference, Wanted, place_fences};
use events::{
    Access, AccessKind, Action, Dependency, DependencyKind, Function, FunctionId, Graph, Instances,
    Location, LocationSet, MemoryId, Node, NodeId, Place, PlaceId, Side, ThreadClass,
};
use fastrand::Rng;
use program::index::Idx;
use program::{FenceKind, IndexVec, Order, Span};

fn locations(rng: &mut Rng, count: usize) -> (LocationSet, bool) {
    match rng.u32(0..12) {
        0 => (LocationSet::Any, false),
        1 => (LocationSet::Before(Idx::new(rng.usize(1..=count))), false),
        2 | 3 => {
            let some = (0..count).filter(|_| rng.bool()).map(MemoryId::new);
            (LocationSet::Some(some.collect()), false)
        }
        _ => (LocationSet::Some(vec![Idx::new(rng.usize(0..count))]), rng.u32(0..5) > 0),
    }
}

fn access(rng: &mut Rng, memory: usize) -> Access {
    let (locations, must) = locations(rng, memory);
    let (kind, orders) = match rng.u32(0..8) {
        0..=3 => (AccessKind::Read, [Order::Plain, Order::Relaxed, Order::Acquire]),
        4..=6 => (AccessKind::Write, [Order::Plain, Order::Relaxed, Order::Release]),
        _ => {
            let (may_fail, keeps_result, is_amo) = (rng.bool(), rng.bool(), rng.bool());
            let kind = AccessKind::Update { may_fail, keeps_result, failure: None, is_amo };
            (kind, [Order::Relaxed, Order::AcquireRelease, Order::SeqCst])
        }
    };
    let order = if rng.bool() { orders[0] } else { orders[rng.usize(0..3)] };
    Access { kind, order, locations, must, aligned: true }
}

fn function(rng: &mut Rng, number: usize, functions: usize, graph: &mut Graph) -> Function {
    let memory = graph.locations.len();
    let count = rng.usize(2..7);
    let mut nodes: IndexVec<NodeId, Node> = IndexVec::new();
    let mut reads: Vec<NodeId> = Vec::new();
    for at in 0..=count {
        let is_last = at == count;
        let action = match rng.u32(0..12) {
            _ if is_last => Action::Skip,
            0 => Action::Skip,
            1 => Action::Fence(FenceKind::ALL[rng.usize(0..FenceKind::ALL.len())]),
            2 | 3 => Action::Call(vec![FunctionId::new(rng.usize(0..functions))]),
            _ => Action::Access(access(rng, memory)),
        };
        let mut node = Node {
            action,
            successors: if is_last { Vec::new() } else { vec![NodeId::new(at + 1)] },
            span: Span::NONE,
            place: None,
            depends_on: Vec::new(),
            alone: rng.u32(0..20) == 0,
            held: Vec::new(),
        };
        if !is_last && rng.u32(0..4) > 0 {
            let place = Place { point: None, side: Side::After, span: Span::NONE };
            node.place = Some(graph.places.push(place));
        }
        let to = NodeId::new(rng.usize(0..=count));
        if !is_last && rng.u32(0..5) == 0 && !node.successors.contains(&to) {
            node.successors.push(to);
        }
        if let Action::Access(access) = &node.action {
            if rng.u32(0..3) == 0
                && let Some(on) = reads.first().copied()
            {
                let kind = match access.kind {
                    AccessKind::Write if rng.bool() => DependencyKind::Control,
                    AccessKind::Read
                    | AccessKind::ReadExclusive
                    | AccessKind::Write
                    | AccessKind::WriteExclusive
                    | AccessKind::Update { .. } => DependencyKind::Address,
                };
                node.depends_on.push(Dependency { on, kind });
            }
            if access.kind == AccessKind::Read {
                reads.push(NodeId::new(at));
            }
            if rng.u32(0..8) == 0 {
                node.held.push(MemoryId::new(rng.usize(0..memory)));
            }
        }
        nodes.push(node);
    }
    let (entry, exit) = (NodeId::new(0), NodeId::new(count));
    Function { name: format!("f{number}"), entry, exit, nodes }
}

fn random_graph(rng: &mut Rng) -> Graph {
    let mut graph = Graph::default();
    for number in 0..rng.usize(2..6) {
        graph.locations.push(Location { name: format!("v{number}"), span: Span::NONE });
    }
    let functions = rng.usize(2..6);
    for number in 0..functions {
        let function = function(rng, number, functions, &mut graph);
        graph.functions.push(function);
    }
    let threads = rng.usize(1..5);
    for number in 0..threads {
        let instances = match rng.u32(0..4) {
            0 => Instances::Many,
            1 => Instances::Exactly(2),
            _ => Instances::Exactly(1),
        };
        let entry = FunctionId::new(rng.usize(0..functions));
        graph.threads.push(ThreadClass { name: format!("t{number}"), entry, instances });
    }
    let several = |thread: &ThreadClass| thread.instances != Instances::Exactly(1);
    let itself: Vec<bool> = graph.threads.iter().map(several).collect();
    let row = |one: usize| {
        (0..threads).map(|other| one != other || itself[one]).collect::<IndexVec<_, bool>>()
    };
    graph.parallel = (0..threads).map(row).collect();
    graph
}

fn pairs(delays: &[Delay]) -> BTreeSet<(usize, usize, usize)> {
    let pair = |delay: &Delay| (delay.thread.index(), delay.first.index(), delay.second.index());
    delays.iter().map(pair).collect()
}

fn with(analysis: &Analysis<'_>, fences: &[(PlaceId, FenceKind)]) -> Put {
    let mut put = analysis.nothing_put();
    for (place, kind) in fences {
        put[*place].push(*kind);
    }
    put
}

/// What is not in order with some fences: pairs, and whether there are stretches.
fn unordered(analysis: &Analysis<'_>, put: &Put) -> (BTreeSet<(usize, usize, usize)>, bool) {
    let delays = analysis.delays(put, Wanted::All);
    assert_eq!(analysis.count_delays(put), delays.len());
    (pairs(&delays), !analysis.stretches(put).is_empty())
}

#[test]
fn fences_stop_what_all_fences_stop_and_none_can_go() {
    let (mut with_fences, mut with_rest, mut with_stretches) = (0, 0, 0);
    for seed in 0..150 {
        let graph = random_graph(&mut Rng::with_seed(seed));
        for arch in Arch::ALL {
            for reference in [Reference::Sc, Reference::Tso] {
                let analysis = Analysis::against(&graph, arch, Orders::OfLanguage, reference);
                let case = format!("seed {seed}, {}, {reference:?}", arch.name());
                let kinds = arch.fences();
                let placement = place_fences(&analysis, &Costs::of_fences(kinds, &|_| 1), None)
                    .expect("there is no deadline");
                let everything: Vec<(PlaceId, FenceKind)> = graph
                    .places
                    .indices()
                    .flat_map(|place| kinds.iter().map(move |(kind, _)| (place, *kind)))
                    .collect();
                let rest = unordered(&analysis, &with(&analysis, &everything));
                let now = unordered(&analysis, &with(&analysis, &placement.fences));
                assert_eq!(now.0, rest.0, "{case}");
                assert_eq!(placement.left.is_empty(), rest.0.is_empty() && !rest.1, "{case}");
                let is_robust = analysis.is_robust(&with(&analysis, &placement.fences));
                assert_eq!(placement.left.is_empty(), is_robust, "{case}");
                with_fences += usize::from(!placement.fences.is_empty());
                with_rest += usize::from(!rest.0.is_empty());
                with_stretches += usize::from(rest.1);
                for gone in 0..placement.fences.len() {
                    let mut fewer = placement.fences.clone();
                    fewer.remove(gone);
                    let without = unordered(&analysis, &with(&analysis, &fewer));
                    // Of stretches with something left it is not known which have a fence.
                    let is_worse = without.0 != rest.0 || without.1;
                    assert!(is_worse, "{case}: {:?} is not needed", placement.fences[gone]);
                }
            }
        }
    }
    assert!(with_fences > 800 && with_rest > 500 && with_stretches > 10);
}
