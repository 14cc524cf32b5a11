//! Calls: program order goes through functions, and a fence in a function counts for all who call it.

use ::cycles::{Analysis, Arch, Costs, EventId, NoFence, Orders, Placement, Wanted, place_fences};
use events::{
    Access, AccessKind, Action, Function, FunctionId, Graph, Instances, Location, LocationSet,
    Node, NodeId, Place, PlaceId, Side, ThreadClass,
};
use program::index::Idx;
use program::{FenceKind, Order, Span};

/// What a function does, step by step; each step may be followed by a place for a fence.
enum Step {
    Read(usize),
    Write(usize),
    Call(usize),
}

use Step::{Call, Read, Write};

fn graph(functions: &[&[(Step, bool)]], threads: &[usize]) -> Graph {
    let mut graph = Graph::default();
    for name in ["x", "y"] {
        graph.locations.push(Location { name: name.to_owned(), span: Span::NONE });
    }
    for (number, steps) in functions.iter().enumerate() {
        let node = |action, successors, place| Node {
            action,
            successors,
            span: Span::NONE,
            place,
            depends_on: Vec::new(),
            alone: false,
            held: Vec::new(),
        };
        let access = |kind, variable: usize| {
            let locations = LocationSet::Some(vec![Idx::new(variable)]);
            let (order, must, aligned) = (Order::Plain, true, true);
            Action::Access(Access { kind, order, locations, must, aligned })
        };
        let mut nodes = Vec::new();
        for (at, (step, has_place)) in steps.iter().enumerate() {
            let action = match step {
                Read(variable) => access(AccessKind::Read, *variable),
                Write(variable) => access(AccessKind::Write, *variable),
                Call(function) => Action::Call(vec![FunctionId::new(*function)]),
            };
            let place = has_place.then(|| {
                graph.places.push(Place { point: None, side: Side::After, span: Span::NONE })
            });
            nodes.push(node(action, vec![NodeId::new(at + 1)], place));
        }
        nodes.push(node(Action::Skip, Vec::new(), None));
        let (entry, exit) = (NodeId::new(0), NodeId::new(steps.len()));
        let nodes = nodes.into_iter().collect();
        graph.functions.push(Function { name: format!("f{number}"), entry, exit, nodes });
    }
    for thread in threads {
        graph.threads.push(ThreadClass {
            name: format!("t{thread}"),
            entry: FunctionId::new(*thread),
            instances: Instances::Exactly(1),
        });
    }
    let count = threads.len();
    graph.parallel = (0..count).map(|one| (0..count).map(|other| one != other).collect()).collect();
    graph
}

fn placement(graph: &Graph) -> Placement {
    let analysis = Analysis::new(graph, Arch::X86, Orders::OfLanguage);
    let costs = Costs::of_fences(Arch::X86.fences(), &|_| 1);
    let placement = place_fences(&analysis, &costs, None).expect("there is no deadline");
    // What is told to be left is all that is.
    let mut put = analysis.nothing_put();
    for (place, kind) in &placement.fences {
        put[*place].push(*kind);
    }
    let still: Vec<(EventId, EventId)> = analysis
        .delays(&put, Wanted::All)
        .iter()
        .map(|delay| (delay.first, delay.second))
        .collect();
    let left: Vec<(EventId, EventId)> = placement
        .left
        .iter()
        .flat_map(|left| left.pairs.iter().map(|pair| (pair.first, pair.second)))
        .collect();
    assert_eq!(left, still);
    placement
}

fn fences(graph: &Graph) -> Vec<(PlaceId, FenceKind)> {
    let placement = placement(graph);
    assert!(placement.left.is_empty(), "there are places");
    placement.fences
}

