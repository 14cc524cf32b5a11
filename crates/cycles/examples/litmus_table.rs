//! Static fences for litmus tests, judged by all executions: how many tests are weak, how many get fences,
//! how many without need, and what the fences cost beyond the cheapest that would do.
//!
//! `cargo run --release -p fencewright-cycles --example litmus_table -- ARCH FILE…`

#[path = "../tests/all/common.rs"]
mod common;

use std::collections::BTreeMap;

use common::{fenced, has_weak_execution, is_robust, model, placed};
use cycles::Arch;
use events::{PlaceId, ProgramGraph};
use frontend::{Language, Settings, load};
use program::{FenceKind, Program, Sources};

/// The greatest number of programs that are enumerated to find the cheapest fences of a test.
const MOST_TRIES: usize = 400;

/// The least cost of fences after which no execution is weak, below a cost that is known to do; nothing if
/// that takes too long.
fn least_cost(program: &Program, graph: &ProgramGraph, arch: Arch, enough: u64) -> Option<u64> {
    let columns: Vec<(PlaceId, FenceKind, u64)> = graph
        .graph
        .places
        .indices()
        .flat_map(|place| arch.fences().iter().map(move |(kind, cost)| (place, *kind, *cost)))
        .collect();
    let mut tries = 0;
    // Sets by their cost.
    let mut open: BTreeMap<u64, Vec<(usize, Vec<usize>)>> =
        BTreeMap::from([(0, vec![(0, vec![])])]);
    while let Some((cost, sets)) = open.pop_first() {
        if cost >= enough {
            return Some(enough);
        }
        for (from, set) in sets {
            tries += 1;
            if tries > MOST_TRIES {
                return None;
            }
            let fences: Vec<(PlaceId, FenceKind)> =
                set.iter().map(|column: &usize| (columns[*column].0, columns[*column].1)).collect();
            if !has_weak_execution(&fenced(program, graph, &fences), model(arch)) {
                return Some(cost);
            }
            for (column, (_, _, price)) in columns.iter().enumerate().skip(from) {
                let next: Vec<usize> = set.iter().copied().chain([column]).collect();
                open.entry(cost + price).or_default().push((column + 1, next));
            }
        }
    }
    None
}

#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let Some(arch) = Arch::ALL.into_iter().find(|arch| arch.name() == name) else {
        println!("an architecture and files, please");
        return;
    };
    let model = model(arch);
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for file in arguments {
        let mut count = |what: &'static str, by: u64| *counts.entry(what).or_default() += by;
        let mut sources = Sources::new();
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let source = sources.add(&file, text);
        let Ok(program) = load(&sources, source, Language::Litmus, &Settings::default()) else {
            count("refused", 1);
            continue;
        };
        count("tests", 1);
        let is_weak = has_weak_execution(&program, model);
        count("weak", u64::from(is_weak));
        if is_robust(&program, arch) {
            if is_weak {
                println!("WRONG: {file} is not robust");
            }
            count("without delays", 1);
            continue;
        }
        let (graph, placement) = placed(&program, arch);
        let repaired = fenced(&program, &graph, &placement.fences);
        if has_weak_execution(&repaired, model) {
            println!("WRONG: {file} is not repaired by {:?}", placement.fences);
        }
        count("fenced", 1);
        count("fences", u64::try_from(placement.fences.len()).unwrap_or(u64::MAX));
        if !is_weak {
            count("fenced without need", 1);
            continue;
        }
        match least_cost(&program, &graph, arch, placement.cost) {
            None => count("cheapest not found", 1),
            Some(least) => {
                count("cost where the cheapest is known", placement.cost);
                count("cheapest", least);
                count("dearer than the cheapest", u64::from(least < placement.cost));
            }
        }
    }
    println!("{}: {counts:?}", arch.name());
}
