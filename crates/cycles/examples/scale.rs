//! Time against events and threads, on generated graphs: straight-line threads that access variables
//! chosen by Zipf's law, a third of the accesses writes.
//!
//! `cargo run --release -p fencewright-cycles --example scale [ARCH] [THREADS EVENTS VARIABLES]…`

use std::time::Instant;

use cycles::{Analysis, Arch, Costs, Orders, place_fences};
use events::{
    Access, AccessKind, Action, Function, Graph, Instances, Location, LocationSet, Node, NodeId,
    Place, Side, ThreadClass,
};
use fastrand::Rng;
use program::index::Idx;
use program::{IndexVec, Order, Span};

fn graph(threads: usize, events: usize, variables: usize, seed: u64) -> Graph {
    let mut rng = Rng::with_seed(seed);
    let mut graph = Graph::default();
    for number in 0..variables {
        graph.locations.push(Location { name: format!("v{number}"), span: Span::NONE });
    }
    let weights: Vec<f64> =
        (1..=variables).map(|rank| 1.0 / f64::from(u32::try_from(rank).unwrap_or(1))).collect();
    let total: f64 = weights.iter().sum();
    for thread in 0..threads {
        let length = events / threads + usize::from(thread < events % threads);
        let mut nodes: IndexVec<NodeId, Node> = IndexVec::new();
        for number in 0..=length {
            let mut drawn = rng.f64() * total;
            let variable = weights.iter().position(|weight| {
                drawn -= weight;
                drawn <= 0.0
            });
            let kind = if rng.f64() < 0.35 { AccessKind::Write } else { AccessKind::Read };
            let locations = LocationSet::Some(vec![Idx::new(variable.unwrap_or(0))]);
            let (order, must, aligned) = (Order::Plain, true, true);
            let access = Access { kind, order, locations, must, aligned };
            let is_last = number == length;
            let place = (!is_last).then(|| {
                graph.places.push(Place { point: None, side: Side::After, span: Span::NONE })
            });
            nodes.push(Node {
                action: if is_last { Action::Skip } else { Action::Access(access) },
                successors: if is_last { vec![] } else { vec![NodeId::new(number + 1)] },
                span: Span::NONE,
                place,
                depends_on: vec![],
                alone: false,
                held: vec![],
            });
        }
        let name = format!("t{thread}");
        let function = Function {
            name: name.clone(),
            entry: NodeId::new(0),
            exit: NodeId::new(length),
            nodes,
        };
        let entry = graph.functions.push(function);
        graph.threads.push(ThreadClass { name, entry, instances: Instances::Exactly(1) });
    }
    graph.parallel =
        (0..threads).map(|one| (0..threads).map(|other| one != other).collect()).collect();
    graph
}

#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let named =
        arguments.peek().and_then(|name| Arch::ALL.into_iter().find(|arch| arch.name() == name));
    if named.is_some() {
        arguments.next();
    }
    let archs =
        named.map_or_else(|| vec![Arch::X86, Arch::Power, Arch::AArch64], |arch| vec![arch]);
    let numbers: Vec<usize> = arguments.filter_map(|argument| argument.parse().ok()).collect();
    let sizes: Vec<(usize, usize, usize)> = if numbers.is_empty() {
        vec![
            (4, 200, 16),
            (4, 600, 24),
            (8, 2_000, 48),
            (16, 2_000, 60),
            (24, 2_000, 60),
            (8, 5_000, 60),
            (8, 10_000, 60),
        ]
    } else {
        numbers.chunks_exact(3).map(|chunk| (chunk[0], chunk[1], chunk[2])).collect()
    };
    println!(
        "threads events variables arch     exact analysis_s placement_s rows rounds fences cost optimal"
    );
    for (threads, events, variables) in sizes {
        let graph = graph(threads, events, variables, 1);
        for arch in &archs {
            let start = Instant::now();
            let analysis = Analysis::new(&graph, *arch, Orders::OfLanguage);
            let analysed = start.elapsed().as_secs_f64();
            let costs = Costs::of_fences(arch.fences(), &|_| 1);
            let start = Instant::now();
            let Ok(placement) = place_fences(&analysis, &costs, None) else { continue };
            let placed = start.elapsed().as_secs_f64();
            println!(
                "{threads:7} {events:6} {variables:9} {:8} {:5} {analysed:10.3} {placed:11.3} {:4} {:6} {:6} {:4} {}",
                arch.name(),
                analysis.is_exact(),
                placement.rows,
                placement.rounds,
                placement.fences.len(),
                placement.cost,
                placement.is_optimal,
            );
        }
    }
}
