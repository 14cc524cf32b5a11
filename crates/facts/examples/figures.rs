//! Prints how long the facts of modules of LLVM IR take, how large the event graph is, and, for an architecture,
//! how long its delays take and (with `PLACE` in the environment) the cheapest fences.
//!
//! `cargo run --release -p fencewright-facts --example figures [ARCH] FILE.ll…`
#![allow(clippy::print_stdout, reason = "that is what it is there for")]

use std::time::Instant;

use cycles::answer::{Asked, Question};
use cycles::{Arch, Costs, Orders};
use facts::{Facts, Options};
use linkage::{Library, Linked, Texts};

/// The texts in C that debug information names, but for those of the system.
struct Files;

impl Texts for Files {
    fn text(&mut self, file: &str) -> Option<(String, String, patch::Language)> {
        if file.starts_with("/usr/") {
            return None;
        }
        let text = std::fs::read_to_string(file).ok()?;
        Some((file.to_owned(), text, patch::Language::C))
    }
}

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let named =
        files.first().and_then(|name| Arch::ALL.into_iter().find(|arch| arch.name() == name));
    if named.is_some() {
        files.remove(0);
    }
    let start = Instant::now();
    let read = |file: &String| {
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        llvm::parse(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    let modules: Vec<llvm::Module> = files.iter().map(read).collect();
    println!("read {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let linked = Linked::new(&modules).unwrap_or_else(|errors| panic!("{}", errors[0].message));
    let library = Library::new(&[]);
    let mut facts = Facts::new(&linked, &library, &Options::default())
        .unwrap_or_else(|errors| panic!("{}", errors[0].message));
    println!("facts {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let graph = facts.events(&mut Files, &mut program::Sources::new());
    println!("graph {:.2} s", start.elapsed().as_secs_f64());
    let [instances, variables, objects, calls] = facts.size();
    println!("{instances} instances, {variables} variables, {objects} objects, {calls} calls");
    let nodes: usize = graph.functions.iter().map(|one| one.nodes.len()).sum();
    let accesses = graph.functions.iter().flat_map(|one| &one.nodes);
    let accesses = accesses.filter(|one| matches!(one.action, events::Action::Access(_))).count();
    println!(
        "{} functions, {nodes} nodes, {accesses} accesses, {} locations, {} threads",
        graph.functions.len(),
        graph.locations.len(),
        graph.threads.len()
    );
    println!("unknown: {}", facts.unknown().join(" "));
    if let Some(arch) = named {
        cycles_on(&graph, arch);
    }
    if std::env::var_os("SHOW").is_some() {
        println!("{:#?}", facts.threads());
        println!("{:?}", facts.shared());
        println!("{graph:#?}");
    }
}

fn cycles_on(graph: &events::Graph, arch: Arch) {
    let start = Instant::now();
    let (orders, shown, deadline) = (Orders::OfLanguage, 10, None);
    let (reference, dependencies) = (cycles::Reference::Sc, true);
    let asked =
        Asked::new(Question { graph, arch, orders, reference, dependencies, shown, deadline });
    println!("critical pairs {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let found = asked.find();
    println!("delays {:.2} s", start.elapsed().as_secs_f64());
    println!("{} accesses, {} delays, exact: {}", found.events, found.delays, found.is_exact);
    if std::env::var_os("PLACE").is_some() {
        let start = Instant::now();
        let repair = asked.repair(&Costs::of_fences(arch.fences(), &|_| 1));
        println!("placement {:.2} s", start.elapsed().as_secs_f64());
        match repair {
            Ok(repair) => println!(
                "{} fences, cost {}, optimal: {}, {} rows, {} rounds",
                repair.fences.len(),
                repair.cost,
                repair.is_optimal,
                repair.rows,
                repair.rounds
            ),
            Err(problem) => println!("no fences: {problem:.300?}"),
        }
    }
}