#[test]
fn program_order_goes_through_calls() {
    // Store buffering, the loads in functions of their own; a place after a call is no place before it.
    let threads: [&[(Step, bool)]; 4] = [
        &[(Write(0), true), (Call(2), true)],
        &[(Write(1), true), (Call(3), true)],
        &[(Read(1), false)],
        &[(Read(0), false)],
    ];
    let found = fences(&graph(&threads, &[0, 1]));
    assert_eq!(found, [(PlaceId::new(0), FenceKind::Full), (PlaceId::new(2), FenceKind::Full)]);
    let threads: [&[(Step, bool)]; 4] = [
        &[(Write(0), false), (Call(2), true)],
        &[(Write(1), true), (Call(3), true)],
        &[(Read(1), false)],
        &[(Read(0), false)],
    ];
    // One thread has no place; the other gets its fence all the same.
    let found = placement(&graph(&threads, &[0, 1]));
    let left: Vec<NoFence> = found.left.iter().map(|left| left.why).collect();
    assert_eq!(left, [NoFence::NoPlace]);
    assert_eq!(found.fences, [(PlaceId::new(1), FenceKind::Full)]);
}

#[test]
fn who_calls_a_function_does_not_pass_what_follows_the_call() {
    // A function that calls itself and then begins again: the load comes after the store by the call, and then
    // there is no place between them, or after the call has returned.
    let threads: [&[(Step, bool)]; 2] = [
        &[(Read(1), false), (Write(0), false), (Call(0), true)],
        &[(Write(1), true), (Read(0), false)],
    ];
    let mut graph = graph(&threads, &[0, 1]);
    let again = NodeId::new(0);
    graph.functions[FunctionId::new(0)].nodes[NodeId::new(2)].successors.push(again);
    let found = placement(&graph);
    let left: Vec<NoFence> = found.left.iter().map(|left| left.why).collect();
    assert_eq!(left, [NoFence::NoPlace]);
    assert_eq!(found.fences, [(PlaceId::new(1), FenceKind::Full)]);
}

#[test]
fn a_fence_in_a_function_counts_for_all_callers() {
    // Both threads store in the same function, after which there is a place, and load outside of it.
    let threads: [&[(Step, bool)]; 4] = [
        &[(Call(2), false), (Read(1), true)],
        &[(Call(3), false), (Read(0), true)],
        &[(Write(0), false), (Call(3), false)],
        &[(Write(1), true)],
    ];
    let found = fences(&graph(&threads, &[0, 1]));
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn calls_return_to_where_they_came_from() {
    // The first thread stores after its call, the other loads after its own: a way into the function by one
    // call and out by the other would be store buffering within one thread, and is none.
    let threads: [&[(Step, bool)]; 3] = [
        &[(Read(1), true), (Call(2), true), (Write(0), true)],
        &[(Read(0), true), (Call(2), true), (Write(1), true)],
        &[],
    ];
    assert!(fences(&graph(&threads, &[0, 1])).is_empty());
}

#[test]
fn what_cannot_be_stopped_costs_nothing() {
    // The store is followed by a load on two ways, on one of them without a place: a fence on the other way
    // would be for nothing. The other thread's fence is needed as before.
    let threads: [&[(Step, bool)]; 2] =
        [&[(Write(0), false), (Read(1), true)], &[(Write(1), true), (Read(0), true)]];
    let mut graph = graph(&threads, &[0, 1]);
    let aside = graph.places.push(Place { point: None, side: Side::After, span: Span::NONE });
    let nodes = &mut graph.functions[FunctionId::new(0)].nodes;
    let detour = nodes.push(Node {
        action: Action::Skip,
        successors: vec![NodeId::new(1)],
        span: Span::NONE,
        place: Some(aside),
        depends_on: Vec::new(),
        alone: false,
        held: Vec::new(),
    });
    nodes[NodeId::new(0)].successors.insert(0, detour);
    let found = placement(&graph);
    assert_eq!(found.left.len(), 1);
    assert_eq!(found.fences, [(PlaceId::new(1), FenceKind::Full)]);
    assert!(found.is_optimal);
}
