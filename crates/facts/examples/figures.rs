//! Prints how long the facts of modules of LLVM IR take, and how large the event graph is.
#![allow(clippy::print_stdout, reason = "that is what it is there for")]

use std::time::Instant;

use facts::{Facts, Options};
use linkage::{Library, Linked, Texts};

/// No texts: positions come from debug information alone.
struct None;

impl Texts for None {
    fn text(&mut self, _: &str) -> Option<(String, String, patch::Language)> {
        Option::None
    }
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
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
    let graph = facts.events(&mut None, &mut program::Sources::new());
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
    if std::env::var_os("SHOW").is_some() {
        println!("{:#?}", facts.threads());
        println!("{:?}", facts.shared());
        println!("{graph:#?}");
    }
}
